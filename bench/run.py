"""``make bench``: what a request costs beside an empty FastAPI behind the same adapter, what a program costs in the
sandbox alone, how much memory that takes, what a cold start imports, and what a search costs and finds.

Everything is measured in one run on one machine, so only the ratios mean anything elsewhere. Raw numbers go to
``bench/results/``.
"""

import argparse
import json
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.cold import measure_cold
from bench.handlers import TABLE, connecta_handler, echo_handler, environment, spareless_handler, unseen_log
from bench.measuring import Timing, clocks, measure
from bench.memory import measure_memory
from bench.programs import measure_programs
from bench.report import Measured, keep, print_tables
from bench.scenarios import ECHO, SCENARIOS
from bench.search_quality import DATA, measure_quality
from bench.search_speed import measure_search_speed
from connecta.local.emulator import running_emulator
from tests.fixtures.artifact import build_artifact

REQUESTS = 100


def measure_warm(requests: int) -> Mapping[str, Timing]:
    """Every scenario through its handler, with DynamoDB's emulator as a process of its own."""
    with TemporaryDirectory() as folder, ExitStack() as running:
        running.enter_context(environment(running.enter_context(running_emulator(Path(folder), table=TABLE))))
        spent = running.enter_context(clocks())
        running.enter_context(unseen_log())
        echo, ours, spareless = echo_handler(), connecta_handler(), spareless_handler()
        timings = {ECHO.name: measure(echo, ECHO, spent, requests)}
        for scenario in SCENARIOS:
            handler = ours if scenario.spare else spareless
            timings[scenario.name] = measure(handler, scenario, spent, requests)
        return timings


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure requests, programs, memory, the cold import and search.")
    parser.add_argument("--requests", type=int, default=REQUESTS)
    requests: int = parser.parse_args().requests
    cold = measure_cold(build_artifact())
    golden = json.loads(DATA.read_text())
    search, quality = measure_search_speed(golden), measure_quality(golden)
    memory, programs = measure_memory(), measure_programs(requests)
    measured = Measured(requests, measure_warm(requests), programs, memory, cold, search, quality)
    print_tables(measured)
    print(f"raw numbers: {keep(measured).relative_to(Path.cwd())}")


if __name__ == "__main__":
    main()
