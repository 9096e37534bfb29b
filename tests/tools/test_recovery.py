"""What a caller is told to do next: credentials, guides, a reason, numbers of a failed call ("Recovery envelopes")."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

import pytest

from connecta import Credential, OAuth, Token, api, remote_mcp
from connecta.connectors.model import Connector
from connecta.limits import LIMITS
from connecta.program.admission import RunAdmission
from connecta.program.run import Programs
from connecta.sandbox.config import installed_config
from connecta.sandbox.sandbox import Sandbox
from connecta.text import JsonObject, compact, size
from connecta.tools.definition import Answer, ToolRequest
from connecta.tools.toolset import Tools
from tests.fixtures.misbehaving_server import MisbehavingServer, misbehaving_server
from tests.fixtures.scopes import CALLER, bench
from tests.tools.conftest import House


@asynccontextmanager
async def tools_over(*connectors: Connector) -> AsyncGenerator[Tools]:
    place = bench(connectors)
    sandbox = Sandbox(installed_config(shortcuts=place.services.deployment.shortcuts, limits=LIMITS))
    yield Tools(place.services, Programs(sandbox, RunAdmission(LIMITS)))
    await sandbox.close()


async def answered(tools: Tools, name: str, arguments: JsonObject) -> Answer:
    return await tools.call(name, arguments, ToolRequest(CALLER, "request-1", 29.0))


@pytest.mark.parametrize("force", [None, False, True])
async def test_authorize_connector_says_how_each_kind_of_credential_is_brought(
    monkeypatch: pytest.MonkeyPatch, force: bool | None
) -> None:
    """It never takes a secret, and never tells one."""
    monkeypatch.setenv("PRESENT", "s3cret")
    monkeypatch.delenv("ABSENT", raising=False)
    url = "https://a.example/mcp"
    wanted = {"": None, "-set": Token(env="PRESENT"), "-unset": Token(env="ABSENT"), "-oauth": OAuth()}
    connectors = [remote_mcp(f"notes{id}", url=url, auth=auth) for id, auth in wanted.items()]
    extra: JsonObject = {} if force is None else {"force": force}
    async with tools_over(*connectors, remote_mcp("notes-key", url=url, auth=Credential("Notes key"))) as tools:
        told = {
            id: await answered(tools, "authorize_connector", {"connector": f"notes{id}", **extra})
            for id in [*wanted, "-key"]
        }
    assert "s3cret" not in compact([answer.structured for answer in told.values()])
    assert {id: answer.is_error for id, answer in told.items()} == dict.fromkeys(told, False)
    assert {id: shape(answer) for id, answer in told.items()} == {
        "": (None, "not_needed"),
        "-set": (None, "configured"),
        "-unset": ("unavailable", "missing"),
        "-oauth": ("unavailable", "missing"),
        "-key": ("unavailable", "missing"),
    }
    for answer in told.values():
        assert answer.content == [{"type": "text", "text": compact(answer.structured)}]


def shape(answer: Answer) -> tuple[object, object]:
    assert isinstance(answer.structured, dict)
    assert {"connector", "status", "instructions"} <= set(answer.structured)
    return answer.structured.get("recovery"), answer.structured["status"]


async def test_a_call_that_wants_a_credential_leads_to_authorize_connector() -> None:
    """E3, directly as from a program: the envelope names the call to make again."""
    locked = api("locked", base_url="https://a.example", credential=Token(env="NOT_SET_ANYWHERE"))

    @locked.tool(read_only=True)
    async def peek(ctx: object) -> str:
        """Read what only a token opens."""
        return str(getattr(ctx, "credential"))  # noqa: B009

    del peek
    async with tools_over(locked) as tools:
        direct = await answered(tools, "call_tool", {"address": "locked.peek"})
        run = await answered(tools, "execute_code", {"code": "async () => locked.peek()"})
    assert isinstance(direct.structured, dict)
    assert isinstance(run.structured, dict)
    error = direct.structured["error"]
    assert run.structured["error"] == error
    assert isinstance(error, dict)
    assert {key: value for key, value in error.items() if key != "message"} == {
        "code": "auth_required",
        "retryable": False,
        "connector": "locked",
        "operation": "locked.peek",
        "recovery": "unavailable",
        "nextAction": {
            "tool": "authorize_connector",
            "arguments": {"connector": "locked"},
            "operatorHandoff": "Hand the URL it returns to the operator.",
        },
        "retry": "Call locked.peek again once that is done.",
    }


async def test_a_guide_that_is_missed_among_very_many_is_answered_in_a_few_lines() -> None:
    connectors = [
        remote_mcp(f"{'n' * 59}{n}", url="https://a.example/mcp", guide=f"# Guide {n}") for n in range(100, 400)
    ]
    async with tools_over(*connectors) as tools:
        miss = await answered(tools, "skills", {"name": "nope"})
        listed = await answered(tools, "skills", {})
        found = await answered(tools, "skills", {"name": f"connector:{'n' * 59}399"})
    assert miss.is_error
    assert size(compact(miss.structured)) < 4_096
    assert compact(miss.structured).count("connector:") == 18
    assert "and 282 more that skills({}) lists." in compact(miss.structured)
    assert isinstance(listed.structured, dict)
    assert isinstance(listed.structured["skills"], list)
    assert len(listed.structured["skills"]) == 302
    assert listed.structured["skills"][-1] == {"name": f"connector:{'n' * 59}399", "description": "Guide 399"}
    assert found.content == [{"type": "text", "text": "# Guide 399"}]


@pytest.fixture
async def server() -> AsyncIterator[MisbehavingServer]:
    async with misbehaving_server() as running:
        yield running


@pytest.mark.parametrize("reason", ["because-of-hunter2", "", " \n", "x" * 500])
async def test_a_reason_is_for_the_person_and_is_sent_nowhere(server: MisbehavingServer, reason: str) -> None:
    connector = remote_mcp("docs", url=f"{server.url}/mcp", allow_private=True)
    async with tools_over(connector) as tools:
        arguments: JsonObject = {"address": "docs.look", "args": {"a": 1}, "reason": reason}
        answer = await answered(tools, "call_destructive_tool", arguments)
    assert not answer.is_error
    assert answer.content == [{"type": "text", "text": "well"}]
    sent = b"".join(server.bodies)
    assert b'"reason"' not in sent
    assert b"hunter2" not in sent
    assert b"xxxx" not in sent


async def test_a_failed_call_has_its_numbers_when_they_are_asked_for(stateless_house: House) -> None:
    answer = await stateless_house.call("call_tool", {"address": "desk.broken", "diagnostics": True})
    assert isinstance(answer.structured, dict)
    assert set(answer.structured) == {"ok", "error", "durationMs", "attempts", "diagnostics"}
    plain = await stateless_house.call("call_tool", {"address": "desk.broken"})
    assert isinstance(plain.structured, dict)
    assert set(plain.structured) == {"ok", "error", "durationMs", "attempts"}
