"""Walks through the preview's page, step by step, in a Chromium that a process of Node drives."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fixtures.node import Conversation, NodeProject, conversation

ANSWER_S = 120.0

Step = tuple[str, ...]
"""A name of ``STEPS`` in ``preview.js``, and its arguments."""


@dataclass(frozen=True)
class Walked:
    """``kept`` is what each step came to; ``complaints`` what the browser's console and the page's errors said."""

    kept: list[Any]
    complaints: list[str]


class Walker:
    """Opens the page anew for each walk."""

    def __init__(self, script: Conversation) -> None:
        self._script = script

    def walk(
        self, url: str, steps: Sequence[Step], *, width: int = 1440, height: int = 1000, scheme: str = "light"
    ) -> Walked:
        """Raises ``AssertionError`` when a step cannot be taken or waits in vain."""
        walk = {"url": url, "steps": steps, "width": width, "height": height, "scheme": scheme}
        return Walked(**self._script.ask(walk))


@contextmanager
def running_walker(project: NodeProject, chromium: Path, folder: Path) -> Generator[Walker]:
    """A walker with a browser of its own. Both end with the block, and when this process dies without leaving it."""
    with conversation(project, "preview.js", chromium, folder=folder, answer_s=ANSWER_S) as script:
        yield Walker(script)
