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
from bench.targets import AtMost, Times, verdict

RESULTS = Path(__file__).parent / "results"
COLD_TARGET = Times(3.5)
WIDTH = 34


@dataclass(frozen=True, slots=True)
class Measured:
    """One run of the bench: ``requests`` of each kind, by the name of what was asked."""

    requests: int
    warm: Mapping[str, Timing]
    programs: Mapping[str, Sequence[float]]
    memory: SandboxMemory
    cold: ColdImport


def print_tables(measured: Measured) -> None:
    _print_requests(measured.warm)
    _print_programs(measured.programs)
    _print_memory(measured.memory)
    _print_cold(measured.cold)


def _print_requests(timings: Mapping[str, Timing]) -> None:
    echo = p50(timings[ECHO.name].own_ms)
    print(f"\n{'whole request, ms':{WIDTH}} {'p50':>9} {'p95':>9} {'× echo':>9} {'state p50':>9}  target")
    for scenario in (ECHO, *SCENARIOS):
        timing = timings[scenario.name]
        own = p50(timing.own_ms)
        numbers = f"{own:9.2f} {p95(timing.own_ms):9.2f} {own / echo:8.1f}× {p50(timing.state_ms):9.2f}"
        print(f"{scenario.name:{WIDTH}} {numbers}  {verdict(scenario.target, own, echo)}")
    print("p50, p95 and ratios are without the time spent in state, which is an emulator's here.")


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
