"""Downstreams that are down, slow, wrong or dying: a typed failure in time, and the next call works (E2)."""

import time

import pytest

from connecta import Context, api, remote_mcp
from connecta.connectors.model import Connection, Tool
from connecta.failures import Failure
from connecta.text import Json, JsonObject
from tests.fixtures.misbehaving_server import MisbehavingServer, misbehaving_server

DEADLINE_S = 0.5
BOUND_S = 8.0
"""What a failing call may take at most on a loaded machine, which is less than the deadline of most calls here."""


async def api_connection(server: MisbehavingServer) -> tuple[Connection, Tool]:
    connector = api("things", base_url=server.url, allow_private=True)

    @connector.tool(read_only=True)
    async def look(ctx: Context) -> object:
        """Look at the thing."""
        return await ctx.http.get("/thing")

    connection = connector.open()
    return connection, (await connection.list_tools())[0]


async def mcp_connection(server: MisbehavingServer) -> tuple[Connection, Tool]:
    return remote_mcp("things", url=f"{server.url}/mcp", allow_private=True).open(), Tool("look")


OPENERS = {"api": api_connection, "mcp": mcp_connection}


def unavailable(message: str) -> JsonObject:
    return {"code": "unavailable", "message": f'"things" {message}', "retryable": True}


def failed(message: str) -> JsonObject:
    return {"code": "connector_call_failed", "message": f'"things" {message}', "retryable": False}


def limited(after_ms: int) -> JsonObject:
    message = '"things" wants fewer calls (HTTP 429).'
    return {"code": "rate_limited", "message": message, "retryable": True, "retryAfterMs": after_ms}


UNAUTHORIZED: JsonObject = {
    "code": "auth_required",
    "message": '"things" asks for a credential and the deployment gives it none: its owner adds auth= to it.',
    "retryable": False,
    "connector": "things",
    "operation": "things.look",
    "recovery": "unavailable",
    "nextAction": {
        "tool": "authorize_connector",
        "arguments": {"connector": "things"},
        "operatorHandoff": "Hand the URL it returns to the operator.",
    },
    "retry": "Call things.look again once that is done.",
}
TOO_LARGE: JsonObject = {
    "code": "result_too_large",
    "message": '"things" answered with more than 8,388,608 bytes, which is the most read from a downstream. '
    "Ask it for less.",
    "retryable": False,
}
BROKE_OFF = unavailable("broke off in the middle of its answer.")
COMPRESSED = failed("answered with a compressed body nobody asked for.")

SAME_FOR_BOTH: dict[str, JsonObject] = {
    "401": UNAUTHORIZED,
    "403": UNAUTHORIZED,
    "429": limited(7000),
    "500": unavailable("failed on its side (HTTP 500)."),
    "503": unavailable("failed on its side (HTTP 503)."),
    "400": failed("refused the request (HTTP 400)."),
    "404": {"code": "not_found", "message": '"things" has nothing there (HTTP 404).', "retryable": False},
    "409": failed("refused the request (HTTP 409)."),
    "422": failed("refused the request (HTTP 422)."),
    "redirect 302": failed("redirects elsewhere (HTTP 302), which is not followed."),
    "redirect 307": failed("redirects elsewhere (HTTP 307), which is not followed."),
    "reset": BROKE_OFF,
    "dies in the middle": BROKE_OFF,
    "50 MB announced": TOO_LARGE,
    "50 MB unannounced": TOO_LARGE,
    "compressed": COMPRESSED,
}
API_ONLY: dict[str, JsonObject] = {
    "200 not JSON": failed("answered with something that is not JSON."),
    "200 half JSON": failed("answered with something that is not JSON."),
}
MCP_ONLY: dict[str, JsonObject] = {
    "200 not JSON": failed("answered with something that is not MCP."),
    "200 half JSON": failed("answered with something that is not MCP."),
    "200 not an object": failed("answered with something that is not MCP."),
    "events die in the middle": BROKE_OFF,
    "50 MB of events": TOO_LARGE,
}
CASES = [
    *(("api", behaviour, envelope) for behaviour, envelope in {**SAME_FOR_BOTH, **API_ONLY}.items()),
    *(("mcp", behaviour, envelope) for behaviour, envelope in {**SAME_FOR_BOTH, **MCP_ONLY}.items()),
]


async def failure_of(connection: Connection, tool: Tool, deadline_s: float) -> JsonObject:
    with pytest.raises(Failure) as caught:
        await connection.call(tool, {}, deadline_s)
    return caught.value.envelope()


async def answer_of(connection: Connection, tool: Tool) -> Json:
    return (await connection.call(tool, {}, 10.0)).unwrap()


WELL: dict[str, Json] = {"api": {"well": True}, "mcp": "well"}


@pytest.mark.parametrize(("kind", "behaviour", "envelope"), CASES)
async def test_a_misbehaving_downstream_is_a_typed_failure_and_the_next_call_works(
    server: MisbehavingServer, kind: str, behaviour: str, envelope: JsonObject
) -> None:
    """E2: from the very first request of a connection."""
    connection, tool = await OPENERS[kind](server)
    server.behaviour = behaviour
    began = time.monotonic()
    assert await failure_of(connection, tool, 10.0) == envelope
    assert time.monotonic() - began < BOUND_S
    server.behaviour = None
    assert await answer_of(connection, tool) == WELL[kind]
    await connection.close()


@pytest.mark.parametrize(("kind", "behaviour", "envelope"), CASES)
async def test_a_downstream_that_turns_bad_after_a_good_call_is_a_typed_failure_too(
    server: MisbehavingServer, kind: str, behaviour: str, envelope: JsonObject
) -> None:
    """E2: on a connection, and for MCP in a session, that has worked."""
    connection, tool = await OPENERS[kind](server)
    assert await answer_of(connection, tool) == WELL[kind]
    server.behaviour = behaviour
    assert await failure_of(connection, tool, 10.0) == envelope
    server.behaviour = None
    assert await answer_of(connection, tool) == WELL[kind]
    await connection.close()


@pytest.mark.parametrize("behaviour", ["slow", "slow in the middle"])
@pytest.mark.parametrize("kind", ["api", "mcp"])
@pytest.mark.parametrize("warm", [False, True])
async def test_a_slow_downstream_is_given_up_at_the_deadline(
    server: MisbehavingServer, kind: str, behaviour: str, warm: bool
) -> None:
    """Y1, L4: the deadline holds whether the connection was up before or not."""
    connection, tool = await OPENERS[kind](server)
    if warm:
        assert await answer_of(connection, tool) == WELL[kind]
    server.behaviour = behaviour
    began = time.monotonic()
    failure = await failure_of(connection, tool, DEADLINE_S)
    assert (failure["code"], failure["retryable"]) == ("timeout", True)
    assert DEADLINE_S <= time.monotonic() - began < BOUND_S
    server.behaviour = None
    assert await answer_of(connection, tool) == WELL[kind]
    await connection.close()


@pytest.mark.parametrize("kind", ["api", "mcp"])
async def test_a_downstream_that_is_down_is_unavailable_until_it_is_up(server: MisbehavingServer, kind: str) -> None:
    connection, tool = await OPENERS[kind](server)
    await server.stop()
    assert await failure_of(connection, tool, 10.0) == unavailable("could not be reached.")
    await server.start()
    assert await answer_of(connection, tool) == WELL[kind]
    await connection.close()


async def test_one_failing_call_leaves_the_others_in_its_session_alone(server: MisbehavingServer) -> None:
    """One request that breaks must not end the session its neighbours are waiting in."""
    connection, tool = await mcp_connection(server)
    assert await answer_of(connection, tool) == "well"
    server.behaviour = "dies in the middle"
    assert await failure_of(connection, tool, 10.0) == BROKE_OFF
    server.behaviour = None
    assert await answer_of(connection, tool) == "well"
    asked = [headers.get("mcp-method") for _, _, headers in server.requests]
    assert asked == ["server/discover", "tools/call", "tools/call", "tools/call"]
    await connection.close()


async def test_a_redirect_to_another_origin_is_not_followed(server: MisbehavingServer) -> None:
    """No request, and so no credential, ever reaches the other origin."""
    async with misbehaving_server() as other:
        server.redirect_to = f"{other.url}/mcp"
        for kind in OPENERS:
            connection, tool = await OPENERS[kind](server)
            server.behaviour = "redirect 307"
            await failure_of(connection, tool, 10.0)
            await connection.close()
        assert other.requests == []
