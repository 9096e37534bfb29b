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
from connecta.sandbox.run import Ending, Host, Missing, Run, Vanished
from connecta.sandbox.source import unfenced
from connecta.text import Json, ascii_json

HELLO_S: Final = 10.0
SPARE_AFTER_S: Final = 0.01
"""A program that runs this long most likely waits for the network, which leaves the processor to the next spare.
Started at once, the spare would take it from the many programs that end sooner; theirs comes with ``settle``."""
NO_START: Final = "the process that runs them does not start"


@dataclass(frozen=True)
class Outcome:
    """How one run ended. ``start_ms`` is the wait for a ready child, ``wall_ms`` the whole run, ``cpu_ms`` the
    guest's own CPU."""

    value: Json | Missing
    failure: Failure | None
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
        self._start_spares()

    async def close(self) -> None:
        """Ends the spares. No run may be under way, and none runs afterwards."""
        self._closed = True
        self._stopped += self._spares
        self._spares.clear()
        self._reap()

    def settle(self) -> None:
        """Waits until the processes of ended runs are gone (L2), and sees to it that the spares are there again.

        To be called after ``run``, once its answer is ready and before it leaves: the programs are dead when ``run``
        returns, and the kernel takes them down while the answer is written.
        """
        self._reap()
        self._start_spares()

    def _reap(self) -> None:
        while self._stopped:
            self._stopped.pop().end()

    async def run(self, program: str, host: Host, *, deadline_s: float) -> Outcome:
        """Runs ``program`` to its end, at most ``deadline_s`` seconds, and leaves nothing of it but what ``settle``
        clears away.

        Never raises for what a program did: that is ``Outcome.failure``. What ``host`` raises beside ``Failure``
        comes out as it is.
        """
        began = time.perf_counter()
        timer, logs, start_ms = asyncio.timeout(deadline_s), Logs(self._config.limits.log_chars), 0.0
        try:
            async with timer:
                source = unfenced(self._admissible(program))
                message = encode("P", ascii_json(source).encode("ascii"))
                child = await self._started(message)
                start_ms = _ms_since(began)
                try:
                    ending = await self._heard_out(Run(child, host, self._config, source, logs))
                except Vanished:
                    child = await self._started(message)
                    ending = await self._heard_out(Run(child, host, self._config, source, logs))
        except TimeoutError:
            if not timer.expired():
                raise
            ending = Ending(failure=run_failures.run_deadline(deadline_s))
        except Vanished:
            ending = Ending(failure=run_failures.run_crashed())
        except Failure as failure:
            ending = Ending(failure=failure)
        return Outcome(ending.value, ending.failure, logs.text, start_ms, _ms_since(began), ending.cpu_ms)

    async def _heard_out(self, run: Run) -> Ending:
        """How ``run`` ends; whatever comes, its child and its calls end with it (L2)."""
        replacing = asyncio.get_running_loop().call_later(SPARE_AFTER_S, self._start_spares)
        try:
            return await run.ending()
        finally:
            replacing.cancel()
            self._stopped.append(run.child)
            await run.close()

    def _admissible(self, program: str) -> str:
        if self._closed:
            raise Failure("executor_closed", "This server is shutting down and runs no more programs.")
        if len(program.encode("utf-8", "surrogatepass")) > self._config.limits.program_bytes:
            raise run_failures.program_too_long(self._config.limits)
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

    def _start_spares(self) -> None:
        try:
            while len(self._spares) < self._config.limits.spares and not self._closed:
                self._spares.append(self._spawned())
        except Failure:
            return  # the next run starts its own child and reports why that fails


def _ms_since(began: float) -> float:
    return (time.perf_counter() - began) * 1000
