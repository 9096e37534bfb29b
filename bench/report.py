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

from bench.callers import KNOWN_TARGET, NOBODY
from bench.catalogs import LOADS, CatalogLoad
from bench.cold import ColdImport
from bench.measuring import Timing, p50, p95
from bench.memory import HEADROOM_MIB, IDLE_AT_MOST, ProcessMemory, SandboxMemory
from bench.programs import CASES
from bench.recording import Recording, Requests
from bench.rendering import Rendering
from bench.scenarios import ECHO, SCENARIOS
from bench.search_quality import Compared, Quality
from bench.search_speed import SearchSpeed
from bench.targets import AtMost, Times, verdict
from bench.views import Views, print_views

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
    recording: Mapping[str, Recording]
    callers: Mapping[str, Sequence[float]]
    programs: Mapping[str, Sequence[float]]
    memory: SandboxMemory
    cold: ColdImport
    search: Sequence[SearchSpeed]
    quality: Mapping[str, Compared]
    catalogs: Sequence[CatalogLoad]
    rendering: Mapping[str, Rendering]
    views: Views


def print_tables(measured: Measured) -> None:
    _print_requests(measured.warm)
    _print_recording(measured.recording)
    print_callers(measured.callers)
    _print_programs(measured.programs)
    _print_memory(measured.memory)
    print_search_speed(measured.search)
    print_search_quality(measured.quality)
    _print_catalogs(measured.catalogs)
    _print_rendering(measured.rendering)
    print_views(measured.views)
    _print_cold(measured.cold)


def _print_requests(timings: Mapping[str, Timing]) -> None:
    echo = p50(timings[ECHO.name].own_ms)
    print(
        f"\n{'whole request, ms':{WIDTH}} {'p50':>9} {'p95':>9} {'× echo':>9} {'tool p50':>9} {'state p50':>9}"
        f" {'record p50':>10}  target"
    )
    for scenario in (ECHO, *SCENARIOS):
        timing = timings[scenario.name]
        own = p50(timing.own_ms)
        tool = p50(timing.own_tool_ms)
        numbers = f"{own:9.2f} {p95(timing.own_ms):9.2f} {own / echo:8.1f}× {tool:9.2f} {p50(timing.state_ms):9.2f}"
        numbers += f" {p50(timing.record_ms):10.2f}"
        print(f"{scenario.name:{WIDTH}} {numbers}  {verdict(scenario.target, own, echo)}")
        if scenario.tool_target is not None:
            print(f"{'  of which the tool':{WIDTH}} {tool:9.2f} {p95(timing.own_tool_ms):9.2f}", end="")
            print(f"{verdict(scenario.tool_target, tool):>60}")
    print(
        "p50, p95, ratios and tool are without the time spent in state and in recording calls, which is an emulator's "
        "here. The tool is from its arguments to its answer, without HTTP and MCP around it; what it calls is free."
    )


def _print_recording(recordings: Mapping[str, Recording]) -> None:
    print(f"\n{'recording calls, ms':{WIDTH}} {'p50':>9} {'p95':>9} {'CPU p50':>9}")
    for name, recording in recordings.items():
        for how, taken in (("written", recording.written), ("not written", recording.unwritten)):
            print(f"{f'{name}, {how}':{WIDTH + 12}} {_times(taken)}")
    print("Turn by turn. p50 and p95 are with the emulator; CPU is of our process alone, its threads included.")


def print_callers(callers: Mapping[str, Sequence[float]]) -> None:
    """A row for each way to come in; the target is for those that know who asks, over the one that does not."""
    print(f"\n{'tools/list by its caller, ms':{WIDTH}} {'p50':>9} {'p95':>9} {'× nobody':>9}  target")
    nobody = p50(callers[NOBODY])
    for name, taken in callers.items():
        ratio = p50(taken) / nobody
        met = "met" if ratio <= KNOWN_TARGET else "MISSED"
        said = "" if name == NOBODY else f"  {met} (≤ {KNOWN_TARGET:g}×)"
        print(f"{name:{WIDTH}} {p50(taken):9.2f} {p95(taken):9.2f} {ratio:8.2f}×{said}")
    print("Turn by turn, state included: a token was verified within the last 30 s.")


def _times(taken: Requests) -> str:
    return f"{p50(taken.wall_ms):9.2f} {p95(taken.wall_ms):9.2f} {p50(taken.cpu_ms):9.2f}"


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


def print_search_quality(sets: Mapping[str, Compared]) -> None:
    """A row for each set and one for plain BM25 on it. The target is for the golden one."""
    print(f"\n{'search quality':{WIDTH}} {'R@1':>9} {'R@5':>9} {'R@10':>9} {'MRR':>9}  target")
    for name, compared in sets.items():
        met = "met" if compared.ours.recall_5 >= RECALL_5_TARGET else "MISSED"
        said = f"  {met} (R@5 ≥ {RECALL_5_TARGET})" if name == "golden" else ""
        _print_quality(f"{name}, {compared.queries} queries", compared.ours, said)
        _print_quality("  plain BM25", compared.plain)


def _print_quality(name: str, quality: Quality, said: str = "") -> None:
    recalls = f"{quality.recall_1:9.3f} {quality.recall_5:9.3f} {quality.recall_10:9.3f}"
    print(f"{name:{WIDTH}} {recalls} {quality.reciprocal_rank:9.3f}{said}")


def _print_catalogs(loads: Sequence[CatalogLoad]) -> None:
    print(f"\n{'catalog from DynamoDB, ms':{WIDTH}} {'p50':>9} {'p95':>9} {'CPU p50':>9} {'JSON MB':>9} {'held MB':>9}")
    for load in loads:
        times = f"{p50(load.load_ms):9.1f} {p95(load.load_ms):9.1f} {p50(load.cpu_ms):9.1f}"
        print(f"{f'{load.tools:,} tools':{WIDTH}} {times} {load.payload_bytes / 1e6:9.2f} {load.held_bytes / 1e6:9.1f}")
    before, last = loads[-2], loads[-1]
    grown = p50(last.cpu_ms) / p50(before.cpu_ms)
    said = f"{grown:.1f}× the CPU time for {last.tools / before.tools:.0f}× the tools"
    print(f"{said}. {LOADS} loads each; p50 and p95 are with the emulator.")


def _print_rendering(renderings: Mapping[str, Rendering]) -> None:
    """A row for each schema, and one for all of them together."""
    print(f"\n{'describing a tool, µs':{WIDTH}} {'p50':>9} {'p95':>9} {'JSON p50':>9} {'JSON p95':>9} {'bytes':>9}")
    for name, each in renderings.items():
        print(f"{name:{WIDTH}} {_both(each.compact_us, each.json_us)} {each.schema_bytes:9,}")
    compact_us = [taken for each in renderings.values() for taken in each.compact_us]
    json_us = [taken for each in renderings.values() for taken in each.json_us]
    print(f"{'all of them':{WIDTH}} {_both(compact_us, json_us)}")


def _both(compact_us: Sequence[float], json_us: Sequence[float]) -> str:
    return f"{p50(compact_us):9.1f} {p95(compact_us):9.1f} {p50(json_us):9.1f} {p95(json_us):9.1f}"


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
