"""Fetching what a call named: opted in per connector, bounded, and never a trouble of anybody's ("Calls")."""

from dataclasses import replace
from typing import Any

import pytest

from connecta import Connecta, remote_mcp
from connecta.connectors.mcp_ui import content_hash
from connecta.connectors.model import Tool, UiPins
from connecta.connectors.remote_mcp import RemoteMcp
from connecta.deployment import DeploymentError
from connecta.limits import LIMITS
from connecta.text import JsonObject
from tests.fixtures.misbehaving_server import MisbehavingServer

VIEW: JsonObject = {"uri": "ui://a", "text": "<p>"}
PATIENT = replace(LIMITS, ui_read_s=20.0)
BEHAVIOURS = (
    *("slow", "slow in the middle", "reset", "dies in the middle", "50 MB announced", "50 MB unannounced"),
    *("200 not JSON", "200 half JSON", "200 not an object", "401", "404", "429", "500", "redirect 302"),
)


def to(server: MisbehavingServer, **options: Any) -> RemoteMcp:
    server.answers["resources/read"] = {"contents": [VIEW], "resultType": "complete"}
    connector = remote_mcp("docs", url=f"{server.url}/mcp", allow_private=True, pin_ui=True, **options)
    connector.bind(PATIENT)
    return connector


def test_a_connector_fetches_only_when_its_author_says_so() -> None:
    plain, pinning = (remote_mcp("docs", url="https://a.example/mcp", pin_ui=pin) for pin in (False, True))
    assert [isinstance(each.open(), UiPins) for each in (plain, pinning)] == [False, True]


@pytest.mark.parametrize("given", ["yes", 1, None])
def test_an_option_that_is_no_switch_is_refused_at_construction(given: Any) -> None:
    with pytest.raises(DeploymentError, match="pin_ui= must be True or False"):
        Connecta(connectors=[remote_mcp("docs", url="https://a.example/mcp", pin_ui=given)])


async def test_a_view_is_hashed_as_the_downstream_hands_it_out(server: MisbehavingServer) -> None:
    connection = to(server).open()
    assert isinstance(connection, UiPins)
    assert await connection.ui_hash("ui://a") == content_hash(VIEW)
    assert server.requests[-1][2]["mcp-name"] == "ui://a"
    await connection.close()


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
async def test_a_server_that_misbehaves_over_a_view_costs_a_moment_and_answers_the_next_call(
    server: MisbehavingServer, behaviour: str
) -> None:
    """Nothing is raised, whatever the trouble."""
    connector = to(server)
    connection = connector.open()
    assert isinstance(connection, UiPins)
    await connection.call(Tool("look"), {}, 10.0)
    server.behaviour = behaviour
    if behaviour.startswith("slow"):
        connector.bind(replace(LIMITS, ui_read_s=0.2))
    assert await connection.ui_hash("ui://a") is None
    connector.bind(PATIENT)
    server.behaviour = None
    assert (await connection.call(Tool("look"), {}, 10.0)).unwrap() == "well"
    assert await connection.ui_hash("ui://a") == content_hash(VIEW)
    await connection.close()


@pytest.mark.parametrize(
    "result",
    [
        {},
        {"contents": None},
        {"contents": []},
        {"contents": [{**VIEW, "uri": "ui://b"}]},
        {"contents": [{"uri": "ui://a"}]},
        {"contents": VIEW},
        {"resultType": "input_required", "inputRequests": {}},
        {"error": {"code": -32601, "message": "Method not found"}},
    ],
    ids=str,
)
async def test_an_answer_that_is_not_the_view_pins_nothing(server: MisbehavingServer, result: JsonObject) -> None:
    connector = to(server)
    server.answers["resources/read"] = result
    connection = connector.open()
    assert isinstance(connection, UiPins)
    assert await connection.ui_hash("ui://a") is None
    await connection.close()
