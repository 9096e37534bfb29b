"""Where programs run: a fresh child for each, with spares started ahead."""

import asyncio
import contextlib
import time
from dataclasses import dataclass
from typing import Final

from connecta.failures import Failure
from connecta.log import logger
from connecta.sandbox import run_failures
from connecta.sandbox.config import FRAME_SPARE, SandboxConfig
from connecta.sandbox.frames import ProtocolError, TooDeep, encode, parse
from connecta.sandbox.hardening import HardeningStatus, hardening_status, make_parent_undumpable, running_as_root
from connecta.sandbox.logs import Logs
from connecta.sandbox.process import Child, ChildGone
from connecta.sandbox.run import Ending, Host, Run, Vanished
from connecta.sandbox.source import unfenced
from connecta.text import Json, Missing, ascii_json

HELLO_S: Final = 10.0
SPARE_AFTER_S: Final = 0.01
"""A program that runs this long most likely waits for the network, which leaves the processor to the next spare.
Started at once, the spare would take it from the many programs that end sooner; theirs comes after the answer."""
NO_START: Final = "the process that runs them does not start"


@dataclass(frozen=True)
class Outcome:
    """How one run ended. ``start_ms`` is the wait for a ready child, ``wall_ms`` the whole run, ``cpu_ms`` the
    guest's own CPU."""

    value: Json | Missing
    failure: Failure | None
    said: str
    """The message of what the program threw, as it was; empty where it threw nothing."""
    logs: str
    start_ms: float
    wall_ms: float
    cpu_ms: float


class Sandbox:
    """One per process. Runs may overlap; how many is for whoever admits them to say."""

    def __init__(self, config: SandboxConfig) -> None:
        self._config = config
        self._command = config.command()
        self._frame_bytes = 3 * max(config.limits.bridge_bytes, config.limits.run_result_bytes) + FRAME_SPARE
        self._parent_step = make_parent_undumpable()
        self._status: HardeningStatus | None = None
        self._spares: list[Child] = []
        self._stopped: list[Child] = []
        self._closed = False

    def status(self) -> HardeningStatus | None:
        """Hardening as the last child that became ready reported it; ``None`` before the first."""
        return self._status

    async def warm(self) -> None:
        """Starts the spare, and waits until it is ready and ``status`` known. Raises ``sandbox_unavailable``."""
        try:
            async with asyncio.timeout(HELLO_S):
                child = await self._started(b"")
        except TimeoutError as error:
            raise run_failures.sandbox_unavailable(NO_START) from error
        if len(self._spares) < self._config.limits.spares and not self._closed:
            self._spares.append(child)
        else:
            child.end()
        self.prepare()

    async def close(self) -> None:
        """Ends the spares. No run may be under way, and none runs afterwards."""
        self._closed = True
        self._stopped += self._spares
        self._spares.clear()
        self.reap()

    def reap(self) -> None:
        """Waits until the processes of ended runs are gone (L2): to be called once an answer is ready, before it
        leaves. The programs are dead when ``run`` returns, and the kernel takes them down while the answer is written.
        """
        while self._stopped:
            self._stopped.pop().end()

    def prepare(self) -> None:
        """Starts the spares that are missing: for when an answer has left, or nothing else is to be done.

        In the thread the event loop runs in: a child dies with the thread that started it.
        """
        try:
            while len(self._spares) < self._config.limits.spares and not self._closed:
                self._spares.append(self._spawned())
        except Failure:
            return  # the next run starts its own child and reports why that fails

    async def run(self, program: str, host: Host, *, deadline_s: float) -> Outcome:
        """Runs ``program`` to its end, at most ``deadline_s`` seconds, and leaves nothing of it but what ``reap``
        clears away.

        Never raises for what a program did: that is ``Outcome.failure``. What ``host`` raises beside ``Failure``
        comes out as it is.
        """
        began = time.perf_counter()
        timer, logs, start_ms = asyncio.timeout(deadline_s), Logs(self._config.limits.log_chars), 0.0
        conversations = contextlib.AsyncExitStack()
        async with conversations:
            try:
                async with timer:
                    source = unfenced(self._admissible(program))
                    message = encode("P", ascii_json(source).encode("ascii"))
                    child = await self._started(message)
                    start_ms = _ms_since(began)
                    try:
                        ending = await self._run(child, host, source, logs, conversations).ending()
                    except Vanished:
                        child = await self._started(message)
                        ending = await self._run(child, host, source, logs, conversations).ending()
            except TimeoutError:
                if not timer.expired():
                    raise
                ending = Ending(failure=run_failures.run_deadline(deadline_s))
            except Vanished:
                ending = Ending(failure=run_failures.run_crashed())
            except Failure as failure:
                ending = Ending(failure=failure)
        return Outcome(ending.value, ending.failure, ending.said, logs.text, start_ms, _ms_since(began), ending.cpu_ms)

    def _run(self, child: Child, host: Host, source: str, logs: Logs, conversations: contextlib.AsyncExitStack) -> Run:
        """A run that ends with ``conversations``, whatever comes, and with it its child and its calls (L2)."""
        run = Run(child, host, self._config, source, logs)
        replacing = asyncio.get_running_loop().call_later(SPARE_AFTER_S, self.prepare)

        async def close() -> None:
            replacing.cancel()
            try:
                await run.close()
            finally:
                self._stopped.append(child)

        conversations.push_async_callback(close)
        return run

    def _admissible(self, program: str) -> str:
        if self._closed:
            raise Failure("executor_closed", "This server is shutting down and runs no more programs.")
        length = len(program.encode("utf-8", "surrogatepass"))
        if length > self._config.limits.program_bytes:
            raise run_failures.program_too_long(length, self._config.limits)
        return program

    async def _started(self, message: bytes) -> Child:
        """A child that is ready and has been sent ``message``: the spare where it is still good, else a fresh one."""
        while self._spares:
            # A spare may have died in a freeze, or with the thread that started it: a miss, not an error.
            with contextlib.suppress(ChildGone, ProtocolError):
                return await self._sent(self._spares.pop(0), message)
        try:
            return await self._sent(self._spawned(), message)
        except (ChildGone, ProtocolError) as error:
            logger.error("The process that runs programs does not start.", extra={"command": self._command[:5]})
            self._status = HardeningStatus({"start": NO_START}, ("start",), ())
            raise run_failures.sandbox_unavailable(NO_START) from error

    async def _sent(self, child: Child, message: bytes) -> Child:
        try:
            await self._greeted(child)
            await child.send(message)
        except BaseException:
            child.end()
            raise
        return child

    async def _greeted(self, child: Child) -> None:
        """Waits for the child's report and refuses it when a required wall is missing."""
        if child.greeted:
            return
        frame = await child.receive()
        try:
            steps = parse(frame.payload, 1)
        except TooDeep as error:
            raise ProtocolError("no report") from error
        if frame.kind != "Y" or not isinstance(steps, dict):
            raise ProtocolError("no report")
        reported = {step: str(outcome) for step, outcome in steps.items()}
        reported["parent_not_dumpable"] = self._parent_step
        status = hardening_status(reported, strict=self._config.strict, root=running_as_root())
        if status != self._status and (status.missing or status.degraded):
            logger.warning("Programs are not walled in as they should be.", extra={"steps": dict(status.steps)})
        self._status = status
        if not status.ready:
            raise run_failures.sandbox_unavailable(
                "hardening is incomplete, and these steps are required: " + ", ".join(status.missing)
            )
        child.greeted = True

    def _spawned(self) -> Child:
        try:
            return Child(self._command, self._frame_bytes)
        except OSError as error:
            raise run_failures.sandbox_unavailable("their process cannot be started") from error


def _ms_since(began: float) -> float:
    return (time.perf_counter() - began) * 1000
