"""Catalog drift: four counts against the list somebody reviewed, and never a name (tools.md, "Defaults")."""

import asyncio
import json
import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connecta import remote_mcp
from connecta.catalog.catalogs import Catalogs
from connecta.catalog.drift import Drift, drift_of
from connecta.catalog.shared import SharedCatalogs
from connecta.connectors.mcp_tools import Review
from connecta.connectors.model import Annotations, Tool
from connecta.connectors.reviewed import reviewed_text, reviewed_tools
from connecta.limits import LIMITS
from connecta.text import Json, JsonObject
from tests.fixtures.shelf import READ, WRITE, Clock, Downstream, Records, ShelfConnector, Turns, tool

SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"id": {"type": ["string", "null"], "description": "Which one"}, "size": {"enum": ["s", "m"]}},
    "required": ["id", "size"],
}
LOOK, SAVE = tool("look", "Look.", input_schema=SCHEMA), tool("save", "Save.", annotations=WRITE)
REVIEWED = {"look": LOOK, "save": SAVE}
NONE = {"added": 0, "removed": 0, "schema_changed": 0, "annotation_changed": 0}


def with_schema(schema: Json) -> Tool:
    return replace(LOOK, input_schema=schema)


def drifted(*tools: Tool) -> Drift:
    return drift_of(tools, REVIEWED)


@pytest.mark.parametrize(
    ("tools", "drift"),
    [
        ((LOOK, SAVE), Drift()),
        ((SAVE, LOOK), Drift()),
        ((LOOK, SAVE, tool("new"), tool("newer")), Drift(added=2)),
        ((LOOK,), Drift(removed=1)),
        ((), Drift(removed=2)),
        ((tool("see", input_schema=SCHEMA), SAVE), Drift(added=1, removed=1)),
        ((with_schema({"type": "object"}), SAVE), Drift(schema_changed=1)),
        ((replace(LOOK, output_schema={"type": "object"}), SAVE), Drift(schema_changed=1)),
        ((replace(LOOK, annotations=WRITE), SAVE), Drift(annotation_changed=1)),
        ((LOOK, replace(SAVE, annotations=replace(WRITE, idempotent=True))), Drift(annotation_changed=1)),
        ((replace(LOOK, input_schema=True, annotations=Annotations()), SAVE), Drift(0, 0, 1, 1)),
        ((replace(LOOK, description="Look again.", title="Look", meta={"x": 1}), SAVE), Drift()),
    ],
)
def test_each_kind_of_change_has_its_own_count(tools: tuple[Tool, ...], drift: Drift) -> None:
    assert drifted(*tools) == drift


CHANGES: list[tuple[Json, Json, bool]] = [
    ({"type": "object", "minProperties": 1}, {"minProperties": 1, "type": "object"}, False),
    ({"description": "a", "title": "A"}, {"description": "b", "examples": [1], "$comment": "c"}, False),
    ({"properties": {"a": {"description": "a"}}}, {"properties": {"a": {}}}, False),
    ({"properties": {"description": {"type": "string"}}}, {"properties": {"description": {}}}, True),
    ({"properties": {"title": {"type": "string"}}}, {"properties": {}}, True),
    ({"$defs": {"title": {"type": "string"}}}, {"$defs": {}}, True),
    ({"const": {"title": "a"}}, {"const": {"title": "b"}}, True),
    ({"default": {"description": "a"}}, {"default": {"description": "b"}}, True),
    ({"enum": [{"title": "a"}]}, {"enum": [{"title": "b"}]}, True),
    ({"required": ["a", "b"]}, {"required": ["b", "a"]}, False),
    ({"type": ["null", "string"]}, {"type": ["string", "null"]}, False),
    ({"enum": [1, "1", None]}, {"enum": [None, "1", 1]}, False),
    ({"enum": [1]}, {"enum": ["1"]}, True),
    ({"prefixItems": [{"type": "string"}, {}]}, {"prefixItems": [{}, {"type": "string"}]}, True),
    ({"minimum": 1}, {"minimum": 1.0}, False),
    ({"const": 1}, {"const": True}, True),
    ({"$ref": "#/$defs/a", "$defs": {"a": {}}}, {"$ref": "#/$defs/a", "$defs": {"a": {"type": "null"}}}, True),
    ({"$ref": "#/$defs/a", "$defs": {"a": {}, "b": {}}}, {"$ref": "#/$defs/b", "$defs": {"a": {}, "b": {}}}, True),
    ({"allOf": [{"description": "a"}]}, {"allOf": [{}]}, False),
    ({"description": {"type": "nonsense"}}, {}, False),
    (True, False, True),
    ({"maximum": float("inf")}, {"maximum": float("nan")}, False),
    ("nonsense", "nonsense", False),
]


@pytest.mark.parametrize(("before", "now", "changed"), CHANGES)
def test_schemas_are_compared_by_what_they_demand(before: Json, now: Json, changed: bool) -> None:
    """Not by key order, prose, or how a number or a set is written; references are compared as they are written."""
    assert drift_of([with_schema(now)], {"look": with_schema(before)}) == Drift(schema_changed=int(changed))


def test_schemas_of_absurd_depth_are_compared_without_an_exception() -> None:
    deep: Json = True
    for _ in range(100_000):
        deep = {"not": deep}
    assert drift_of([with_schema(deep)], {"look": with_schema(True)}) == Drift(schema_changed=1)
    assert drift_of([with_schema(deep)], {"look": with_schema(deep)}) == Drift()
    # What tears it down is recursive, too.
    while isinstance(deep, dict):
        deep = deep.pop("not")


def test_a_change_too_deep_to_walk_to_is_one() -> None:
    """Of schemas that can be written down, but no longer told apart by what they demand."""
    schemas: list[Json] = [{"type": "string"}, {"type": "integer"}]
    for _ in range(700):
        schemas = [{"not": schema} for schema in schemas]
    assert drift_of([with_schema(schemas[1])], {"look": with_schema(schemas[0])}) == Drift(schema_changed=1)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "properties", "enum", "required", "title", "$ref", "a"]), inner)
    ),
    max_leaves=12,
)
HINTS = st.sampled_from([None, True, False])


@given(
    st.lists(
        st.builds(
            Tool,
            name=st.text(min_size=1),
            description=st.text(),
            input_schema=JSON,
            output_schema=JSON,
            annotations=st.builds(Annotations, HINTS, HINTS, HINTS, HINTS),
        ),
        unique_by=lambda each: each.name,
        max_size=4,
    )
)
def test_a_list_just_written_has_no_drift(tmp_path_factory: pytest.TempPathFactory, tools: list[Tool]) -> None:
    path = tmp_path_factory.mktemp("reviewed") / "docs.tools.json"
    path.write_text(reviewed_text(tools), encoding="ascii")
    assert drift_of(tools, reviewed_tools(path, Review())) == Drift()


def test_a_reviewed_list_is_sorted_text_that_a_diff_reads_well() -> None:
    text = reviewed_text([SAVE, LOOK])
    assert text == reviewed_text([LOOK, SAVE])
    assert json.loads(text) == {
        "look": {"annotations": {"readOnlyHint": True}, "description": "Look.", "inputSchema": SCHEMA},
        "save": {
            "annotations": {"destructiveHint": True, "readOnlyHint": False},
            "description": "Save.",
            "inputSchema": {"type": "object"},
        },
    }
    assert text.splitlines()[:4] == ["{", '  "look": {', '    "annotations": {', '      "readOnlyHint": true']


def test_the_deployments_own_classification_is_no_drift(tmp_path: Path) -> None:
    """A list holds what the server says; what the deployment makes of it is the same on both sides."""
    unsaid = replace(LOOK, annotations=Annotations())
    path = tmp_path / "docs.tools.json"
    path.write_text(reviewed_text([unsaid]))
    assert drift_of([LOOK], reviewed_tools(path, Review(read_only=frozenset({"look"})))) == Drift()
    assert drift_of([LOOK], reviewed_tools(path, Review())) == Drift(annotation_changed=1)


WHOLE = 'must be the whole path of a file, like Path(__file__).with_name("docs.tools.json").'
UNREAD = (
    "names a file that cannot be read; leave it out, write the file with "
    "python -m connecta reviewed <connector> --write <file>, and name it again."
)
FOREIGN = "names a file that python -m connecta reviewed did not write; write it again."


@pytest.mark.parametrize(
    ("given", "content", "problem"),
    [
        ("docs.tools.json", None, WHOLE),
        ({"look": "1"}, None, WHOLE),
        (b"/x", None, WHOLE),
        (None, None, UNREAD),
        (None, "", FOREIGN),
        (None, "[]", FOREIGN),
        (None, '{"look": 1}', FOREIGN),
        (None, "[" * 200_000, FOREIGN),
        (None, "\xff", FOREIGN),
    ],
)
def test_a_list_that_is_none_is_refused_naming_the_fix(
    tmp_path: Path, given: Any, content: str | None, problem: str
) -> None:
    path = tmp_path / "docs.tools.json"
    if content is not None:
        path.write_text(content, encoding="latin-1")
    connector = remote_mcp("docs", url="https://docs.example/mcp", reviewed=given or path)
    assert connector.problems() == [f'connector "docs": reviewed= {problem}']


def drifts(caplog: pytest.LogCaptureFixture) -> list[tuple[str, Any]]:
    """The level and the counts of each report, which name the connector and nothing else."""
    reports = [record for record in caplog.records if hasattr(record, "drift")]
    assert {(record.getMessage(), record.__dict__["connector"]) for record in reports} <= {("Catalog listed", "notes")}
    return [(record.levelname, record.__dict__["drift"]) for record in reports]


async def test_each_listing_of_a_reviewed_catalog_reports_its_drift_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    connector = ShelfConnector("notes", reviewed=REVIEWED)
    records, turns, clock, downstream = Records(), Turns(), Clock(), Downstream([LOOK, SAVE])
    catalogs = Catalogs([connector], SharedCatalogs(records, turns, LIMITS), LIMITS, clock)
    await asyncio.gather(*(catalogs.load("notes", lambda: downstream) for _ in range(10)))
    await catalogs.load("notes", lambda: downstream)
    assert drifts(caplog) == [("INFO", NONE)]
    clock.now += LIMITS.catalog_stale_s + 1
    downstream.tools = [LOOK, tool("new")]
    catalog = await catalogs.load("notes", lambda: downstream)
    assert drifts(caplog)[1:] == [("WARNING", {**NONE, "added": 1, "removed": 1})]
    assert catalog.drift == Drift(added=1, removed=1)


async def test_processes_that_refresh_at_once_report_once_and_read_the_same_drift(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The one that has the turn asks and reports; the others have its catalog, and its drift with it."""
    caplog.set_level(logging.INFO)
    connector = ShelfConnector("notes", reviewed=REVIEWED)
    records, turns, clock = Records(), Turns(), Clock()
    downstream = Downstream([LOOK], let_go=asyncio.Event())
    processes = [Catalogs([connector], SharedCatalogs(records, turns, LIMITS), LIMITS, clock) for _ in range(4)]
    loads = [asyncio.create_task(each.load("notes", lambda: downstream)) for each in processes]
    await downstream.arrived.wait()
    await turns.refused.wait()
    assert downstream.let_go is not None
    downstream.let_go.set()
    assert [catalog.drift for catalog in await asyncio.gather(*loads)] == [Drift(removed=1)] * 4
    assert drifts(caplog) == [("WARNING", {**NONE, "removed": 1})]


async def test_a_catalog_nobody_reviews_reports_nothing(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    connector = ShelfConnector("notes", reviewed=None)
    downstream = Downstream([LOOK])
    catalogs = Catalogs([connector], SharedCatalogs(Records(), Turns(), LIMITS), LIMITS, Clock())
    catalog = await catalogs.load("notes", lambda: downstream)
    assert (catalog.drift, drifts(caplog)) == (None, [])


async def test_a_deployment_with_another_list_counts_against_that_one() -> None:
    """A kept catalog outlives the deployment that fetched it; its drift does not."""
    records, clock, downstream = Records(), Clock(), Downstream([LOOK, SAVE])
    for reviewed, drift in ((REVIEWED, Drift()), ({"look": tool("look", annotations=READ)}, Drift(1, 0, 1, 0))):
        connector = ShelfConnector("notes", reviewed=reviewed)
        catalogs = Catalogs([connector], SharedCatalogs(records, Turns(), LIMITS), LIMITS, clock)
        assert (await catalogs.load("notes", lambda: downstream)).drift == drift
    assert downstream.asked == 1
