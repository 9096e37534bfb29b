"""How much memory the processes of the sandbox take: the spare that waits, and a program with a full heap."""

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path

from bench.targets import AtMost
from connecta.limits import LIMITS
from connecta.sandbox.config import installed_config
from connecta.sandbox.sandbox import Sandbox
from connecta.text import Json
from tests.fixtures.programs import children

IDLE_AT_MOST = AtMost(16, "MB")
HEADROOM_MIB = 4
"""What a program fills its heap up to, short of the bound: over it there would be nothing left to measure."""

_FILL = """async () => {{
  const kept = [];
  for (let i = 0; i < {mib}; i++) kept.push(new Uint8Array(1 << 20).fill(1));
  await connecta.call("constant.number");
  return kept.length;
}}"""


@dataclass(frozen=True, slots=True)
class ProcessMemory:
    """Bytes. Shared pages count whole in ``rss``, and in ``pss`` by the share of each process that has them mapped;
    ``pss`` is ``None`` where the kernel keeps it from us, as it does for an undumpable process of anybody but root."""

    rss: int
    pss: int | None


@dataclass(frozen=True, slots=True)
class SandboxMemory:
    idle_spare: ProcessMemory
    full_heap: ProcessMemory


def measure_memory() -> SandboxMemory:
    """To be called while this process has no other child of a sandbox."""
    return asyncio.run(_measured())


async def _measured() -> SandboxMemory:
    sandbox = Sandbox(installed_config(limits=replace(LIMITS, spares=1)))
    try:
        await sandbox.warm()
        idle = _of_the_only_child()
    finally:
        await sandbox.close()
    return SandboxMemory(idle, await _of_a_full_heap())


async def _of_a_full_heap() -> ProcessMemory:
    seen: list[ProcessMemory] = []

    async def host(operation: str, args: list[Json]) -> Json:
        del operation, args
        seen.append(_of_the_only_child())
        return None

    filled = (LIMITS.heap_bytes >> 20) - HEADROOM_MIB
    sandbox = Sandbox(installed_config(limits=replace(LIMITS, spares=0)))
    try:
        outcome = await sandbox.run(_FILL.format(mib=filled), host, deadline_s=LIMITS.run_s)
    finally:
        await sandbox.close()
    if outcome.value != filled:
        raise SystemExit(f"the heap could not be filled: {outcome}")
    return seen[0]


def _of_the_only_child() -> ProcessMemory:
    (pid,) = children()
    rss = _bytes(Path(f"/proc/{pid}/status"), "VmRSS:")
    try:
        return ProcessMemory(rss, _bytes(Path(f"/proc/{pid}/smaps_rollup"), "Pss:"))
    except PermissionError:
        return ProcessMemory(rss, None)


def _bytes(file: Path, field: str) -> int:
    line = next(line for line in file.read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) * 1024
