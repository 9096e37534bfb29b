"""Runs are admitted, not piled up (L7)."""

import asyncio

import pytest

from connecta.failures import Failure
from connecta.limits import Limits
from connecta.program.admission import RunAdmission


async def test_a_run_waits_for_a_free_place_and_then_gets_it() -> None:
    admission = RunAdmission(Limits(concurrent_runs=1))
    order: list[str] = []
    held = asyncio.Event()

    async def first() -> None:
        async with admission.slot():
            held.set()
            await asyncio.sleep(0)
            order.append("first")

    async def second() -> None:
        await held.wait()
        async with admission.slot():
            order.append("second")

    await asyncio.gather(first(), second())
    assert order == ["first", "second"]


@pytest.mark.parametrize(
    "limits", [Limits(concurrent_runs=1, queued_runs=0), Limits(concurrent_runs=1, queue_wait_s=0)]
)
async def test_a_run_past_the_queue_or_its_wait_is_refused_and_may_be_retried(limits: Limits) -> None:
    admission = RunAdmission(limits)
    async with admission.slot():
        with pytest.raises(Failure) as refused:
            async with admission.slot():
                raise AssertionError("admitted")
    assert (refused.value.code, refused.value.retryable, refused.value.details) == (
        "executor_overloaded",
        True,
        {"retryAfterMs": 1000},
    )
    async with admission.slot():
        pass
