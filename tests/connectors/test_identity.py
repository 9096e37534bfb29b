"""What a connection shows its downstream, what it does when that is refused, and that nothing of it is passed on."""

import asyncio
import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from connecta import Context, Credential, OAuth, api, failures, remote_mcp
from connecta.auth.authorizations import Authorizations
from connecta.auth.credentials import Authorized, DownstreamAuth
from connecta.auth.downstream.challenge import Challenge
from connecta.auth.presented import NOTHING, Presented, bearer
from connecta.connectors.model import Connection, Tool
from connecta.failures import Failure
from connecta.text import Json, JsonObject
from tests.fixtures.misbehaving_server import MisbehavingServer

SECRET = "s3cret-of-notes"
GRANT, KEY = OAuth(), Credential()


@dataclass
class Keyring(Authorizations):
    """Presents its keys one after another: the first, and each further one after a refusal."""

    keys: Sequence[str] = (SECRET,)
    presented: int = 0
    refusals: list[tuple[int, Challenge | None]] = field(default_factory=list[tuple[int, Challenge | None]])

    async def present(self, server: Authorized, operation: str) -> Presented:
        if server.auth is None:
            return NOTHING
        self.presented += 1
        return bearer(self.keys[0])

    async def after_refusal(
        self, server: Authorized, operation: str, used: Presented, challenge: Challenge | None, *, status: int
    ) -> Presented:
        self.refusals.append((status, challenge))
        following = self.keys[len(self.refusals) :]
        if not following:
            raise self.refused(server, operation)
        return bearer(following[0])


def mcp(server: MisbehavingServer, keyring: Keyring, auth: DownstreamAuth | None = GRANT) -> tuple[Connection, Tool]:
    connector = remote_mcp("notes", url=f"{server.url}/mcp", auth=auth, allow_private=True)
    return connector.open(None, keyring), Tool("look")


def http(server: MisbehavingServer, keyring: Keyring, auth: DownstreamAuth | None = KEY) -> tuple[Connection, Tool]:
    assert not isinstance(auth, OAuth)
    connector = api("notes", base_url=server.url, credential=auth, allow_private=True)

    @connector.tool(read_only=False)
    async def look(ctx: Context) -> object:  # pyright: ignore[reportUnusedFunction]
        """Look."""
        return await ctx.http.post("/look", json=1)

    return connector.open(None, keyring), Tool("look")


OPENERS = pytest.mark.parametrize("opener", [mcp, http])


async def called(opened: tuple[Connection, Tool]) -> Json:
    connection, tool = opened
    try:
        return (await connection.call(tool, {}, 10.0)).unwrap()
    finally:
        await connection.close()


async def failure_of(opened: tuple[Connection, Tool]) -> JsonObject:
    with pytest.raises(Failure) as caught:
        await called(opened)
    return caught.value.envelope()


def shown(server: MisbehavingServer) -> list[str | None]:
    return [headers.get("authorization") for _, _, headers in server.requests]


@OPENERS
async def test_what_is_refused_is_tried_once_more_with_something_else(server: MisbehavingServer, opener: Any) -> None:
    """auth.md: refresh on 401 once. Whatever was refused was not done, so that a write is sent again, too."""
    server.wants, server.challenge = "Bearer second-key", 'Bearer error="invalid_token", scope="read"'
    keyring = Keyring(keys=("first-key", "second-key"))
    assert await called(opener(server, keyring)) in ("well", {"well": True})
    assert shown(server)[:2] == ["Bearer first-key", "Bearer second-key"]
    assert set(shown(server)[1:]) == {"Bearer second-key"}
    assert (keyring.presented, keyring.refusals) == (1, [(401, Challenge("invalid_token", "read"))])


@OPENERS
@pytest.mark.parametrize("status", [401, 403])
async def test_a_second_refusal_is_auth_required_and_no_loop(
    server: MisbehavingServer, opener: Any, status: int
) -> None:
    server.wants, server.refuses = "Bearer third-key", status
    keyring = Keyring(keys=("first-key", "second-key", "third-key"))
    failure = await failure_of(opener(server, keyring))
    assert (failure["code"], failure["operation"]) == ("auth_required", "notes.look")
    assert shown(server) == ["Bearer first-key", "Bearer second-key"]


@OPENERS
async def test_a_challenge_that_api_gateway_renamed_is_read(server: MisbehavingServer, opener: Any) -> None:
    named = "x-amzn-remapped-www-authenticate"
    server.behaviour = f'RAW HTTP/1.1 401 No\r\n{named}: Bearer scope="read"\r\ncontent-length: 0\r\n\r\n'
    keyring = Keyring()
    assert (await failure_of(opener(server, keyring)))["code"] == "auth_required"
    assert keyring.refusals == [(401, Challenge(scope="read"))]


@OPENERS
async def test_what_is_stored_is_read_once_a_request(server: MisbehavingServer, opener: Any) -> None:
    keyring = Keyring()
    connection, tool = opener(server, keyring)
    await asyncio.gather(*(connection.call(tool, {}, 10.0) for _ in range(5)))
    await connection.close()
    assert keyring.presented == 1


@OPENERS
async def test_calls_refused_at_once_are_renewed_together(server: MisbehavingServer, opener: Any) -> None:
    server.wants = "Bearer first-key"
    keyring = Keyring(keys=("first-key", "second-key"))
    connection, tool = opener(server, keyring)
    await connection.call(tool, {}, 10.0)
    server.wants = "Bearer second-key"
    await asyncio.gather(*(connection.call(tool, {}, 10.0) for _ in range(5)))
    await connection.close()
    assert len(keyring.refusals) == 1


@OPENERS
async def test_a_connector_without_auth_asks_for_nothing(server: MisbehavingServer, opener: Any) -> None:
    keyring = Keyring()
    await called(opener(server, keyring, None))
    assert (keyring.presented, set(shown(server))) == (0, {None})


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (
            {"error": {"code": -32602, "message": f"bad token {SECRET}"}},
            '"notes" refused the request (JSON-RPC error -32602)',
        ),
        (
            {"content": [{"type": "text", "text": f"you sent {SECRET}"}], "isError": True},
            "notes.look failed, in words that repeat a credential: they are dropped whole.",
        ),
        (
            {"content": [{"type": "text", "text": json.dumps({"authorization": f"Bearer {SECRET}"})}]},
            "notes.look was done, and its answer repeats a credential of the connector: it is dropped whole.",
        ),
        (
            {"content": [], "_meta": {"request": {SECRET: 1}}},
            "notes.look was done, and its answer repeats a credential of the connector: it is dropped whole.",
        ),
    ],
)
async def test_a_server_that_says_back_what_it_was_shown_is_not_passed_on(
    server: MisbehavingServer, answer: JsonObject, said: str
) -> None:
    """auth.md, "Vault": an upstream error quoting a secret is dropped whole, and so is any other answer."""
    server.answers["tools/call"] = {**answer, "resultType": "complete"} if "content" in answer else answer
    assert await failure_of(mcp(server, Keyring())) == {
        "code": "connector_call_failed",
        "message": said,
        "retryable": False,
    }


async def test_a_secret_that_was_replaced_within_the_request_is_still_not_passed_on(server: MisbehavingServer) -> None:
    server.wants = "Bearer second-key"
    server.answers["tools/call"] = {"content": [{"type": "text", "text": "first-key"}], "resultType": "complete"}
    failure = await failure_of(mcp(server, Keyring(keys=("first-key", "second-key"))))
    assert "repeats a credential" in str(failure["message"])


async def test_a_catalog_that_repeats_a_secret_is_none(server: MisbehavingServer) -> None:
    server.answers["tools/list"] = {"tools": [{"name": "look", "description": SECRET}]}
    connection, _ = mcp(server, Keyring())
    with pytest.raises(Failure) as caught:
        await connection.list_tools()
    await connection.close()
    assert caught.value.envelope() == {
        "code": "catalog_lookup_failed",
        "message": '"notes" repeats its credential in a tool.',
        "retryable": False,
    }


async def said_by(function: Any, server: MisbehavingServer) -> str:
    connector = api("notes", base_url=server.url, credential=Credential(), allow_private=True)
    connector.tool(read_only=True, name="look", description="Look.")(function)
    return json.dumps(await failure_of((connector.open(None, Keyring()), Tool("look"))))


async def test_a_function_that_says_back_its_credential_is_not_passed_on(
    server: MisbehavingServer, caplog: pytest.LogCaptureFixture
) -> None:
    """A result, a failure of its own, and an exception: none reaches a caller or the log."""

    async def returns(ctx: Context) -> object:
        return {"sent": [ctx.credentials]}

    async def fails(ctx: Context) -> object:
        raise failures.not_found(f"nothing for {ctx.credential}")

    async def raises(ctx: Context) -> object:
        raise ValueError(f"bad key {ctx.credential}")

    said = [await said_by(each, server) for each in (returns, fails, raises)]
    assert "repeats a credential" in said[0]
    assert "repeat a credential" in said[1]
    assert "failed in the deployment's own code" in said[2]
    assert SECRET not in "".join(said) + caplog.text
    assert "notes.look raised ValueError, in words that repeat a credential" in caplog.text


async def test_what_the_sdk_raises_at_a_server_that_repeats_a_secret_is_not_logged(
    server: MisbehavingServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.answers["server/discover"] = {"supportedVersions": SECRET, "capabilities": SECRET}
    server.answers["initialize"] = {"protocolVersion": SECRET, "capabilities": SECRET, "serverInfo": SECRET}
    assert SECRET not in json.dumps(await failure_of(mcp(server, Keyring())))
    assert [r for r in caplog.records if r.levelno >= logging.WARNING and SECRET in r.getMessage()] == []


async def test_several_fields_are_for_the_function_alone(server: MisbehavingServer) -> None:
    class Account(Keyring):
        async def present(self, server: Authorized, operation: str) -> Presented:
            return Presented({}, {"account": "a-1", "key": SECRET})

    connector = api("notes", base_url=server.url, credential=Credential(fields=("account", "key")), allow_private=True)

    @connector.tool(read_only=True)
    async def look(ctx: Context) -> object:  # pyright: ignore[reportUnusedFunction]
        """Look."""
        await ctx.http.get("/look", headers={"x-key": ctx.credentials["key"]})
        return [ctx.credential, sorted(ctx.credentials), SECRET in repr(ctx)]

    assert await called((connector.open(None, Account()), Tool("look"))) == [None, ["account", "key"], False]
    assert (server.requests[0][2]["x-key"], "authorization" in server.requests[0][2]) == (SECRET, False)
