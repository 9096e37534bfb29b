"""What is noted of ``ui://`` resources never costs a call its answer or its record ("Calls", V1, V2)."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest

from connecta.calls.activity import CallEvent
from connecta.calls.call import CallRequest, call
from connecta.connectors.mcp_ui import content_hash, contents_of, ui_resources
from connecta.connectors.model import Tool, ToolResult
from connecta.limits import LIMITS
from connecta.state.activity import Observation
from connecta.text import Json, JsonObject
from tests.fixtures.scopes import bench
from tests.fixtures.shelf import READ, Downstream, ShelfConnector

SHOWN: JsonObject = {"ui": {"resourceUri": "ui://a"}}
EMBEDDED: JsonObject = {"type": "resource", "resource": {"uri": "ui://b", "text": ""}}
EMPTY = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@dataclass
class NeverHandsOut(Downstream):
    """It answers calls, and never with what they named."""

    tools: Sequence[Tool] = (Tool("show", annotations=READ, meta=SHOWN),)
    asked_for: list[str] = field(default_factory=list[str])
    waiting: asyncio.Event = field(default_factory=asyncio.Event)

    async def call(self, tool: Tool, args: Mapping[str, Json], deadline_s: float) -> ToolResult:
        return ToolResult([EMBEDDED])

    async def ui_hash(self, uri: str) -> str | None:
        self.asked_for.append(uri)
        self.waiting.set()
        await asyncio.Event().wait()
        return "never"


@dataclass(frozen=True)
class Stage(ShelfConnector):
    cacheable_catalog: bool = False
    connection: NeverHandsOut = field(default_factory=NeverHandsOut)

    def open(self, values: object = None, authorizations: object = None) -> NeverHandsOut:
        return self.connection


def masked(events: list[CallEvent]) -> list[CallEvent]:
    return [replace(event, at=0.0, duration_ms=0) for event in events]


NOTED = CallEvent(
    0.0,
    "stage",
    "show",
    "call_tool",
    "success",
    0,
    1,
    observed=(Observation("ui://a", "unresolvable"), Observation("ui://b", "embedded", EMPTY)),
)


async def test_a_resource_that_is_not_handed_out_in_time_costs_the_call_only_that_time() -> None:
    """It is no part of the duration either."""
    stage = Stage("stage")
    place = bench([stage], limits=replace(LIMITS, ui_pin_s=2.0))
    async with place.scope() as scope:
        outcome = await call(CallRequest("stage.show", {}, "call_tool"), scope)
    assert outcome.result == ToolResult([EMBEDDED])
    assert stage.connection.asked_for == ["ui://a"]
    assert masked(place.events) == [NOTED]
    assert [event.duration_ms < 2_000 for event in place.events] == [True]


async def test_a_call_whose_run_ends_while_its_view_is_fetched_is_recorded_as_the_success_it_was() -> None:
    stage = Stage("stage")
    place = bench([stage])
    async with place.scope() as scope:
        calling = asyncio.create_task(call(CallRequest("stage.show", {}, "call_tool"), scope))
        await stage.connection.waiting.wait()
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
    assert masked(place.events) == [NOTED]


@pytest.mark.parametrize(
    ("contents", "expected"),
    [
        ({"text": ""}, EMPTY),
        ({"blob": ""}, EMPTY),
        ({"text": "é"}, content_hash({"blob": "w6k="})),
        ({"text": "\ud800"}, content_hash({"blob": "7aCA"})),
        ({"text": 7}, None),
        ({"blob": "w6k"}, None),
        ({"blob": "é"}, None),
        ({}, None),
        (None, None),
    ],
)
def test_one_content_has_one_hash_as_text_and_as_base64(contents: JsonObject | None, expected: str | None) -> None:
    assert content_hash(contents) == expected


@pytest.mark.parametrize(
    ("meta", "result", "named"),
    [
        (SHOWN, ToolResult(), {"ui://a": None}),
        ({"ui/resourceUri": "ui://flat"}, ToolResult(), {"ui://flat": None}),
        ({**SHOWN, "ui/resourceUri": "ui://flat"}, ToolResult(), {"ui://a": None}),
        ({"ui": {"resourceUri": "https://a.example"}}, ToolResult(meta={"ui": "ui://a"}), {}),
        (SHOWN, ToolResult(meta={"ui": {"resourceUri": "ui://c"}}), {"ui://a": None, "ui://c": None}),
        (SHOWN, ToolResult([EMBEDDED]), {"ui://a": None, "ui://b": EMPTY}),
        (None, ToolResult([{"type": "resource_link", "uri": "ui://b"}, EMBEDDED]), {"ui://b": EMPTY}),
        (None, ToolResult([EMBEDDED, {"type": "resource_link", "uri": "ui://b"}]), {"ui://b": EMPTY}),
        (None, ToolResult([{"type": "text", "text": "ui://b", "uri": "ui://b"}]), {}),
        (
            None,
            ToolResult([{"type": "resource"}, {"type": "resource", "resource": "ui://b"}, {"type": "resource_link"}]),
            {},
        ),
        (
            None,
            ToolResult([{"type": "resource_link", "uri": f"ui://{n}"} for n in range(9)]),
            {"ui://0": None, "ui://1": None},
        ),
    ],
)
def test_tools_and_results_name_resources_in_these_ways(
    meta: JsonObject | None, result: ToolResult, named: dict[str, str | None]
) -> None:
    assert ui_resources(Tool("show", meta=meta), result, 2) == named


@pytest.mark.parametrize("contents", [None, "text", [], [7], [{"uri": "ui://b", "text": ""}], [{"text": ""}]])
def test_what_another_uri_holds_is_not_the_resource(contents: Json) -> None:
    assert contents_of("ui://a", contents) is None


def test_the_resource_is_found_among_others() -> None:
    wanted: JsonObject = {"uri": "ui://a", "text": "1"}
    assert contents_of("ui://a", [{"uri": "ui://b"}, wanted, {"uri": "ui://a", "text": "2"}]) == wanted
