"""Tools by address, described one by one (S4)."""

import pytest

from connecta.catalog.describe import describe_miss, describe_page, describe_tool
from connecta.catalog.nearest import nearest, nearest_addresses
from connecta.catalog.request import DescribeRequest, describe_request
from connecta.failures import Failure, unknown_tool
from connecta.text import JsonObject
from tests.fixtures.shelf import catalog, tool

SCHEMA: JsonObject = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
READ_NOTE = tool("read_note", "word " * 100, input_schema=SCHEMA)
SHELF = catalog("notes", READ_NOTE, tool("write_note"), tool("list_notes"), tool("archive"))


def test_an_entry_is_a_row_with_schemas_and_key_lists() -> None:
    described = describe_tool(SHELF, READ_NOTE)
    description = described.pop("description")
    assert isinstance(description, str)
    assert (len(description) <= 240, description[-1]) == (True, "…")
    assert described == {
        "address": "notes.read_note",
        "name": "read_note",
        "inputSchema": "{ id: string }",
        "inputKeys": ["id"],
        "requiredInputKeys": ["id"],
        "annotations": {"readOnlyHint": True},
    }


def test_json_gives_the_schema_as_it_is_and_full_the_whole_description() -> None:
    described = describe_tool(SHELF, READ_NOTE, format="json", full=True)
    assert (described["inputSchema"], described["description"]) == (SCHEMA, READ_NOTE.description)


def test_a_schema_json_cannot_hold_is_unknown() -> None:
    broken = tool("broken", input_schema={"minimum": float("nan")})
    assert describe_tool(SHELF, broken, format="json")["inputSchema"] == "unknown"


def test_a_bad_address_fails_alone_with_suggestions_and_a_clamped_echo() -> None:
    """S4: at most 512 bytes of what was asked come back."""
    failure = unknown_tool("notes.raed_note", "notes", nearest_addresses(SHELF, "raed_note"), "function")
    missed = describe_miss("notes." + "é" * 1_000, failure)
    details = missed["errorDetails"]
    assert isinstance(details, dict)
    assert len(str(missed["address"]).encode()) <= 512
    assert (missed["error"], details["code"], details["suggestions"]) == (
        failure.message,
        "unknown_tool",
        ["notes.read_note", "notes.list_notes", "notes.write_note"],
    )


def test_a_page_over_its_bound_fails() -> None:
    """S3."""
    with pytest.raises(Failure) as raised:
        describe_page([{"address": "a.b", "description": "x" * 260_000}])
    assert raised.value.code == "result_too_large"
    assert describe_page([{"address": "a.b"}]) == {"tools": [{"address": "a.b"}]}


def test_one_address_or_a_list_of_them() -> None:
    assert describe_request({"address": "a.b"}) == DescribeRequest(("a.b",))
    assert describe_request({"addresses": ["a.b", "c.d"], "format": "json", "fullDescriptions": True}) == (
        DescribeRequest(("a.b", "c.d"), "json", True)
    )


@pytest.mark.parametrize(
    "arguments",
    [{}, {"addresses": []}, {"addresses": ["a.b"] * 101}, {"addresses": [1]}, {"address": "a.b", "addresses": ["c.d"]}],
)
def test_no_address_too_many_or_both_forms_are_refused(arguments: JsonObject) -> None:
    with pytest.raises(Failure) as raised:
        describe_request(arguments)
    assert raised.value.code == "invalid_args"


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("readNote", ["notes.read_note"]),
        ("note_read", ["notes.read_note"]),
        ("lst_notes", ["notes.list_notes"]),
        ("archvie", ["notes.archive"]),
        ("teleport", []),
        ("", []),
        ("x" * 100_000, []),
    ],
)
def test_the_nearest_names_come_first(wanted: str, expected: list[str]) -> None:
    assert nearest_addresses(SHELF, wanted)[:1] == expected


def test_no_more_names_come_back_than_asked_for_and_ties_are_alphabetical() -> None:
    assert nearest(["item_c", "item_b", "item_a", "other"], "item_x", 2) == ["item_a", "item_b"]
