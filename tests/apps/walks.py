"""Walks through the preview's page, step by step, in a Chromium that a process of Node drives."""

import json
import os
import select
import signal
import subprocess
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fixtures.node import NodeProject

ANSWER_S = 120.0
STOP_S = 15.0

Step = tuple[str, ...]
"""A name of ``STEPS`` in ``preview.js``, and its arguments."""


@dataclass(frozen=True)
class Walked:
    """``kept`` is what each step came to; ``complaints`` what the browser's console and the page's errors said."""

    kept: list[Any]
    complaints: list[str]


class Walker:
    """Opens the page anew for each walk."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self._process = process
        self._log = log

    def walk(
        self, url: str, steps: Sequence[Step], *, width: int = 1440, height: int = 1000, scheme: str = "light"
    ) -> Walked:
        """Raises ``AssertionError`` when a step cannot be taken or waits in vain."""
        told = self._ask({"url": url, "steps": steps, "width": width, "height": height, "scheme": scheme})
        assert "error" not in told, told["error"]
        return Walked(**told)

    def _ask(self, walk: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(walk).encode() + b"\n")
        self._process.stdin.flush()
        readable, _, _ = select.select([self._process.stdout], [], [], ANSWER_S)
        line = self._process.stdout.readline() if readable else b""
        assert line, f"the walker gave no report:\n{self._log.read_text()[-4000:]}"
        return json.loads(line)


@contextmanager
def running_walker(project: NodeProject, chromium: Path, folder: Path) -> Generator[Walker]:
    """A walker with a browser of its own. Both end with the block, and when this process dies without leaving it."""
    log = folder / "walker.log"
    with (
        log.open("wb") as errors,
        subprocess.Popen(
            [project.node, project.folder / "preview.js", chromium],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
        ) as process,
    ):
        try:
            yield Walker(process, log)
        finally:
            assert process.stdin is not None
            process.stdin.close()
            try:
                process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
