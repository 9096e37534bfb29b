"""Two thousand programs out of a grammar and what holds for every run (guest-api.md E2, E5, L2, L8, M2-M5, R2, R5)."""

import asyncio
import json
from collections import Counter
from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from mcp.types import CallToolResult

from connecta.limits import LIMITS
from connecta.program.admission import RunAdmission
from connecta.program.run import Programs
from connecta.sandbox.config import installed_config
from connecta.sandbox.sandbox import Sandbox
from connecta.text import compact, size
from connecta.tools.toolset import Tools
from connecta.web.app import create_app
from tests.fixtures.desk import Desk
from tests.fixtures.mcp_client import Client, all_ready, client_of, shell_contents
from tests.fixtures.mcp_messages import call, legacy, modern
from tests.fixtures.programs import children, open_files
from tests.fixtures.random_programs import programs
from tests.fixtures.scopes import Bench, bench

COUNT = 2_000
EXAMPLES = 2_600
"""Enough for that many different ones: some examples spell the same program."""
SUCCEEDING = 0.4
"""Fewer successes than this share would say that the grammar makes garbage."""
AT_ONCE = 4
BOUNDS = replace(LIMITS, cpu_ms=100, state_attempts=1)
"""Little CPU for the endless ones, and no patience with a table that is not there."""
CODES = {
    *("unknown_address", "unknown_tool", "ambiguous_tool_alias", "destructive_tool_requires_approval", "invalid_args"),
    *(
        "not_found",
        "result_too_large",
        "budget_exceeded",
        "connector_call_failed",
        "run_cpu",
        "run_memory",
        "run_stack",
    ),
    *("run_stalled", "run_result", "run_syntax", "run_error", "unavailable"),
}
"""What these programs may end with: none may crash its child, run out of time or find no sandbox."""
BESIDE = {"result", "logs", "emitted", "ui", "view"}


def generated() -> list[str]:
    """Programs that all differ, the same ones every time; one example each."""
    found: dict[str, None] = {}

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(programs())
    def collect(program: str) -> None:
        found[program] = None

    collect()
    return list(found)[:COUNT]


def outcome(result: dict[str, Any]) -> str:
    """``ok`` or the code; raises ``AssertionError`` where an answer breaks what holds for all."""
    CallToolResult.model_validate(result)
    blocks, failed = result["content"], result["isError"]
    envelope = json.loads(blocks[0]["text"])
    assert result.get("structuredContent", envelope) == envelope
    assert len(envelope.get("logs", "")) <= LIMITS.log_chars
    if failed:
        assert set(envelope) <= {"error", "logs"}
        error = envelope["error"]
        assert {type(error["message"]), type(error["retryable"])} == {str, bool}
        assert len(blocks) == 1
        assert size(blocks[0]["text"]) < 64 * 1024
        return error["code"]
    emitted = envelope.get("emitted", 0)
    assert set(envelope) <= BESIDE
    assert len(blocks) == 1 + emitted <= 1 + LIMITS.emitted_blocks
    assert ("structuredContent" in result) == (not emitted)
    assert sum(size(compact(block)) for block in blocks[1:]) <= LIMITS.emitted_bytes
    assert len(compact(envelope["result"])) <= LIMITS.result_chars
    assert envelope.get("ui", False) == bool(result.get("_meta", {}).get("connecta/ui"))
    return "ok"


async def answered(client: Client, at: int, program: str) -> str:
    arguments = call("execute_code", {"code": program})
    era = modern if at % 2 else legacy
    return outcome(await client.result(era("tools/call", arguments)))


async def all_answered(place: Bench, sandbox: Sandbox, found: list[str]) -> Counter[str]:
    tools = Tools(place.services, Programs(sandbox, RunAdmission(BOUNDS)))
    app = create_app(
        place.services.deployment,
        tools,
        local=True,
        callers=(),
        sandbox_status=sandbox.status,
        shell_contents=shell_contents,
        before_answer=sandbox.reap,
        after_answer=sandbox.prepare,
        standings=all_ready,
    )
    places, outcomes = asyncio.Semaphore(AT_ONCE), Counter[str]()

    async def one(client: Client, at: int, program: str) -> None:
        async with places:
            try:
                code = await answered(client, at, program)
                assert code == "ok" or code in CODES, code
            except AssertionError as error:
                raise AssertionError(f"{error}\n{program!r}") from error
        outcomes[code] += 1

    async with client_of(app) as client:
        await asyncio.gather(*(one(client, at, program) for at, program in enumerate(found)))
    return outcomes


async def test_two_thousand_random_programs_are_all_answered_within_bounds_and_leave_nothing() -> None:
    """Every answer is MCP in both eras, with a documented outcome; L2: no process and no descriptor is left."""
    found = generated()
    assert len(found) == COUNT
    files = open_files()
    place = bench([Desk().connector], limits=BOUNDS)
    sandbox = Sandbox(installed_config(shortcuts=place.services.deployment.shortcuts, limits=BOUNDS))
    outcomes = await all_answered(place, sandbox, found)
    await sandbox.close()
    await place.services.state.close()
    assert (outcomes.total(), children(), open_files()) == (COUNT, [], files)
    assert outcomes["ok"] >= SUCCEEDING * COUNT, outcomes
