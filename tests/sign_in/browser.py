"""What the tests ask of the browser and what they hear back: a process of Node that drives Chromium."""

import json
import os
import select
import signal
import subprocess
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fixtures.node import NodeProject

ANSWER_S = 90.0
STOP_S = 15.0


@dataclass(frozen=True)
class Visit:
    """Where a visit ended, the status of every page on the way, what each step found, and what the browser held
    against it."""

    url: str
    statuses: list[int]
    said: list[Any]
    complaints: list[str]


class Browser:
    """``client`` is the port of a client whose callback sends the browser on to ``elsewhere``, another origin."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self._process = process
        self._log = log
        ready = self._answer()
        self.client: int = ready["client"]
        self.elsewhere: int = ready["elsewhere"]

    def visit(
        self,
        who: str,
        *steps: Sequence[str],
        scheme: str = "light",
        width: int = 1200,
        scripts: bool = True,
        strange: str = "",
    ) -> Visit:
        """One page from ``steps``. ``who`` has cookies of their own, from their first visit on; ``strange`` is the
        markup of whoever is elsewhere. Raises ``AssertionError`` when a step cannot be made."""
        assert self._process.stdin is not None
        asked = {"who": who, "steps": steps, "scheme": scheme, "width": width, "scripts": scripts, "strange": strange}
        self._process.stdin.write(json.dumps(asked).encode() + b"\n")
        self._process.stdin.flush()
        return Visit(**self._answer())

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        readable, _, _ = select.select([self._process.stdout], [], [], ANSWER_S)
        line = self._process.stdout.readline() if readable else b""
        assert line, f"the browser gave no report:\n{self._log.read_text()[-4000:]}"
        told = json.loads(line)
        assert "error" not in told, told["error"]
        return told


@contextmanager
def running_browser(project: NodeProject, chromium: Path, folder: Path) -> Generator[Browser]:
    """Ends with the block, with all it started."""
    axe, log = project.folder / "node_modules" / "axe-core" / "axe.min.js", folder / "browser.log"
    with (
        log.open("wb") as errors,
        subprocess.Popen(
            [project.node, project.folder / "browse.js", chromium, axe],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
        ) as process,
    ):
        try:
            yield Browser(process, log)
        finally:
            assert process.stdin is not None
            process.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                process.wait(STOP_S)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
