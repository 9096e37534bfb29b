"""A downstream that holds every request until the test lets it go, and knows who hung up meanwhile.

``/wait`` is held; ``/somebody`` answers as soon as somebody has come to wait.
"""

import select
import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.fixtures.http_server import Handler, serving

LONGEST_S = 20.0


@dataclass
class Gate:
    """``url`` is its base URL. Requests count as ``arrived`` for good, and as ``left`` once their client is gone."""

    url: str = ""
    arrived: int = 0
    left: int = 0
    changed: threading.Condition = field(default_factory=threading.Condition)
    opened: threading.Event = field(default_factory=threading.Event)

    def wait_for_arrivals(self, count: int) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: self.arrived >= count, LONGEST_S), f"{self.arrived} arrived"

    def wait_for_leavers(self, count: int) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: self.left >= count, LONGEST_S), f"{self.left} left"

    def open(self) -> None:
        """Lets go whatever waits, and whatever comes after it."""
        self.opened.set()

    def note(self, *, left: bool) -> None:
        with self.changed:
            self.left += left
            self.arrived += not left
            self.changed.notify_all()


@contextmanager
def running_gate() -> Generator[Gate]:
    gate = Gate()

    class Hold(Handler):
        def do_GET(self) -> None:
            if self.path == "/somebody":
                gate.wait_for_arrivals(1)
                self._answer()
                return
            gate.note(left=False)
            if _held(self.connection, gate.opened):
                self._answer()
            else:
                gate.note(left=True)

        def _answer(self) -> None:
            self.reply(200, b"true", connection="close")

    with serving(Hold) as gate.url:
        try:
            yield gate
        finally:
            gate.open()


def _held(connection: socket.socket, opened: threading.Event) -> bool:
    """Whether the client stayed until the gate opened: one that hangs up makes its socket readable."""
    while not opened.wait(0.02):
        if select.select([connection], [], [], 0)[0]:
            return False
    return True
