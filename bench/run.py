"""``make bench``: what a request costs beside an empty FastAPI behind the same adapter, and what a cold start imports.

Everything is measured in one run on one machine, so only the ratios mean anything elsewhere. Raw numbers go to
``bench/results/``.
"""

import argparse
import json
import os
import platform
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from bench.cold import ColdImport, measure_cold
from bench.handlers import TABLE, connecta_handler, echo_handler, environment, unseen_log
from bench.measuring import Timing, measure, p50, p95, state_clock
from bench.scenarios import ECHO, SCENARIOS, Scenario
from connecta.local.emulator import running_emulator
from tests.fixtures.artifact import build_artifact

RESULTS = Path(__file__).parent / "results"
REQUESTS = 100
COLD_TARGET = 3.5

Timings = Mapping[str, Timing]


def _verdict(scenario: Scenario, own: float, echo: float) -> str:
    if scenario.times_echo is not None:
        met = own <= scenario.times_echo * echo
        return f"{'met' if met else 'MISSED'} (≤ {scenario.times_echo:g}× echo)"
    if scenario.ms_over_echo is not None:
        met = own <= echo + scenario.ms_over_echo
        return f"{'met' if met else 'MISSED'} (≤ echo + {scenario.ms_over_echo:g} ms)"
    return ""


def _row(name: str, timing: Timing, echo_ms: float, verdict: str) -> str:
    own = p50(timing.own_ms)
    numbers = f"{own:9.2f} {p95(timing.own_ms):9.2f} {own / echo_ms:8.1f}× {p50(timing.state_ms):9.2f}"
    return f"{name:34} {numbers}  {verdict}"


def print_table(timings: Timings, cold: ColdImport) -> None:
    echo_ms = p50(timings[ECHO.name].own_ms)
    print(f"\n{'milliseconds':34} {'p50':>9} {'p95':>9} {'× echo':>9} {'state p50':>9}  target")
    for scenario in (ECHO, *SCENARIOS):
        timing = timings[scenario.name]
        print(_row(scenario.name, timing, echo_ms, _verdict(scenario, p50(timing.own_ms), echo_ms)))
    ours, floor = median(cold.ours_ms), median(cold.floor_ms)
    verdict = "met" if cold.ratio <= COLD_TARGET else "MISSED"
    print(
        f"\ncold import {ours:.0f} ms, fastapi + mangum {floor:.0f} ms: {cold.ratio:.2f}×  {verdict} (≤ {COLD_TARGET}×)"
    )
    print("p50, p95 and ratios are without the time spent in state, which is an emulator's here.\n")


def keep(timings: Timings, cold: ColdImport, requests: int) -> Path:
    """The raw numbers of this run, in a file of its own."""
    numbers: dict[str, Any] = {
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "requests": requests,
        "warm": {name: asdict(timing) for name, timing in timings.items()},
        "cold": asdict(cold),
    }
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}.json"
    path.write_text(json.dumps(numbers, indent=1) + "\n")
    return path


def measure_warm(requests: int) -> Timings:
    """Every scenario through its handler, with DynamoDB's emulator as a process of its own."""
    with TemporaryDirectory() as folder, ExitStack() as running:
        running.enter_context(environment(running.enter_context(running_emulator(Path(folder), table=TABLE))))
        clock = running.enter_context(state_clock())
        running.enter_context(unseen_log())
        echo, ours = echo_handler(), connecta_handler()
        timings = {ECHO.name: measure(echo, ECHO, clock, requests)}
        return timings | {scenario.name: measure(ours, scenario, clock, requests) for scenario in SCENARIOS}


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the handler and the cold import.")
    parser.add_argument("--requests", type=int, default=REQUESTS)
    requests: int = parser.parse_args().requests
    cold = measure_cold(build_artifact())
    timings = measure_warm(requests)
    print_table(timings, cold)
    print(f"raw numbers: {keep(timings, cold, requests).relative_to(Path.cwd())}")


if __name__ == "__main__":
    main()
