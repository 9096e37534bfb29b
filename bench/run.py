"""``make bench``: what a request costs beside an empty FastAPI behind the same adapter, recording its calls, and
knowing who asks; what a program costs in the sandbox alone, and how much memory; what a cold start imports; what a
search costs and finds, a catalog costs to load, a schema to render, and a view to paint.

Everything is measured in one run on one machine, so only the ratios mean anything elsewhere. Raw numbers go to
``bench/results/``.
"""

import argparse
import json
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.callers import measure_callers
from bench.catalogs import measure_catalog_loads
from bench.cold import measure_cold
from bench.handlers import TABLE, connecta_handler, echo_handler, environment, spareless_handler, unseen_log
from bench.measuring import Timing, clocks, measure
from bench.memory import measure_memory
from bench.programs import measure_programs
from bench.recording import Recording, measure_recording
from bench.rendering import measure_rendering
from bench.report import Measured, keep, print_tables
from bench.scenarios import ECHO, SCENARIOS
from bench.search_quality import DATA, compare_quality
from bench.search_speed import measure_search_speed
from bench.views import measure_views
from connecta.local.emulator import running_emulator
from tests.fixtures.artifact import build_artifact

REQUESTS = 100


def measure_warm(requests: int) -> tuple[Mapping[str, Timing], Mapping[str, Recording]]:
    """Every scenario through its handler, and recording on and off. DynamoDB's emulator is a process of its own."""
    with TemporaryDirectory() as folder, ExitStack() as running:
        running.enter_context(environment(running.enter_context(running_emulator(Path(folder), table=TABLE))))
        running.enter_context(unseen_log())
        echo, ours, spareless = echo_handler(), connecta_handler(), spareless_handler()
        with clocks() as spent:
            timings = {ECHO.name: measure(echo, ECHO, spent, requests)}
            for scenario in SCENARIOS:
                handler = ours if scenario.spare else spareless
                timings[scenario.name] = measure(handler, scenario, spent, requests)
        return timings, measure_recording(ours, requests)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure requests, programs, memory, the cold import and discovery.")
    parser.add_argument("--requests", type=int, default=REQUESTS)
    requests: int = parser.parse_args().requests
    cold = measure_cold(build_artifact())
    golden = json.loads(DATA.read_text())
    search, quality = measure_search_speed(golden), compare_quality()
    catalogs, rendering = measure_catalog_loads(golden), measure_rendering()
    memory, programs = measure_memory(), measure_programs(requests)
    warm, recording = measure_warm(requests)
    callers, views = measure_callers(requests), measure_views()
    measured = Measured(
        requests, warm, recording, callers, programs, memory, cold, search, quality, catalogs, rendering, views
    )
    print_tables(measured)
    print(f"raw numbers: {keep(measured).relative_to(Path.cwd())}")


if __name__ == "__main__":
    main()
