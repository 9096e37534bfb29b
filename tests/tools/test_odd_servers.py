"""One odd tool, or one odd server, never costs the others (the traps of `mcp.md`): real processes."""

from typing import Any

import pytest

from tests.fixtures.odd_fleet import OddFleet
from tests.fixtures.odd_mcp_tools import ABSURD, ANSWERS, ODD

NAMES = {*ODD, *ABSURD, *ANSWERS, "twice", "sized", "nested"}
KINDS = ["odd", "streams", "oldest", "older", "old"]


def listed(fleet: OddFleet, connector: str, **asked: Any) -> dict[str, dict[str, Any]]:
    """Every tool of a connector, by name, of all the pages there are."""
    found: dict[str, dict[str, Any]] = {}
    offset = 0
    while True:
        asked_for = {"connector": connector, "limit": 100, "offset": offset, **asked}
        page = fleet.tool("search_tools", asked_for)["structuredContent"]
        tools = [tool for group in page["connectors"] for tool in group["tools"]]
        found |= {tool["name"]: tool for tool in tools}
        if not page["hasMore"]:
            assert len(found) == page["total"], page
            return found
        offset = page["nextOffset"]


@pytest.mark.parametrize("connector", KINDS)
def test_every_tool_that_has_a_name_is_listed_whatever_else_is_odd_about_it(
    odd_fleet: OddFleet, connector: str
) -> None:
    """What has none cannot be called; the protocol and its revision make no difference."""
    assert set(listed(odd_fleet, connector)) == NAMES


def test_the_listing_shows_descriptions_and_schemas_within_their_bounds(odd_fleet: OddFleet) -> None:
    tools = listed(odd_fleet, "odd", includeSchemas="compact")
    assert len(tools["huge_description"]["description"]) <= 161
    assert [tools[name].get("description", "") for name in ("null_description", "number_description")] == ["", ""]
    rendered = {name: tools[name]["inputSchema"] for name in ODD if name.endswith("_schema")}
    assert {name for name, schema in rendered.items() if schema != "unknown"} <= {"no_schema", "array_schema"}
    assert all(len(str(tool["inputSchema"]).encode()) <= 1_024 for tool in tools.values())


def test_every_odd_tool_that_says_it_only_reads_can_be_called_at_the_address_a_search_printed(
    odd_fleet: OddFleet,
) -> None:
    """A1, from a program and directly; a schema that does not compile lets everything through (E8)."""
    tools = listed(odd_fleet, "odd", safety="readOnly")
    assert set(tools) == NAMES - {*ABSURD, "twice"}
    for name in ODD:
        address = tools[name]["address"]
        assert address == f"odd.{name}"
        result = odd_fleet.tool("call_tool", {"address": address, "args": {}})
        assert result == {"content": [{"type": "text", "text": "called"}], "isError": False}, name
    names = [name for name in ODD if name.isascii() and name.isidentifier()]
    program = (
        f"async () => {{ const found = []; for (const n of {names}) found.push(await odd[n]({{}})); return found; }}"
    )
    assert odd_fleet.tool("execute_code", {"code": program})["structuredContent"]["result"] == ["called"] * len(names)


@pytest.mark.parametrize("name", [*ABSURD, "twice"])
def test_what_does_not_plainly_say_that_it_only_reads_is_a_write(odd_fleet: OddFleet, name: str) -> None:
    """Fail-closed, and of two tools of one name the one that may do more counts."""
    refused = odd_fleet.tool("call_tool", {"address": f"odd.{name}"})["structuredContent"]["error"]
    assert refused["code"] == "destructive_tool_requires_approval"
    assert odd_fleet.tool("call_destructive_tool", {"address": f"odd.{name}"})["isError"] is False


def test_a_server_that_lists_for_ever_is_one_failure_and_the_others_are_searched(odd_fleet: OddFleet) -> None:
    alone = odd_fleet.tool("call_tool", {"address": "loops.no_schema"})["structuredContent"]["error"]
    assert (alone["code"], alone["retryable"]) == ("catalog_lookup_failed", False)
    assert "50 pages" in alone["message"]
    page = odd_fleet.tool("search_tools", {"query": "null description"})["structuredContent"]
    assert page["total"] >= len(KINDS)
    # The server of a revision that never was is the other one.
    assert page.get("queryAnalysis", {}).get("unavailableConnectorCount", 2) == 2


def test_a_revision_nobody_knows_is_a_typed_failure(odd_fleet: OddFleet) -> None:
    error = odd_fleet.tool("call_tool", {"address": "ancient.whole"})["structuredContent"]["error"]
    assert error == {
        "code": "catalog_lookup_failed",
        "message": 'The tools of "ancient" could not be listed: "ancient" answered with something that is not MCP.',
        "retryable": False,
    }


def test_a_session_the_server_has_forgotten_is_retryable_and_the_next_call_opens_another(odd_fleet: OddFleet) -> None:
    """404 on a session id; every session is ended by DELETE, and one that is gone does not mind."""
    odd_fleet.tool("call_tool", {"address": "expires.no_schema"})
    odd_fleet.forget()
    program = (
        "async () => { const told = []; for (let n = 0; n < 3; n++) "
        "told.push(await expires.no_schema({}).catch((e) => [e.code, e.retryable])); return told; }"
    )
    told = odd_fleet.tool("execute_code", {"code": program})["structuredContent"]["result"]
    assert told == ["called", ["unavailable", True], "called"]
    assert [len(odd_fleet.asked(method)) for method in ("initialize", "tools/call", "DELETE")] == [2, 3, 2]
    odd_fleet.tool("call_tool", {"address": "expires.no_schema"})
    assert odd_fleet.asked("tools/list") == []
