"""Programs timed in the sandbox itself, against a host that answers at once: what the walls and the bridge cost."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bench.measuring import PAUSE_S
from bench.scenarios import ADDITION, FIFTY_AT_MOST, LARGE_ARGUMENT, LARGE_RESULT, LOOP, ONE_CALL, parallel_calls
from bench.targets import Target
from connecta.limits import LIMITS
from connecta.sandbox.config import installed_config
from connecta.sandbox.sandbox import Sandbox
from connecta.text import Json

WARM_UP = 5
_LONG_TEXT = "x" * 1_000_000


@dataclass(frozen=True, slots=True)
class ProgramCase:
    """``value`` is what the program must come to. Without ``spare`` its process is started for it."""

    name: str
    program: str
    value: Json
    target: Target | None = None
    spare: bool = True


CASES = (
    ProgramCase("sandbox, 1+1, spare hit", ADDITION, 2),
    ProgramCase("sandbox, 1+1, spawn miss", ADDITION, 2, spare=False),
    ProgramCase("sandbox, 1 call", ONE_CALL, 7),
    ProgramCase("sandbox, 50 parallel calls", parallel_calls(50), 1225, FIFTY_AT_MOST),
    ProgramCase("sandbox, 1 MB argument", LARGE_ARGUMENT, 1_000_000),
    ProgramCase("sandbox, 1 MB result", LARGE_RESULT, 1_000_000),
    ProgramCase("sandbox, loop of 1,000,000", LOOP, 499_999_500_000),
)


async def constant_host(operation: str, args: list[Json]) -> Json:
    """The tools of ``bench.deployment`` without any of the way to them."""
    address, given = args
    if operation != "call" or not isinstance(given, dict):
        raise SystemExit(f"no program here asks for {operation} of {address}")
    match address:
        case "constant.number":
            return {"n": given["n"]}
        case "constant.length":
            return {"length": len(str(given["text"]))}
        case _:
            return {"text": _LONG_TEXT}


def measure_programs(runs: int) -> Mapping[str, Sequence[float]]:
    """Milliseconds of each run of each case, from asking for it to its value."""
    return {case.name: asyncio.run(_measured(case, runs)) for case in CASES}


async def _measured(case: ProgramCase, runs: int) -> list[float]:
    sandbox = Sandbox(installed_config(limits=replace(LIMITS, spares=int(case.spare))))
    try:
        return [await _timed(sandbox, case) for _ in range(WARM_UP + runs)][WARM_UP:]
    finally:
        await sandbox.close()


async def _timed(sandbox: Sandbox, case: ProgramCase) -> float:
    sandbox.reap()
    sandbox.prepare()
    await asyncio.sleep(PAUSE_S)
    started = time.perf_counter()
    outcome = await sandbox.run(case.program, constant_host, deadline_s=LIMITS.run_s)
    elapsed = (time.perf_counter() - started) * 1e3
    if outcome.value != case.value:
        raise SystemExit(f"{case.name} did not come to what it should: {outcome}")
    return elapsed
