"""What was measured, printed for a person beside its targets, and kept raw for whoever compares."""

import json
import os
import platform
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from bench.cold import ColdImport
from bench.measuring import Timing, p50, p95
from bench.memory import HEADROOM_MIB, IDLE_AT_MOST, ProcessMemory, SandboxMemory
from bench.programs import CASES
from bench.scenarios import ECHO, SCENARIOS
from bench.search_quality import Quality
from bench.search_speed import SearchSpeed
from bench.targets import AtMost, Times, verdict

RESULTS = Path(__file__).parent / "results"
COLD_TARGET = Times(3.5)
SEARCH_TARGET = AtMost(4)
INDEX_TARGET = AtMost(450)
RECALL_5_TARGET = 0.78
WIDTH = 34


@dataclass(frozen=True, slots=True)
class Measured:
    """One run of the bench: ``requests`` of each kind, by the name of what was asked."""

    requests: int
    warm: Mapping[str, Timing]
    programs: Mapping[str, Sequence[float]]
    memory: SandboxMemory
    cold: ColdImport
    search: Sequence[SearchSpeed]
    quality: Quality


def print_tables(measured: Measured) -> None:
    _print_requests(measured.warm)
    _print_programs(measured.programs)
    _print_memory(measured.memory)
    print_search_speed(measured.search)
    print_search_quality(measured.quality)
    _print_cold(measured.cold)


def _print_requests(timings: Mapping[str, Timing]) -> None:
    echo = p50(timings[ECHO.name].own_ms)
    print(
        f"\n{'whole request, ms':{WIDTH}} {'p50':>9} {'p95':>9} {'× echo':>9} {'state p50':>9} {'record p50':>10}"
        "  target"
    )
    for scenario in (ECHO, *SCENARIOS):
        timing = timings[scenario.name]
        own = p50(timing.own_ms)
        numbers = f"{own:9.2f} {p95(timing.own_ms):9.2f} {own / echo:8.1f}× {p50(timing.state_ms):9.2f}"
        numbers += f" {p50(timing.record_ms):10.2f}"
        print(f"{scenario.name:{WIDTH}} {numbers}  {verdict(scenario.target, own, echo)}")
    print(
        "p50, p95 and ratios are without the time spent in state and in recording calls, which is an emulator's here."
    )


def _print_programs(timings: Mapping[str, Sequence[float]]) -> None:
    print(f"\n{'sandbox alone, constant host, ms':{WIDTH}} {'p50':>9} {'p95':>9}  target")
    for case in CASES:
        taken = timings[case.name]
        print(f"{case.name:{WIDTH}} {p50(taken):9.2f} {p95(taken):9.2f}  {verdict(case.target, p50(taken))}")


def _print_memory(memory: SandboxMemory) -> None:
    print(f"\n{'memory of one process, MB':{WIDTH}} {'RSS':>9} {'PSS':>9}  target")
    _print_process("idle spare", memory.idle_spare, IDLE_AT_MOST)
    _print_process(f"program, heap full but {HEADROOM_MIB} MiB", memory.full_heap, None)


def _print_process(name: str, process: ProcessMemory, target: AtMost | None) -> None:
    rss = process.rss / 1e6
    pss = "unknown" if process.pss is None else f"{process.pss / 1e6:.1f}"
    print(f"{name:{WIDTH}} {rss:9.1f} {pss:>9}  {verdict(target, rss)}")


def print_search_speed(speeds: Sequence[SearchSpeed]) -> None:
    """A row for each size of catalog. The targets are for the largest, and that a search grows slower than it."""
    print(f"\n{'search, ms':{WIDTH}} {'p50':>9} {'p95':>9} {'first p50':>9} {'index p50':>9} {'held MB':>9}  target")
    for speed in speeds:
        times = f"{p50(speed.warm_ms):9.2f} {p95(speed.warm_ms):9.2f} {p50(speed.first_ms):9.2f}"
        index = f"{p50(speed.index_ms):9.0f} {speed.held_bytes / 1e6:9.1f}"
        print(f"{f'{speed.tools:,} tools':{WIDTH}} {times} {index}")
        schemas = f"{p50(speed.schemas_ms):9.2f} {p95(speed.schemas_ms):9.2f}"
        print(f"{'  with compact schemas':{WIDTH}} {schemas}")
    before, last = speeds[-2], speeds[-1]
    grown = p50(last.warm_ms) / p50(before.warm_ms)
    said = f"search {verdict(SEARCH_TARGET, p50(last.warm_ms))}, index {verdict(INDEX_TARGET, p50(last.index_ms))}"
    print(f"{said}, {grown:.1f}× the time for {last.tools / before.tools:.0f}× the tools")


def print_search_quality(quality: Quality) -> None:
    found = f"R@1 {quality.recall_1:.3f}  R@5 {quality.recall_5:.3f}  R@10 {quality.recall_10:.3f}"
    said = "met" if quality.recall_5 >= RECALL_5_TARGET else "MISSED"
    print(f"search quality  {found}  MRR {quality.reciprocal_rank:.3f}  {said} (R@5 ≥ {RECALL_5_TARGET})")


def _print_cold(cold: ColdImport) -> None:
    ours, floor = median(cold.ours_ms), median(cold.floor_ms)
    said = verdict(COLD_TARGET, ours, floor)
    print(f"\ncold import {ours:.0f} ms, fastapi + mangum (its echo) {floor:.0f} ms: {ours / floor:.2f}×  {said}\n")


def keep(measured: Measured) -> Path:
    """The raw numbers of this run, in a file of its own."""
    numbers: dict[str, Any] = {
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        **asdict(measured),
    }
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}.json"
    path.write_text(json.dumps(numbers, indent=1) + "\n")
    return path
