"""From ``auth_required`` to a call that works, through the real endpoint, in every process (auth.md, tools.md)."""

import json
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from connecta import Connecta, Context, Credential, OAuth, Token, api, remote_mcp
from connecta.auth.vault.keys import FILE_VARIABLE
from connecta.auth.vault.slots import Slots
from connecta.composition import Application, compose
from connecta.connectors.model import Connector
from tests.auth.downstream.downstreams import ORIGIN, SdkDownstream, sdk_downstream
from tests.fixtures.dynamodb import TABLE
from tests.fixtures.mcp_client import Client, client_of
from tests.fixtures.mcp_messages import call, modern
from tests.fixtures.misbehaving_server import MisbehavingServer, misbehaving_server
from tests.fixtures.oauth import moto_url

__all__ = ["moto_url"]

SECRET = "s3cret-of-the-desk"
CALLS = {
    "call_tool": {"address": "desk.look"},
    "execute_code": {"code": "async () => desk.look()"},
}


@dataclass(frozen=True)
class Process:
    """One process of a deployment, and a client of it."""

    application: Application
    client: Client

    async def answer(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """``structuredContent``, success or not; what has none, whole."""
        result = await self.client.result(modern("tools/call", call(name, arguments)))
        return result.get("structuredContent", result)

    async def get(self, path: str) -> httpx2.Response:
        return await self.client.http.get(path)


@asynccontextmanager
async def fleet_of(
    connectors: Sequence[Connector], moto_url: str, environ: dict[str, str]
) -> AsyncGenerator[tuple[Process, Process]]:
    deployment = Connecta(connectors=connectors, name=f"recovery-{uuid4().hex[:8]}", public_url=ORIGIN)
    async with AsyncExitStack() as running:
        processes: list[Process] = []
        for _ in range(2):
            application = compose(deployment, table=TABLE, endpoint_url=moto_url, environ=environ)
            running.push_async_callback(application.close)
            client = await running.enter_async_context(client_of(application.asgi, origin=ORIGIN))
            processes.append(Process(application, client))
        yield processes[0], processes[1]


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {FILE_VARIABLE: str(tmp_path / "credentials.key")}


@pytest.fixture
async def server() -> AsyncIterator[MisbehavingServer]:
    async with misbehaving_server() as running:
        running.wants = f"Bearer {SECRET}"
        yield running


@pytest.fixture(scope="module")
def sdk() -> Iterator[SdkDownstream]:
    with sdk_downstream() as running:
        yield running


def desk_at(server: MisbehavingServer, kind: str) -> Connector:
    key = Credential("Desk key")
    if kind == "mcp":
        return remote_mcp("desk", url=f"{server.url}/mcp", auth=key, allow_private=True)
    desk = api("desk", base_url=server.url, credential=key, allow_private=True)

    @desk.tool(read_only=True)
    async def look(ctx: Context) -> object:  # pyright: ignore[reportUnusedFunction]
        """Look."""
        return await ctx.http.get("/look")

    return desk


async def fill(process: Process, value: str) -> None:
    """As the operator does, on a page of any process."""
    application = process.application
    await Slots(application.state.credentials, application.vault).put("desk", {"value": value}, "owner")


def required(connector: str, recovery: str, message: str) -> dict[str, Any]:
    """E3."""
    return {
        "code": "auth_required",
        "message": message,
        "retryable": False,
        "connector": connector,
        "operation": f"{connector}.look",
        "recovery": recovery,
        "nextAction": {
            "tool": "authorize_connector",
            "arguments": {"connector": connector},
            "operatorHandoff": "Hand the URL it returns to the operator.",
        },
        "retry": f"Call {connector}.look again once that is done.",
    }


@pytest.mark.parametrize("kind", ["api", "mcp"])
async def test_a_credential_that_is_filled_in_works_at_the_next_call_of_every_process(
    server: MisbehavingServer,
    moto_url: str,
    environ: dict[str, str],
    kind: str,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """After recovery the next call just works; a wrong value asks the operator once more; no failed catalog stays."""
    caplog.set_level(logging.DEBUG)
    wanted = '"desk" needs the credential "Desk key": the operator fills it in on the credentials page.'
    refused = '"desk" does not take the credential "Desk key" it was shown for this: the operator replaces it on the'
    told: list[dict[str, Any]] = []
    async with fleet_of([desk_at(server, kind)], moto_url, environ) as processes:
        for process in processes:
            for name, arguments in CALLS.items():
                told.append(await process.answer(name, arguments))
        assert [each["error"] for each in told] == [required("desk", "operator_config", wanted)] * 4
        assert server.requests == []
        described = await processes[0].answer("authorize_connector", {"connector": "desk"})
        assert {**described, "instructions": ""} == {
            "connector": "desk",
            "recovery": "operator_config",
            "status": "missing",
            "instructions": "",
            "operatorUrl": f"{ORIGIN}/credentials",
            "credential": {"label": "Desk key", "fields": ["value"]},
        }
        await fill(processes[0], f"{SECRET}-mistyped")
        wrong = [await process.answer("call_tool", CALLS["call_tool"]) for process in processes]
        assert [each["error"] for each in wrong] == [
            required("desk", "operator_config", f"{refused} credentials page.")
        ] * 2
        await fill(processes[1], SECRET)
        for process in processes:
            for name, arguments in CALLS.items():
                answer = await process.answer(name, arguments)
                assert "error" not in answer, answer
                told.append(answer)
    assert SECRET not in json.dumps([told, described, wrong]) + "".join(capfd.readouterr()) + caplog.text


async def test_search_and_describe_say_which_connectors_wait_for_a_person(
    server: MisbehavingServer, moto_url: str, environ: dict[str, str]
) -> None:
    async with fleet_of([desk_at(server, "mcp")], moto_url, environ) as (process, _):
        page = await process.answer("search_tools", {"connector": "desk"})
        program = "async () => connecta.describe({ address: 'desk.look' })"
        run = await process.answer("execute_code", {"code": program})
    error = page["queryAnalysis"]["catalogError"]
    assert (error["code"], error["recovery"]) == ("auth_required", "operator_config")
    assert error["retry"] == "Look for its tools again once that is done."
    assert '"desk" has to be authorized first: call authorize_connector.' in page["queryAnalysis"]["guidance"]
    [described] = run["result"]["tools"]
    wanted = '"desk" needs the credential "Desk key": the operator fills it in on the credentials page.'
    assert described["errorDetails"] == required("desk", "operator_config", wanted)


async def test_a_downstream_is_connected_used_refreshed_and_connected_anew(
    sdk: SdkDownstream, moto_url: str, environ: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    """Against a real authorization server; the person comes back to another process than the one that sent them."""
    await sdk.told()
    caplog.set_level(logging.INFO)
    notes = remote_mcp("notes", title="Notes", url=f"{sdk.origin}/mcp", auth=OAuth(), allow_private=True)
    look = {"address": "notes.look"}
    async with fleet_of([notes], moto_url, environ) as (first, second):
        wanted = required(
            "notes", "oauth", '"notes" has not been connected yet: somebody has to connect it, in a browser.'
        )
        assert await first.answer("execute_code", {"code": "async () => notes.look()"}) == {"error": wanted}
        described = await first.answer("authorize_connector", {"connector": "notes"})
        assert (described["recovery"], described["status"]) == ("oauth", "missing")

        page = await second.get(
            f"/oauth/callback/notes?{httpx2.QueryParams(await sdk.consent(described['authorizationUrl']))}"
        )
        assert page.status_code == 200
        assert "Notes can be used from now on." in page.text
        assert page.headers["cache-control"] == "no-store"
        for process in (first, second):
            assert "error" not in await process.answer("call_tool", look)
        refreshes = (await sdk.seen())["refreshes"]
        await forget(sdk, "tokens")
        for process in (first, second):
            assert "error" not in await process.answer("call_tool", look)
        assert (await sdk.seen())["refreshes"] == refreshes + 1

        standing = await second.answer("authorize_connector", {"connector": "notes"})
        assert (standing["recovery"], standing["status"]) == ("oauth", "configured")
        forced = await second.answer("authorize_connector", {"connector": "notes", "force": True})
        assert (forced["recovery"], forced["status"]) == ("oauth", "missing")
        assert (await first.answer("call_tool", look))["error"]["recovery"] == "oauth"
        await second.get(f"/oauth/callback/notes?{httpx2.QueryParams(await sdk.consent(forced['authorizationUrl']))}")
        assert "error" not in await first.answer("call_tool", look)


async def forget(sdk: SdkDownstream, what: str) -> None:
    async with httpx2.AsyncClient(trust_env=False) as client:
        (await client.get(f"{sdk.origin}/forget", params={"what": what})).raise_for_status()


async def test_a_permission_that_is_missing_is_asked_for_the_next_time(
    sdk: SdkDownstream, moto_url: str, environ: dict[str, str]
) -> None:
    """A 403 with ``insufficient_scope``: step-up."""
    await sdk.told()
    notes = remote_mcp("notes", url=f"{sdk.origin}/mcp", auth=OAuth(), allow_private=True)
    async with fleet_of([notes], moto_url, environ) as (first, second):
        begun = await first.answer("authorize_connector", {"connector": "notes"})
        await first.get(f"/oauth/callback/notes?{httpx2.QueryParams(await sdk.consent(begun['authorizationUrl']))}")
        await sdk.told(wants="notes.write")
        refused = await second.answer("call_tool", {"address": "notes.look"})
        assert (refused["error"]["code"], refused["error"]["recovery"]) == ("auth_required", "oauth")
        more = await first.answer("authorize_connector", {"connector": "notes"})
        asked = httpx2.URL(more["authorizationUrl"]).params["scope"].split()
        assert set(asked) == {"notes.read", "notes.write"}
        await second.get(f"/oauth/callback/notes?{httpx2.QueryParams(await sdk.consent(more['authorizationUrl']))}")
        assert "error" not in await first.answer("call_tool", {"address": "notes.look"})


async def test_a_callback_that_connects_nothing_says_so_to_a_person(
    sdk: SdkDownstream, moto_url: str, environ: dict[str, str]
) -> None:
    await sdk.told(denies=True)
    notes = remote_mcp("notes", url=f"{sdk.origin}/mcp", auth=OAuth(), allow_private=True)
    async with fleet_of([notes], moto_url, environ) as (process, _):
        begun = await process.answer("authorize_connector", {"connector": "notes"})
        denied = httpx2.QueryParams(await sdk.consent(begun["authorizationUrl"]))
        pages = [
            await process.get(path)
            for path in (
                f"/oauth/callback/notes?{denied}",
                "/oauth/callback/notes?state=made-up&code=1",
                "/oauth/callback/notes?state=1&state=2",
                "/oauth/callback/notes",
                "/oauth/callback/desk?state=1",
            )
        ]
        document = (await process.get("/oauth/client.json")).json()
    assert [page.status_code for page in pages] == [400, 400, 400, 400, 404]
    for page in pages:
        assert "Not connected" in page.text
        assert "made-up" not in page.text
    assert (document["client_id"], document["redirect_uris"]) == (
        f"{ORIGIN}/oauth/client.json",
        [f"{ORIGIN}/oauth/callback/notes"],
    )


async def test_a_deployment_that_connects_nothing_by_oauth_has_no_such_addresses(
    server: MisbehavingServer, moto_url: str, environ: dict[str, str]
) -> None:
    async with fleet_of([desk_at(server, "api")], moto_url, environ) as (process, _):
        for path in ("/oauth/client.json", "/oauth/callback/desk?state=1"):
            assert (await process.get(path)).status_code == 404


async def test_what_nobody_but_its_owner_can_bring_is_named(server: MisbehavingServer, moto_url: str) -> None:
    """tools.md: "unavailable" is a sentence naming the missing configuration, with nothing to hand on."""
    connectors = [
        desk_at(server, "api"),
        remote_mcp("notes", url=f"{server.url}/mcp", auth=OAuth(), allow_private=True),
        remote_mcp("shelf", url=f"{server.url}/mcp", auth=Token("NOT_SET"), allow_private=True),
    ]
    async with fleet_of(connectors, moto_url, {}) as (process, _):
        told = [await process.answer("authorize_connector", {"connector": c.id}) for c in connectors]
        missed = await process.answer("authorize_connector", {"connector": "nobody"})
    assert [set(each) for each in told] == [{"connector", "recovery", "status", "instructions"}] * 3
    assert {(each["recovery"], each["status"]) for each in told} == {("unavailable", "missing")}
    for each, named in zip(told, ("CONNECTA_KMS_KEY", "CONNECTA_KMS_KEY", "NOT_SET"), strict=True):
        assert named in each["instructions"]
    assert missed["error"]["code"] == "unknown_address"
