"""``make bench``: what a request costs beside an empty FastAPI behind the same adapter, what a program costs in the
sandbox alone, how much memory that takes, and what a cold start imports.

Everything is measured in one run on one machine, so only the ratios mean anything elsewhere. Raw numbers go to
``bench/results/``.
"""

import argparse
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.cold import measure_cold
from bench.handlers import TABLE, connecta_handler, echo_handler, environment, spareless_handler, unseen_log
from bench.measuring import Timing, measure, state_clock
from bench.memory import measure_memory
from bench.programs import measure_programs
from bench.report import Measured, keep, print_tables
from bench.scenarios import ECHO, SCENARIOS
from connecta.local.emulator import running_emulator
from tests.fixtures.artifact import build_artifact

REQUESTS = 100


def measure_warm(requests: int) -> Mapping[str, Timing]:
    """Every scenario through its handler, with DynamoDB's emulator as a process of its own."""
    with TemporaryDirectory() as folder, ExitStack() as running:
        running.enter_context(environment(running.enter_context(running_emulator(Path(folder), table=TABLE))))
        clock = running.enter_context(state_clock())
        running.enter_context(unseen_log())
        echo, ours, spareless = echo_handler(), connecta_handler(), spareless_handler()
        timings = {ECHO.name: measure(echo, ECHO, clock, requests)}
        for scenario in SCENARIOS:
            handler = ours if scenario.spare else spareless
            timings[scenario.name] = measure(handler, scenario, clock, requests)
        return timings


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure requests, programs, memory and the cold import.")
    parser.add_argument("--requests", type=int, default=REQUESTS)
    requests: int = parser.parse_args().requests
    cold = measure_cold(build_artifact())
    memory, programs = measure_memory(), measure_programs(requests)
    measured = Measured(requests, measure_warm(requests), programs, memory, cold)
    print_tables(measured)
    print(f"raw numbers: {keep(measured).relative_to(Path.cwd())}")


if __name__ == "__main__":
    main()
