"""What the tests ask of the browser and what they hear back: a process of Node that drives Chromium."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fixtures.node import Conversation, NodeProject, conversation


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

    def __init__(self, script: Conversation) -> None:
        self._script = script
        ready = script.hear()
        self.client: int = ready["client"]
        self.elsewhere: int = ready["elsewhere"]

    def visit(
        self,
        who: str,
        *steps: Sequence[str],
        scheme: str = "light",
        width: int = 1200,
        scale: float = 2,
        scripts: bool = True,
        strange: str = "",
    ) -> Visit:
        """One page from ``steps``. ``who`` has cookies of their own, from their first visit on; ``strange`` is the
        markup of whoever is elsewhere. Raises ``AssertionError`` when a step cannot be made."""
        device = {"scheme": scheme, "width": width, "scale": scale, "scripts": scripts}
        asked = {"who": who, "steps": steps, **device, "strange": strange}
        return Visit(**self._script.ask(asked))


@contextmanager
def running_browser(project: NodeProject, chromium: Path, folder: Path) -> Generator[Browser]:
    """Ends with the block, with all it started."""
    axe = project.folder / "node_modules" / "axe-core" / "axe.min.js"
    with conversation(project, "browse.js", chromium, axe, folder=folder) as script:
        yield Browser(script)
