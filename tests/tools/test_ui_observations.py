"""``ui://`` resources that real calls name: noted in activity with their pin, carried and never rendered ("Calls", V2).

The downstream, the endpoint and the table are processes of their own.
"""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from connecta.state.activity import Entry, Observation
from connecta.text import JsonObject
from tests.fixtures.dynamodb import TABLE
from tests.fixtures.odd_fleet import NAME, OddFleet
from tests.fixtures.odd_mcp_tools import ANSWERS, PAGE

ROOT = Path(__file__).parents[2]
HASH = f"sha256:{hashlib.sha256(PAGE.encode()).hexdigest()}"
LINKED = "ui://odd/linked"
EMBEDDED = (
    Observation("ui://odd/embedded", "embedded", HASH),
    Observation("ui://odd/embedded-blob", "embedded", HASH),
)


def called(fleet: OddFleet, address: str) -> Entry:
    """The one event of a call, made directly."""
    fleet.tool("call_tool", {"address": address})
    return recorded(fleet, address)


def run(fleet: OddFleet, address: str) -> Entry:
    """The one event of a call, made by a program."""
    fleet.tool("execute_code", {"code": f"async () => connecta.call({json.dumps(address)}).catch(() => 0)"})
    return recorded(fleet, address)


def recorded(fleet: OddFleet, address: str) -> Entry:
    newest, *before = fleet.newest(2)
    assert newest.address == address
    assert all(entry.request_id != newest.request_id for entry in before)
    return newest


@pytest.mark.parametrize("make", [called, run])
@pytest.mark.parametrize(
    ("address", "observed"),
    [
        ("odd.links_view", (Observation(LINKED, "not-requested"),)),
        ("pinned.links_view", (Observation(LINKED, "resolved", HASH),)),
        ("pinned-old.links_view", (Observation(LINKED, "resolved", HASH),)),
        ("odd.fails_with_view", (Observation(LINKED, "not-requested"),)),
        ("odd.embeds_view", EMBEDDED),
        ("pinned.embeds_view", EMBEDDED),
        (
            "odd.names_views",
            tuple(Observation(f"ui://odd/{name}", "not-requested") for name in ("none", "blob", "neither")),
        ),
        (
            "pinned.names_views",
            (
                Observation("ui://odd/none", "unresolvable"),
                Observation("ui://odd/blob", "resolved", HASH),
                Observation("ui://odd/neither", "unresolvable"),
            ),
        ),
        ("odd.odd_ui", ()),
        ("odd.no_schema", ()),
    ],
)
def test_what_a_call_names_is_noted_with_its_pin_wherever_the_call_comes_from(
    odd_fleet: OddFleet, make: object, address: str, observed: tuple[Observation, ...]
) -> None:
    """Embedded, fetched as text or as base64: one content has one hash."""
    assert callable(make)
    entry = make(odd_fleet, address)
    assert isinstance(entry, Entry)
    failed = address.endswith("fails_with_view")
    assert (entry.outcome, entry.attempts, entry.observed) == ("error" if failed else "success", 1, observed)


def test_a_resource_that_cannot_be_had_is_recorded_clamped_and_fails_nothing(odd_fleet: OddFleet) -> None:
    """Larger than a downstream may answer, no base64, and no URI at all."""
    odd_fleet.forget()
    result = odd_fleet.tool("call_tool", {"address": "pinned.bad_views"})
    [entry] = odd_fleet.newest()

    assert result["isError"] is False
    assert result["content"] == ANSWERS["bad_views"]["content"]
    huge, garbage, long = entry.observed
    assert (huge, garbage) == (
        Observation("ui://odd/huge", "unresolvable"),
        Observation("ui://odd/no-base64", "unresolvable"),
    )
    assert (long.pin, long.content_hash, len(long.resource_uri.encode())) == ("unresolvable", None, 256)
    assert long.resource_uri.startswith("ui://é\ufffdxxx")
    assert odd_fleet.asked("resources/read") == [
        ["/modern/mcp", "ui://odd/huge"],
        ["/modern/mcp", "ui://odd/no-base64"],
    ]


def test_a_resource_is_fetched_once_for_all_processes_and_only_where_that_was_asked_for(odd_fleet: OddFleet) -> None:
    called(odd_fleet, "pinned.links_view")
    called(odd_fleet, "pinned.names_views")
    odd_fleet.forget()
    batch = "async () => connecta.batch(Array.from({ length: 9 }, () => ({ address: 'pinned.links_view' })))"
    odd_fleet.tool("execute_code", {"code": batch}, url=odd_fleet.second)
    nine = odd_fleet.newest(9)
    odd_fleet.tool("call_tool", {"address": "pinned.names_views"}, url=odd_fleet.second)
    odd_fleet.tool("call_tool", {"address": "odd.links_view"})

    assert {entry.observed for entry in nine} == {(Observation(LINKED, "resolved", HASH),)}
    assert len(odd_fleet.asked("tools/call")) == 11
    assert odd_fleet.asked("resources/read") == []


def test_parallel_calls_of_one_program_fetch_a_new_resource_once(odd_fleet: OddFleet) -> None:
    """In a deployment that has not pinned it yet."""
    odd_fleet.forget()
    batch = "async () => connecta.batch(Array.from({ length: 9 }, () => ({ address: 'pinned.links_view' })))"
    odd_fleet.tool("execute_code", {"code": batch}, url=odd_fleet.elsewhere)
    assert odd_fleet.asked("resources/read") == [["/modern/mcp", LINKED]]


def test_the_answer_carries_the_view_as_it_came_and_names_no_observation(odd_fleet: OddFleet) -> None:
    plain, pinned = (odd_fleet.tool("call_tool", {"address": f"{id}.embeds_view"}) for id in ("odd", "pinned"))
    assert plain == pinned == {"content": ANSWERS["embeds_view"]["content"], "isError": False}


def test_the_command_lists_what_was_observed(odd_fleet: OddFleet) -> None:
    entry = called(odd_fleet, "pinned.links_view")
    environ = {
        "AWS_ENDPOINT_URL_DYNAMODB": odd_fleet.table,
        "AWS_ACCESS_KEY_ID": "person",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "us-east-1",
        "ODD_URL": odd_fleet.server,
        "ODD_NAME": NAME,
        "PYTHONPATH": str(ROOT / "src"),
    }
    asked = ["--table", TABLE, "--deployment", "tests.fixtures.odd_deployment:deployment", "--limit", "1"]

    def listed(*more: str) -> str:
        command = [sys.executable, "-m", "connecta", "activity", *asked, *more]
        return subprocess.run(
            command, cwd=ROOT, env={**os.environ, **environ}, capture_output=True, text=True, timeout=60, check=True
        ).stdout

    told: JsonObject = json.loads(listed("--json"))
    assert told["requestId"] == entry.request_id
    assert told["observations"] == [
        {"toolName": "links_view", "resourceUri": LINKED, "contentHash": HASH, "pin": "resolved"}
    ]
    assert listed().splitlines()[1].endswith(f"resolved {LINKED}")
