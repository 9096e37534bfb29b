"""What recording its calls in the table adds to a request, with and without taking turns."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bench.handlers import Handler, LambdaContext
from bench.measuring import PAUSE_S, WARM_UP, check
from bench.scenarios import DIRECT_CALL, FIFTY_CALLS, Scenario
from connecta.state.activity import Activity, Entry

RECORDED: Final = (DIRECT_CALL, FIFTY_CALLS)


@dataclass(frozen=True, slots=True)
class Requests:
    """Milliseconds of each request: until its answer, and of this process's CPU time, which leaves the emulator out."""

    wall_ms: Sequence[float]
    cpu_ms: Sequence[float]


@dataclass(frozen=True, slots=True)
class Recording:
    """The same request with the write of its calls, and without. Both log their calls."""

    written: Requests
    unwritten: Requests


def measure_recording(handler: Handler, requests: int) -> Mapping[str, Recording]:
    return {scenario.name: _measured(handler, scenario, requests) for scenario in RECORDED}


def _measured(handler: Handler, scenario: Scenario, requests: int) -> Recording:
    write = Activity.write
    taken: list[tuple[tuple[float, float], tuple[float, float]]] = []
    try:
        for _ in range(WARM_UP + requests):
            taken.append((_timed(handler, scenario, write), _timed(handler, scenario, _unwritten)))
    finally:
        Activity.write = write
    written, unwritten = zip(*taken[WARM_UP:], strict=True)
    return Recording(_requests(written), _requests(unwritten))


def _timed(handler: Handler, scenario: Scenario, write: Callable[..., Any]) -> tuple[float, float]:
    time.sleep(PAUSE_S)
    Activity.write = write
    started, computed = time.perf_counter(), time.process_time()
    response = handler(scenario.event, LambdaContext())
    taken = (time.perf_counter() - started) * 1e3, (time.process_time() - computed) * 1e3
    check(response, scenario)
    return taken


async def _unwritten(activity: Activity, entries: Sequence[Entry], within_s: float) -> int:
    del activity, entries, within_s
    return 0


def _requests(taken: Sequence[tuple[float, float]]) -> Requests:
    return Requests([wall for wall, _ in taken], [cpu for _, cpu in taken])
