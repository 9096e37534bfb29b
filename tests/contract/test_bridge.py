"""``emit`` and ``ui`` are ordinary bridge functions, and no endpoint shows what a protocol does not know (M8, U7)."""

import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from connecta.sandbox.config import installed_config
from connecta.sandbox.sandbox import Sandbox
from connecta.text import Json
from tests.fixtures.programs import outcome_of, value_of

ROOT = Path(__file__).resolve().parents[2]
BRIDGE = (*sorted((ROOT / "src/connecta/sandbox").glob("*.py")), *sorted((ROOT / "layers/quickjs").glob("*.[pj][ys]")))
NAMED_FOR_PEOPLE = {"source.py", "config.py"}
"""Hints for programs may name a function, and the list of operations is where a bridge is told of them."""


@asynccontextmanager
async def bridging(*operations: str) -> AsyncGenerator[Sandbox]:
    sandbox = Sandbox(installed_config(operations=operations))
    try:
        yield sandbox
    finally:
        await sandbox.close()


@pytest.mark.parametrize("path", [p for p in BRIDGE if p.name not in NAMED_FOR_PEOPLE], ids=lambda path: path.name)
def test_the_protocol_between_parent_and_child_knows_neither_emit_nor_ui(path: Path) -> None:
    """M8."""
    assert re.findall(r"\b(?:connecta\.)?(?:emit|ui)\b", path.read_text()) == []


@pytest.mark.parametrize("operations", [("ui",), ("emit", "ui"), ("paint", "ui")])
async def test_any_sandbox_that_bridges_functions_gets_ui(operations: tuple[str, ...]) -> None:
    """U7: it crosses like whatever else is bridged, and is there exactly when it is named."""
    taken: list[tuple[str, list[Json]]] = []

    async def host(operation: str, args: list[Json]) -> Json:
        taken.append((operation, args))
        return None

    async with bridging(*operations) as sandbox:
        program = "async () => { for (const name of Object.keys(connecta)) await connecta[name]('<p>', { name }); }"
        assert await value_of(sandbox, program, host) is None
    assert sorted(taken) == [(name, ["<p>", {"name": name}]) for name in sorted(operations)]


async def test_a_sandbox_without_ui_says_so_by_name() -> None:
    """U7, E6."""
    async with bridging("search") as sandbox:
        outcome = await outcome_of(sandbox, "async () => connecta.ui('<p>')")
    assert outcome.failure is not None
    assert (outcome.failure.code, "connecta.ui" in outcome.failure.message) == ("run_error", True)
