"""The person at a client: what it opens in their browser they look at in Chromium, sign in there and agree."""

import asyncio
import os
import select
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from tests.fixtures.doctored_deployment import PASSPHRASE
from tests.sign_in.browser import Browser

OPENED_S = 60.0
_MOST = 4096
"""What a pipe takes in one piece, so that no address is read in halves."""
_visitors = count()


@dataclass(frozen=True)
class Person:
    """``environ`` is for a client's process: it opens addresses by the command that ``BROWSER`` names."""

    browser: Browser
    environ: dict[str, str]
    opened: int

    def lets_in(self) -> str:
        """Goes to what a client opens and agrees to it; where the browser ended. Raises ``AssertionError`` when nothing
        is opened."""
        readable, _, _ = select.select([self.opened], [], [], OPENED_S)
        assert readable, "the client opened nothing"
        [address] = os.read(self.opened, _MOST).decode().split()
        return self.agrees_at(address)

    def agrees_at(self, address: str) -> str:
        """Signs in at ``address`` as somebody this browser has not seen, and allows it; where the browser ended."""
        visit = self.browser.visit(
            f"person {next(_visitors)}",
            ("goto", address),
            ("fill", "Passphrase", PASSPHRASE),
            ("press", "Sign in"),
            ("press", "Allow"),
        )
        assert visit.statuses == [200, 303, 200, 303, *visit.statuses[4:]]
        return visit.url

    async def agrees(self, address: str) -> str:
        return await asyncio.to_thread(self.agrees_at, address)


@contextmanager
def person_at(browser: Browser, folder: Path, path: str) -> Generator[Person]:
    """``folder`` is their home; ``path`` is where their programs are."""
    pipe, command, home = folder / "opened", folder / "open-in-browser", folder / "home"
    home.mkdir()
    os.mkfifo(pipe)
    command.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$1\" > '{pipe}'\n")
    command.chmod(0o755)
    # Open for both ends, so that no client waits for a reader and no reader sees an end between two clients.
    opened = os.open(pipe, os.O_RDWR)
    try:
        # No word of a screen: openers that find one look no further for a browser.
        environ = {"PATH": path, "HOME": str(home), "BROWSER": str(command), "LANG": "C.UTF-8"}
        yield Person(browser, environ, opened)
    finally:
        os.close(opened)
