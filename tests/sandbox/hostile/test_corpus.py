"""Every hostile program has its documented outcome, and is gone when it has ended (guest-api.md E5, L2, L5, L8, P3)."""

import os
import re
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from connecta.limits import LIMITS
from connecta.program.functions import GuestFunctions
from connecta.program.output import Output
from connecta.sandbox.config import installed_config
from connecta.sandbox.run import Host
from connecta.sandbox.sandbox import Sandbox
from tests.fixtures.desk import Desk
from tests.fixtures.programs import children, echo, open_files, outcome_of, value_of
from tests.fixtures.scopes import Bench, bench
from tests.sandbox.hostile import bridge, cpu, floods, memory, promises, recursion, tampering, values
from tests.sandbox.hostile.model import Hostile

CORPUS = [
    each for theme in (cpu, memory, recursion, tampering, promises, values, floods, bridge) for each in theme.PROGRAMS
]
SHORTCUTS = {"echo": {"docs": "docs-site"}, "desk": {"desk": "desk"}}
DEADLINE_S = 30.0
SHORT_S = 0.5
"""For the programs that wait for a call without an end."""
FRESH = (
    "async () => { const a = [3, 1, 2].sort(); return [a, (await connecta.call('x', { y: 1 })).args, typeof leftover] }"
)
PRELUDE_LINE = re.compile(r"line (?:8[2-9]|9\d)\d\d,")
"""The harness lies below the program's own lines, of which there are 8,192; no message names one of its own."""
FRESH_VALUE = [[1, 2, 3], ["x", {"y": 1}], "undefined"]


@pytest.fixture
def place() -> Bench:
    return bench([Desk().connector])


def test_the_corpus_has_at_least_120_programs_that_all_differ() -> None:
    names, programs = {each.name for each in CORPUS}, {each.program for each in CORPUS}
    assert len(names) == len(programs) == len(CORPUS) >= 120


@pytest.mark.parametrize("hostile", CORPUS, ids=lambda hostile: hostile.name)
async def test_a_hostile_program_has_its_outcome_and_leaves_nothing(
    hostile: Hostile, place: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """E5, L2: and the same sandbox runs the next program as if nothing had happened."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    files = open_files()
    limits = replace(LIMITS, cpu_ms=hostile.cpu_ms, spares=0)
    sandbox = Sandbox(installed_config(shortcuts=SHORTCUTS[hostile.host], limits=limits))
    async with place.scope() as scope:
        host: Host = GuestFunctions(scope, Output(scope.limits)) if hostile.host == "desk" else echo
        deadline_s = SHORT_S if hostile.code == "run_deadline" else DEADLINE_S
        outcome = await outcome_of(sandbox, hostile.program, host, deadline_s=deadline_s)
        next_value = await value_of(sandbox, FRESH)
    await sandbox.close()
    await place.services.state.close()
    code = outcome.failure.code if outcome.failure else None
    message = outcome.failure.message if outcome.failure else ""
    assert (code, message if code else outcome.value) == (hostile.code, message if code else hostile.value)
    assert hostile.says in message
    assert PRELUDE_LINE.search(message) is None
    assert len(outcome.logs) <= LIMITS.log_chars
    assert hostile.logs in (None, outcome.logs)
    assert (next_value, children(), open_files(), os.listdir(tmp_path)) == (FRESH_VALUE, [], files, [])
