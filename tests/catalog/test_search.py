"""One page of a search: its rows, its bounds and what it says of itself (S1 - S3)."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from connecta.catalog.request import search_request
from connecta.catalog.search import SearchRequest, search
from connecta.connectors.model import Annotations
from connecta.failures import Failure, unavailable
from connecta.limits import LIMITS
from connecta.text import Json, JsonObject
from tests.fixtures.shelf import WRITE, ShelfConnector, catalog, tool

NOTES = ShelfConnector(
    "notes", title="Team Notes", guide="# How", guide_summary="Read before writing.", guide_required=False
)
QUERY_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"limit": {"type": "integer", "maximum": 50}, "query": {"type": "string"}},
    "required": ["query"],
}
SHELVES = (
    catalog(
        NOTES,
        tool("search_notes", "Search all notes", input_schema=QUERY_SCHEMA, output_schema={"type": "array"}),
        tool("delete_note", "Delete a note", annotations=WRITE),
        tool("add_note", "Add a note", annotations=Annotations()),
    ),
    catalog("clock", tool("get_time", "The current time", annotations=Annotations(read_only=True, idempotent=True))),
)
CONNECTORS = [shelf.connector for shelf in SHELVES]


def page(request: SearchRequest, failed: Mapping[str, Failure] | None = None) -> JsonObject:
    return search([s for s in SHELVES if s.connector.id not in (failed or {})], failed or {}, request, CONNECTORS)


def addresses(found: JsonObject) -> list[Json]:
    rows = found["tools"]
    assert isinstance(rows, list)
    return [row["address"] for row in rows if isinstance(row, dict)]


def analysis(found: JsonObject) -> JsonObject:
    said = found["queryAnalysis"]
    assert isinstance(said, dict)
    return said


def test_a_complete_page_says_nothing_but_its_rows() -> None:
    """S1, S2: with schemas come the key lists of the same walk."""
    assert page(SearchRequest("search notes", include_schemas="compact")) == {
        "tools": [
            {
                "address": "notes.search_notes",
                "name": "search_notes",
                "description": "Search all notes",
                "inputSchema": "{ query: string, limit?: integer /* ..50 */ }",
                "outputSchema": "unknown[]",
                "inputKeys": ["query", "limit"],
                "requiredInputKeys": ["query"],
                "annotations": {"readOnlyHint": True},
                "guide": "connector:notes",
                "guideSummary": "Read before writing.",
            },
        ],
        "total": 1,
        "offset": 0,
        "limit": 8,
        "hasMore": False,
    }


def test_a_row_has_only_what_was_asked_for() -> None:
    """S1: json schemas come as they are; key lists can come alone."""
    asked = SearchRequest("get_time", include_schema_keys=True)
    (bare,) = rows(page(asked))
    assert bare == {
        "address": "clock.get_time",
        "name": "get_time",
        "description": "The current time",
        "annotations": {"readOnlyHint": True, "idempotentHint": True},
    }
    (whole,) = rows(page(SearchRequest("search notes", include_schemas="json")))
    assert whole["inputSchema"] == QUERY_SCHEMA


def rows(found: JsonObject) -> list[JsonObject]:
    listed = found["tools"]
    assert isinstance(listed, list)
    return [row for row in listed if isinstance(row, dict)]


def test_a_blank_query_browses_in_registry_order_then_by_name() -> None:
    found = page(SearchRequest("  ", limit=3))
    assert addresses(found) == ["notes.add_note", "notes.delete_note", "notes.search_notes"]
    assert (found["total"], found["hasMore"], found["nextOffset"], "queryAnalysis" in found) == (4, True, 3, False)
    assert addresses(page(SearchRequest(offset=3))) == ["clock.get_time"]


@pytest.mark.parametrize(
    ("safety", "expected"),
    [
        ("readOnly", ["notes.search_notes", "clock.get_time"]),
        ("approvalRequired", ["notes.add_note", "notes.delete_note"]),
        ("all", ["notes.add_note", "notes.delete_note", "notes.search_notes", "clock.get_time"]),
    ],
)
def test_the_safety_filter_splits_what_a_program_may_call_from_the_rest(safety: str, expected: list[str]) -> None:
    """S1a: unannotated is not read-only."""
    assert addresses(page(search_request({"safety": safety}))) == expected


def test_descriptions_are_cut_unless_asked_for_whole() -> None:
    shelf = catalog("a", tool("t", "word " * 100))
    cut, whole = (
        rows(search([shelf], {}, SearchRequest(full_descriptions=full), [shelf.connector]))[0]["description"]
        for full in (False, True)
    )
    assert isinstance(cut, str)
    assert (len(cut) <= 160, cut[-1], whole) == (True, "…", "word " * 100)


def test_a_required_guide_and_a_cut_schema_are_reasons_to_read_it() -> None:
    wide: Json = {"type": "object", "properties": {f"field_number_{n}": {"type": "string"} for n in range(99)}}
    shelf = catalog(replace(NOTES, guide_required=True), tool("wide", input_schema=wide, annotations=WRITE))
    (row,) = rows(search([shelf], {}, SearchRequest(include_schemas="compact"), [shelf.connector]))
    assert row["guideRequiredReasons"] == ["connector_required", "approval_required", "schema_truncated"]
    assert (row["inputSchemaTruncated"], "inputKeys" in row) == (True, False)


def test_a_partial_page_says_which_terms_were_found_where() -> None:
    found = page(SearchRequest("delete that note tomorrow", limit=1))
    assert found["matchMode"] == "partial"
    assert analysis(found) == {
        "representedTerms": ["delete", "note"],
        "unmatchedTerms": ["tomorrow"],
        "guidance": "No tool matches every term; use fewer or other words.",
    }


def test_no_such_capability_is_said_only_when_every_catalog_answered() -> None:
    nothing = page(SearchRequest("teleport"))
    assert (nothing["tools"], nothing["total"]) == ([], 0)
    assert str(analysis(nothing)["guidance"]).startswith("No such capability in any connector")
    assert analysis(page(SearchRequest("teleport"), {"clock": unavailable("down")})) == {
        "unmatchedTerms": ["teleport"],
        "unavailableConnectorCount": 1,
        "guidance": "1 catalog did not answer; what is missing here may still exist. Search again later.",
    }


def test_a_scoped_search_whose_catalog_failed_carries_the_failure() -> None:
    down = unavailable("The clock is down.")
    said = analysis(page(SearchRequest(connector="clock"), {"clock": down}))
    assert (said["connectorScope"], said["catalogError"]) == ("clock", down.envelope())


def test_an_unknown_connector_is_named_with_those_there_are() -> None:
    said = analysis(page(SearchRequest(connector="x" * 600)))
    assert str(said["unknownConnector"]).endswith("…")
    assert said["guidance"] == "No connector has that id. The connectors are: notes, clock."


@pytest.mark.parametrize("query", ["notes", "team notes"])
def test_a_query_that_is_a_connectors_name_points_at_browsing_it(query: str) -> None:
    assert 'browse it with { connector: "notes" }' in str(analysis(page(SearchRequest(query)))["guidance"])


def test_matches_hidden_by_the_filter_and_pages_past_the_end_are_explained() -> None:
    hidden = page(SearchRequest("delete note", safety="readOnly", connector="notes", limit=1, offset=0))
    past = page(SearchRequest("get_time", offset=5))
    assert addresses(past) == []
    assert "past the last of 1 tools" in str(analysis(past)["guidance"])
    assert addresses(hidden) == []
    assert 'search with "all"' in str(analysis(hidden)["guidance"])


def test_the_analysis_is_bounded() -> None:
    said = analysis(page(SearchRequest(" ".join(f"{chr(97 + n)}{'q' * 90}" for n in range(12)))))
    terms = said["unmatchedTerms"]
    assert isinstance(terms, list)
    assert [len(str(term)) for term in terms] == [64] * 8


def test_a_page_over_its_bound_fails_and_says_how_to_ask_for_less() -> None:
    """S3."""
    shelf = catalog("a", *(tool(f"t{n}", "x" * 5_000) for n in range(100)))
    with pytest.raises(Failure) as raised:
        search([shelf], {}, SearchRequest(limit=100, full_descriptions=True), [shelf.connector])
    assert (raised.value.code, raised.value.retryable) == ("result_too_large", False)
    assert "smaller limit" in raised.value.message


@pytest.mark.parametrize(
    "arguments",
    [
        {"limit": 0},
        {"limit": 101},
        {"limit": True},
        {"limit": 1.5},
        {"limit": "8"},
        {"offset": -1},
        {"query": 5},
        {"query": "x" * (LIMITS.query_chars + 1)},
        {"safety": "none"},
        {"includeSchemas": "yaml"},
        {"fullDescriptions": 1},
        {"qurey": "x"},
    ],
)
def test_a_wrong_option_is_refused(arguments: JsonObject) -> None:
    """S3: bounds throw, they never shrink silently."""
    with pytest.raises(Failure) as raised:
        search_request(arguments)
    assert raised.value.code == "invalid_args"


def test_every_option_is_read() -> None:
    assert search_request(
        {
            "query": "q",
            "connector": "c",
            "safety": "readOnly",
            "limit": 5.0,
            "offset": 2,
            "fullDescriptions": True,
            "includeSchemas": "json",
            "includeSchemaKeys": True,
        }
    ) == SearchRequest("q", "c", "readOnly", 5, 2, True, "json", True)


def test_a_catalog_asked_for_again_keeps_the_index_of_the_same_tools() -> None:
    before = catalog("a", tool("find"))
    later = before.asked_again(5.0)
    assert (later.tools, later.fetched_at, before.fetched_at) == (before.tools, 5.0, 0.0)
    first = before.index
    assert before.asked_again(9.0).index is first
