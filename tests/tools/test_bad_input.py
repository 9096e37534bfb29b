"""Whatever the seven tools are sent: an answer that is bounded, typed and says what to do, and one event at most."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from connecta.deployment import Connecta
from connecta.limits import LIMITS
from connecta.text import Json, JsonObject, compact, size
from connecta.tools import (
    authorize_connector,
    call_destructive_tool,
    call_tool,
    execute_code,
    get_result,
    search_tools,
    skills,
)
from connecta.tools.definition import Answer
from tests.fixtures.desk import Desk
from tests.tools.conftest import House

DEFINITIONS = [
    execute_code.definition(list(Connecta(connectors=[Desk().connector], name="tests").connectors), {}, LIMITS),
    search_tools.DEFINITION,
    call_tool.DEFINITION,
    call_destructive_tool.DEFINITION,
    authorize_connector.DEFINITION,
    get_result.DEFINITION,
    skills.DEFINITION,
]
MINIMAL: dict[str, JsonObject] = {
    "execute_code": {"code": "async () => 1"},
    "search_tools": {},
    "call_tool": {"address": "desk.read_note", "args": {"id": "n1"}},
    "call_destructive_tool": {"address": "desk.write_note", "args": {"id": "n1"}},
    "authorize_connector": {"connector": "desk"},
    "get_result": {"id": "r_" + "A" * 22},
    "skills": {},
}
OF_EVERY_TYPE: dict[str, Json] = {
    "null": None,
    "boolean": True,
    "integer": 3,
    "number": 2.5,
    "string": "hunter2",
    "array": ["hunter2"],
    "object": {"hunter2": "hunter2"},
}
LONG = "Z" * 50_000
HOSTILE = [
    LONG,
    f"desk.{LONG}",
    f"{LONG}.read_note",
    "",
    " ",
    ".",
    "..",
    "desk",
    "desk.",
    ".read_note",
    "desk..read_note",
    "desk.read_note.",
    "desk.read_note\x00",
    "desk.read_note\r\nSet-Cookie: a=b",
    "\x1b[31mdesk.read_note",
    "\u202edesk.read_note",
    "\ud800.read_note",
    "desk.\ud800",
    "desk.READ_NOTE",
    "Desk.read_note",
    "desk/read_note",
    "../../etc/passwd",
    "desk.__class__",
    "desk." + "read_note." * 5_000,
    "." * 50_000,
    "💥" * 12_500,
]


def checked(house: House, answer: Answer) -> dict[str, Any]:
    """The ``error`` of an answer, after what is true of every refusal."""
    assert answer.is_error
    assert isinstance(answer.structured, dict)
    (block,) = answer.content
    assert size(compact(block)) < 4_096
    assert block["text"] == compact(answer.structured)
    error = answer.structured["error"]
    assert isinstance(error, dict)
    assert isinstance(error["code"], str)
    assert error["code"] != "internal_error"
    assert isinstance(error["message"], str)
    assert error["message"].endswith((".", "?"))
    assert isinstance(error["retryable"], bool)
    assert "Z" * 513 not in compact(answer.structured)
    assert len(house.place.events) <= 1
    return error


async def refused(house: House, name: str, arguments: JsonObject) -> dict[str, Any]:
    """``checked``, of one call and its events alone."""
    house.place.events.clear()
    return checked(house, await house.call(name, arguments))


def of_the_wrong_type() -> Iterator[tuple[str, str, Json]]:
    """Every field of every tool with a value of every type it does not take."""
    for definition in DEFINITIONS:
        for field, schema in _fields(definition.input_schema):
            taken = {"integer", schema["type"]} if schema["type"] == "number" else {schema["type"]}
            yield from ((definition.name, field, value) for kind, value in OF_EVERY_TYPE.items() if kind not in taken)


def out_of_bounds() -> Iterator[tuple[str, str, Json]]:
    """Every bound of every field of every tool, exceeded by one and by far."""
    for definition in DEFINITIONS:
        for field, schema in _fields(definition.input_schema):
            yield from ((definition.name, field, value) for value in _beyond(schema))


def _fields(schema: JsonObject) -> Iterator[tuple[str, dict[str, Any]]]:
    properties = schema["properties"]
    assert isinstance(properties, dict)
    for field, inner in properties.items():
        assert isinstance(inner, dict)
        yield field, inner


def _beyond(schema: dict[str, Any]) -> Iterator[Json]:
    if "minimum" in schema:
        yield from (schema["minimum"] - 1, -(10**30), -(10**400), -1e300)
    if "maximum" in schema:
        yield from (schema["maximum"] + 1, 10**30, 10**400, 1e300)
    if "maxLength" in schema:
        yield from ("Z" * (schema["maxLength"] + 1), LONG)
    if "enum" in schema:
        yield from ("", "hunter2", LONG, schema["enum"][0].upper())
    if "maxItems" in schema:
        many: list[Json] = ["a"] * (schema["maxItems"] + 1)
        wrong: list[list[Json]] = [many, many * 90, [LONG], [1], [None], [["a"]]]
        yield from wrong


@pytest.mark.parametrize(
    ("name", "field", "value"), [pytest.param(*case, id=f"{case[0]}-{case[1]}") for case in of_the_wrong_type()]
)
async def test_a_value_of_the_wrong_type_is_refused_naming_its_field(
    stateless_house: House, name: str, field: str, value: Json
) -> None:
    error = await refused(stateless_house, name, {**MINIMAL[name], field: value})
    assert (error["code"], error["retryable"], error["truncated"]) == ("invalid_args", False, False)
    assert [finding["path"] for finding in error["findings"]] == [field]
    assert error["findings"][0]["expected"]
    assert "hunter2" not in compact(error)
    assert stateless_house.place.events == []


@pytest.mark.parametrize(
    ("name", "field", "value"), [pytest.param(*case, id=f"{case[0]}-{case[1]}") for case in out_of_bounds()]
)
async def test_a_value_out_of_bounds_is_refused_naming_its_field(
    stateless_house: House, name: str, field: str, value: Json
) -> None:
    error = await refused(stateless_house, name, {**MINIMAL[name], field: value})
    assert error["code"] == "invalid_args"
    assert all(finding["path"].startswith(field) for finding in error["findings"])
    assert "hunter2" not in compact(error)
    assert stateless_house.place.events == []


@pytest.mark.parametrize("name", list(MINIMAL))
@pytest.mark.parametrize("key", ["nope", "", LONG, "a.b", "\x00", "\ud800", "__proto__", "args2"])
async def test_a_field_no_tool_has_is_refused(stateless_house: House, name: str, key: str) -> None:
    error = await refused(stateless_house, name, {**MINIMAL[name], key: "hunter2"})
    assert [finding["code"] for finding in error["findings"]] == ["unknown_key"]
    assert "hunter2" not in compact(error)
    assert stateless_house.place.events == []


@pytest.mark.parametrize("name", ["call_tool", "call_destructive_tool"])
@pytest.mark.parametrize("address", HOSTILE, ids=range(len(HOSTILE)))
async def test_an_address_that_leads_nowhere_leads_to_a_search(stateless_house: House, name: str, address: str) -> None:
    """E7; one event, whose friction says that no tool was found (V2)."""
    error = await refused(stateless_house, name, {"address": address})
    assert error["code"] in ("unknown_address", "unknown_tool")
    assert error["nextAction"]["tool"] == "search_tools"
    assert [event.friction for event in stateless_house.place.events] == ["tool_not_found"]
    followed = await stateless_house.call("search_tools", error["nextAction"]["arguments"])
    assert not followed.is_error


@pytest.mark.parametrize("connector", HOSTILE, ids=range(len(HOSTILE)))
async def test_a_connector_nobody_has_is_refused_or_said_to_be_unknown(stateless_house: House, connector: str) -> None:
    if connector != "desk":
        assert (await refused(stateless_house, "authorize_connector", {"connector": connector}))["code"] == (
            "unknown_address"
        )
        answer = await stateless_house.call("search_tools", {"connector": connector})
        assert size(compact(answer.structured)) < 4_096
        assert stateless_house.place.events == []


@pytest.mark.parametrize("id", [*HOSTILE, "r_" + "A" * 22, "v_" + "A" * 22, "r_", "v_", f"r_{LONG}"])
async def test_an_id_that_expired_or_never_was_says_to_call_again(house: House, id: str) -> None:
    error = await refused(house, "get_result", {"id": id, "offset": 10**9})
    assert (error["code"], error["retryable"]) == ("not_found", False)
    assert error["message"].endswith("Make the call again.")


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_guide_nobody_wrote_is_answered_with_the_names_there_are(stateless_house: House, name: str) -> None:
    error = await refused(stateless_house, "skills", {"name": name})
    assert error["code"] == "not_found"
    assert error["message"].endswith("The guides are: usage, views.")


@pytest.mark.parametrize("offset", [10**6, 10**30, 1e300, 10**400])
async def test_an_offset_past_the_end_is_an_empty_last_page(house: House, offset: float) -> None:
    kept = await house.value("call_tool", {"address": "desk.big", "args": {"size": 60_000}})
    page = await house.value("get_result", {"id": kept["resultId"], "offset": offset})
    assert page == {"text": "", "offset": 60_002, "totalBytes": 60_002}
    answer = await house.call("search_tools", {"offset": offset})
    assert isinstance(answer.structured, dict)
    if not answer.is_error:
        assert (answer.structured["connectors"], answer.structured["hasMore"]) == ([], False)


@pytest.mark.parametrize("name", ["call_tool", "call_destructive_tool"])
@pytest.mark.parametrize(
    "path",
    [
        "",
        " ",
        ".",
        "..",
        "a..b",
        "[]",
        "[][]",
        "[0]",
        "a[",
        "]a[",
        "a[]b",
        "a.[]",
        "*",
        "$",
        "\x00",
        "\ud800",
        "Z" * 256,
        "id.x",
        "id[]",
        "nope",
        "[].id",
        "__proto__",
        "💥" * 64,
        "[]" * 128,
        ".".join("a" * 128),
    ],
)
async def test_a_path_of_any_garbage_is_reported_and_fails_nothing(
    stateless_house: House, name: str, path: str
) -> None:
    address = "desk.read_note" if name == "call_tool" else "desk.write_note"
    arguments: JsonObject = {"address": address, "args": {"id": "n1"}, "fields": [path]}
    answer = await stateless_house.call(name, arguments)
    assert not answer.is_error
    assert isinstance(answer.structured, dict)
    report = answer.structured["$connecta"]
    assert isinstance(report, dict)
    assert answer.structured["data"] == {}
    assert report["unmatchedFields"] or report["invalidFields"]
    assert size(compact(answer.structured)) < 4_096
    assert len(stateless_house.place.events) == 1


@pytest.mark.parametrize("code", ["", " ", "\x00", "\ud800", LONG, "(" * 50_000, "async () => {", "💥"])
async def test_text_that_is_no_program_is_refused_without_a_run(house: House, code: str) -> None:
    await refused(house, "execute_code", {"code": code})
    assert house.place.events == []


KEYS = st.sampled_from(
    sorted({field for each in DEFINITIONS for field, _ in _fields(each.input_schema)} | {"arguments"})
)
TEXTS = st.sampled_from([*HOSTILE, "desk.read_note", "desk.write_note", "value", "usage", "5"]) | st.text(max_size=20)
ATOMS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
VALUES: st.SearchStrategy[Json] = st.recursive(
    ATOMS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS | TEXTS, inner, max_size=3), max_leaves=6
)
TOOLS = st.sampled_from([name for name in MINIMAL if name != "execute_code"])


@settings(max_examples=250, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(name=TOOLS, changed=st.dictionaries(KEYS, VALUES, min_size=1, max_size=4))
async def test_any_arguments_are_answered_or_refused(house: House, name: str, changed: JsonObject) -> None:
    house.place.events.clear()
    answer = await house.call(name, {**MINIMAL[name], **changed})
    if answer.is_error:
        checked(house, answer)
    assert len(house.place.events) <= 1
