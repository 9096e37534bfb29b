"""The deadline of a run follows what is left of its request, where that is less than the deployment's own (L3)."""

import re
import time
from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest

from connecta.limits import LIMITS, Limits
from connecta.program.admission import RunAdmission
from connecta.program.run import Programs
from connecta.sandbox.config import installed_config
from connecta.sandbox.sandbox import Sandbox
from tests.fixtures.desk import Desk
from tests.fixtures.scopes import bench

WAITING = 'async () => { console.log("before"); return desk.slow(); }'


@pytest.fixture
async def sandbox() -> AsyncGenerator[Sandbox]:
    sandbox = Sandbox(installed_config(shortcuts={"desk": "desk"}))
    yield sandbox
    await sandbox.close()


@pytest.mark.parametrize(("run_s", "remaining_s", "deadline_s"), [(25.0, 5.0, 3.0), (3.0, 29.0, 3.0)])
async def test_a_run_ends_at_the_earlier_of_its_bound_and_its_request_less_the_time_to_answer(
    sandbox: Sandbox, run_s: float, remaining_s: float, deadline_s: float
) -> None:
    limits: Limits = replace(LIMITS, run_s=run_s)
    await sandbox.warm()
    began = time.monotonic()
    async with bench([Desk().connector], limits=limits).scope(remaining_s=remaining_s) as scope:
        ran = await Programs(sandbox, RunAdmission(limits)).run(WAITING, scope)
    sandbox.reap()
    assert ran.failure is not None
    assert (ran.failure.code, ran.value, ran.logs) == ("run_deadline", None, "before")
    said = re.search(r"deadline of ([\d.]+) s", ran.failure.message)
    assert said is not None
    assert deadline_s - 2 < float(said[1]) <= deadline_s
    assert time.monotonic() - began > float(said[1]) - 0.01, "ended before its deadline"
