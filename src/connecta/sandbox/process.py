"""One child process and the two pipes to it.

The pipes stay raw and belong to no event loop, so that a spare started under one loop can serve under another;
a loop watches them only while something waits.
"""

import asyncio
import contextlib
import os
import subprocess
import sysconfig
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from connecta.sandbox.frames import Decoder, Frame

READ_BYTES: Final = 256 * 1024
EXIT_S: Final = 0.5
"""A child that has closed its output is given this long to be gone, for its exit status to be read."""


@cache
def library_environment() -> Mapping[str, str]:
    """The child's whole environment: empty, unless the interpreter's own library has to be found by it.

    Lambda's interpreter is linked to a shared ``libpython`` outside the system's folders.
    """
    if not sysconfig.get_config_var("Py_ENABLE_SHARED"):
        return {}
    mapped = (line.split(maxsplit=5)[-1].strip() for line in Path("/proc/self/maps").read_text().splitlines())
    library = next((path for path in mapped if Path(path).name.startswith("libpython3.")), None)
    return {"LD_LIBRARY_PATH": str(Path(library).parent)} if library else {}


class ChildGone(Exception):
    """The child closed its end."""


class Child:
    """A started child. Whoever holds it ends it with ``end``."""

    def __init__(self, command: Sequence[str], frame_bytes: int) -> None:
        """Starts ``command``. The kernel ends the child when the thread that called this exits (PDEATHSIG)."""
        self._process = subprocess.Popen(  # noqa: S603 - a fixed command of ours, no shell
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=library_environment(),
            cwd="/",
            close_fds=True,
            start_new_session=True,
            bufsize=0,
        )
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("the child was started without pipes")
        self._input = self._process.stdin
        self._output = self._process.stdout
        os.set_blocking(self._input.fileno(), False)
        os.set_blocking(self._output.fileno(), False)
        self._decoder = Decoder(frame_bytes)
        self.greeted = False
        """Its report has been read and found good."""

    @property
    def pid(self) -> int:
        return self._process.pid

    async def receive(self) -> Frame:
        """The next frame. Raises ``ChildGone`` at the end and ``ProtocolError`` on an oversized frame."""
        while (frame := self._decoder.next()) is None:
            try:
                data = os.read(self._output.fileno(), READ_BYTES)
            except BlockingIOError:
                loop = asyncio.get_running_loop()
                await _ready(self._output.fileno(), loop.add_reader, loop.remove_reader)
                continue
            if not data:
                raise ChildGone
            self._decoder.feed(data)
        return frame

    async def send(self, data: bytes) -> None:
        """Writes all of ``data``; one sender at a time. Raises ``ChildGone`` when nobody reads."""
        left = memoryview(data)
        while left:
            try:
                left = left[os.write(self._input.fileno(), left) :]
            except BlockingIOError:
                loop = asyncio.get_running_loop()
                await _ready(self._input.fileno(), loop.add_writer, loop.remove_writer)
            except (BrokenPipeError, ValueError) as error:  # ValueError: the pipe was closed by ``end``
                raise ChildGone from error

    async def exit_status(self) -> int | None:
        """The status the child ends with by itself, a negative signal number included; ``None`` if it lives on.

        To be asked before ``end``, which would overwrite it.
        """
        try:
            watched = os.pidfd_open(self._process.pid)
        except OSError:
            return self._process.poll()
        try:
            loop = asyncio.get_running_loop()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(EXIT_S):
                    await _ready(watched, loop.add_reader, loop.remove_reader)
        finally:
            os.close(watched)
        return self._process.poll()

    def kill(self) -> None:
        """Stops the child and leaves the rest to ``end``; whoever listens sees it gone."""
        self._process.kill()

    def stop(self) -> None:
        """Kills and closes, and leaves only the kernel's teardown to ``end``; safe to repeat."""
        if self._process.returncode is None:
            self._process.kill()
        self._input.close()
        self._output.close()

    def end(self) -> None:
        """Kills, closes and reaps; safe to repeat. Blocks for the kernel's teardown only."""
        self.stop()
        self._process.wait()


async def _ready(fd: int, watch: Callable[[int, Callable[[], None]], None], unwatch: Callable[[int], bool]) -> None:
    waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    watch(fd, lambda: None if waiter.done() else waiter.set_result(None))
    try:
        await waiter
    finally:
        unwatch(fd)
