"""What a refusal says: no more than 4 KB, whatever a downstream calls its tools, and only what its reader can do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pytest

from connecta import failures
from connecta.calls.activity import Source
from connecta.calls.call import CallFailed, CallRequest, call, downstream_failure
from connecta.connectors.model import Connection, Tool, ToolResult
from connecta.failures import Failure
from connecta.limits import LIMITS
from connecta.text import Json, compact, size
from tests.fixtures.desk import Desk
from tests.fixtures.scopes import bench
from tests.fixtures.shelf import READ, Downstream, ShelfConnector

LONG = "n" * 5_000
MOST = 4_096


def bytes_of(failure: Failure) -> int:
    return size(compact(failure.envelope()))


@dataclass(frozen=True)
class LongNames(ShelfConnector):
    """Its one tool is never there in time."""

    id: str = "long"
    cacheable_catalog: bool = False

    def open(self, values: object = None, authorizations: object = None) -> Connection:
        return Late((Tool(LONG, annotations=READ),))


class Late(Downstream):
    async def call(self, tool: Tool, args: Mapping[str, Json], deadline_s: float) -> ToolResult:
        raise TimeoutError


def test_suggestions_too_long_to_be_meant_are_left_out() -> None:
    near = [f"desk.{LONG}", f"desk.{LONG}s", "desk.note", "desk.notes"]
    failure = failures.unknown_tool("desk.nnote", "desk", near, "tool")
    assert failure.details["suggestions"] == ["desk.note", "desk.notes"]
    assert bytes_of(failure) <= MOST
    assert "suggestions" not in failures.unknown_tool("desk.nnote", "desk", near[:2], "tool").details


@pytest.mark.parametrize(
    ("addresses", "shown"),
    [
        (["odd.a-b", "odd.a_b"], 2),
        ([f"odd.a{n:03}" for n in range(500)], LIMITS.alternatives),
        ([f"odd.{'é' * 100}{n}" for n in range(500)], 4),
        ([f"odd.{'é' * 150}{n}" for n in range(500)], 0),
        ([f"odd.{LONG}{n}" for n in range(500)], 0),
    ],
)
def test_of_very_many_tools_that_share_a_shortcut_some_are_named_and_the_others_counted(
    addresses: Sequence[str], shown: int
) -> None:
    """A3."""
    failure = failures.ambiguous_alias("odd.a_b", addresses)
    assert failure.details["addresses"] == addresses[:shown]
    assert (f" {len(addresses) - shown} other tools" in failure.message) is (shown < len(addresses))
    assert bytes_of(failure) <= MOST


@pytest.mark.parametrize("connectors", [["doc", "docs"], ["docs", "doc"]])
def test_an_address_without_a_dot_is_of_the_connector_with_the_longest_name(connectors: Sequence[str]) -> None:
    assert failures.unknown_address("docs", connectors, "tool").message.startswith('"docs" is a connector')
    assert "Did you mean docs.find?" in failures.unknown_address("docs_find", connectors, "tool").message


@pytest.mark.parametrize(
    ("source", "said"),
    [("execute_code", "Ask for less."), ("call_tool", "Ask for less, or raise timeoutMs (at most 25,000).")],
)
async def test_a_call_that_took_too_long_is_told_only_what_whoever_made_it_can_do(source: Source, said: str) -> None:
    async with bench([Desk().connector]).scope() as scope:
        with pytest.raises(CallFailed) as failed:
            await call(CallRequest("desk.slow", {}, source, timeout_s=0.05), scope)
    assert failed.value.failure.message.endswith(f" ms. {said}")


async def test_a_tool_with_an_endless_name_fails_and_is_recorded_in_bounded_words() -> None:
    place = bench([LongNames()])
    async with place.scope() as scope:
        with pytest.raises(CallFailed) as failed:
            await call(CallRequest(f"long.{LONG}", {}, "call_tool"), scope)
    assert failed.value.failure.code == "timeout"
    assert bytes_of(failed.value.failure) <= MOST
    assert [size(event.tool) for event in place.events] == [LIMITS.address_bytes]
    assert bytes_of(downstream_failure(f"long.{LONG}", ToolResult([]))) <= MOST
