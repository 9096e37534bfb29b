"""One program's conversation with its child: what it says is bounded here, whatever the child does."""

import asyncio
import contextlib
import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from connecta import failures
from connecta.failures import Failure, quote
from connecta.log import logger
from connecta.sandbox import run_failures
from connecta.sandbox.config import SHORTCUT, SandboxConfig
from connecta.sandbox.frames import Frame, ProtocolError, TooDeep, encode, fields, number, parse
from connecta.sandbox.logs import Logs
from connecta.sandbox.process import Child, ChildGone
from connecta.text import MISSING, Json, JsonObject, Missing, ascii_json, compact, size

Host = Callable[[str, list[Json]], Awaitable[Json]]
"""Answers one host call: operation and arguments in, JSON out; raises ``Failure`` for what went wrong."""

TEXT_CHARS: Final = 8_192
"""What is read of a child's report on an error; the prelude sends less."""


KILLED: Final = (None, 0, -signal.SIGKILL, -signal.SIGTERM)
"""Exit statuses of a child that was ended from outside, or reaped by somebody else; the walls leave a program no way
to any of them, and a crash of its engine is another signal."""


class Vanished(Exception):
    """The child was ended from outside before its first frame: nothing of the program can have been seen yet."""


@dataclass(frozen=True, slots=True)
class Ending:
    """What a program came to: a value, or a failure and no value."""

    value: Json | Missing = MISSING
    failure: Failure | None = None
    cpu_ms: float = 0.0
    said: str = ""
    """The message of what the program threw, as it was."""


class Run:
    """One program in one child. Host calls run as tasks of their own, and none outlives ``close``."""

    def __init__(
        self,
        child: Child,
        host: Host,
        config: SandboxConfig,
        source: str,
        logs: Logs,
    ) -> None:
        self._logs = logs
        self.child = child
        self._host = host
        self._operations = {*config.operations, SHORTCUT}
        self._connectors = config.shortcuts.keys()
        self._limits = config.limits
        self._source = source
        self._calls: dict[int, asyncio.Task[None]] = {}
        self._asked = 0
        self._silent = True
        self._failures: dict[int, Failure] = {}
        self._outbox: list[bytes] = []
        self._sender: asyncio.Task[None] | None = None
        self._defect: BaseException | None = None

    async def ending(self) -> Ending:
        """Listens until the program has ended.

        Raises what a host raised that is no ``Failure``, and ``Vanished``.
        """
        try:
            while True:
                ending = self._heard(await self.child.receive())
                self._silent = False
                if ending is not None:
                    return ending
        except ChildGone:
            if self._defect is not None:
                raise self._defect from None
            status = await self.child.exit_status()
            if status == -signal.SIGPROF:
                return Ending(failure=run_failures.run_cpu(self._limits), cpu_ms=self._limits.cpu_ms)
            if self._silent and status in KILLED:
                raise Vanished from None
            logger.warning("A program's process ended without an answer.", extra={"exit_status": status})
        except TooDeep:
            return Ending(failure=run_failures.result_too_deep(self._limits))
        except ProtocolError as error:  # whoever answers like this is no longer our child
            logger.warning("A program's process broke its protocol.", extra={"what": str(error)})
        return Ending(failure=run_failures.run_crashed())

    async def close(self) -> None:
        """Kills the child, ends every call still in flight (L2) and closes the pipes. The child is left to be reaped.

        In this order: as long as a task waits for a pipe, the event loop knows its number, which would be another's.
        """
        self.child.kill()
        await _cancelled(*self._calls.values())
        # After them: a call may have answered on its way out.
        await _cancelled(*([self._sender] if self._sender else []))
        self.child.stop()

    def _heard(self, frame: Frame) -> Ending | None:
        if frame.kind == "C":
            if self._asked >= 2 * self._limits.bridge_operations:
                return Ending(failure=run_failures.too_many_operations(self._limits))
            self._call(frame.payload)
        elif frame.kind == "L":
            line = parse(frame.payload, 1)
            if not isinstance(line, str):
                raise ProtocolError("not a log line")
            self._logs.add(line)
        elif frame.kind == "D":
            return self._done(frame.payload)
        elif frame.kind == "E":
            return self._ended(frame.payload)
        else:
            raise ProtocolError("unknown frame")
        return None

    def _done(self, payload: bytes) -> Ending:
        used, body = fields(payload, b" ", 2)
        cpu_ms = number(used) / 1000
        if len(body) > self._limits.run_result_bytes:
            return Ending(failure=run_failures.result_too_long(self._limits), cpu_ms=cpu_ms)
        try:
            return Ending(parse(body, self._limits.json_depth), cpu_ms=cpu_ms)
        except TooDeep:
            return Ending(failure=run_failures.result_too_deep(self._limits), cpu_ms=cpu_ms)

    def _ended(self, payload: bytes) -> Ending:
        kind, used, body = fields(payload, b" ", 3)
        report = parse(body, 2)
        if not isinstance(report, dict):
            raise ProtocolError("not a report")
        failure = self._failure(kind.decode("ascii", "replace"), report)
        return Ending(failure=failure, cpu_ms=number(used) / 1000, said=_text(report, "message"))

    def _failure(self, kind: str, report: JsonObject) -> Failure:
        message, line, column = _text(report, "message"), _count(report, "line"), _count(report, "column")
        match kind:
            case "error":
                host = self._host_failure(_count(report, "call"), message)
                name = _text(report, "name")
                return host or run_failures.run_error(name, message, line, column, self._source, self._connectors)
            case "syntax":
                return run_failures.run_syntax(message, line, column, self._source)
            case "result":
                return run_failures.run_result(message)
            case "result_bytes":
                return run_failures.result_too_long(self._limits)
            case "memory":
                return run_failures.run_memory(self._limits)
            case "half":
                return run_failures.run_memory_or_nothing(self._limits)
            case "stack":
                return run_failures.run_stack(self._limits)
            case "stalled":
                return run_failures.run_stalled()
            case _:
                return run_failures.run_crashed()

    def _host_failure(self, call: int, message: str) -> Failure | None:
        """The failure a host call really raised that this error is, was caused by, or quotes (E6)."""
        if call in self._failures:
            return self._failures[call]
        quoted = [each for each in self._failures.values() if each.message and each.message in message]
        return max(quoted, key=lambda each: len(each.message), default=None)

    def _call(self, payload: bytes) -> None:
        id_text, operation_text, body = fields(payload, b"\n", 3)
        call, operation = number(id_text), operation_text.decode("ascii", "replace")
        self._asked += 1
        if operation not in self._operations or call in self._calls:
            raise ProtocolError("a call no prelude makes")
        task = asyncio.create_task(self._answer(call, operation, body, self._asked))
        self._calls[call] = task
        task.add_done_callback(lambda done: self._finished(call, done))

    def _finished(self, call: int, task: asyncio.Task[None]) -> None:
        del self._calls[call]
        if not task.cancelled() and (defect := task.exception()) is not None:
            if not isinstance(defect, ProtocolError):
                self._defect = defect
            self.child.kill()

    async def _answer(self, call: int, operation: str, body: bytes, asked: int) -> None:
        try:
            ok, answer = b"1", await self._value(operation, body, asked)
        except Failure as failure:
            self._failures[call] = failure.settled()
            ok, answer = b"0", ascii_json(failure.envelope()).encode("ascii")
        self._outbox.append(encode("R", b"%d %s %s" % (call, ok, answer)))
        if self._sender is None or self._sender.done():
            self._sender = asyncio.create_task(self._send())

    async def _send(self) -> None:
        """Sends what has been answered, all that is there in one write: parallel calls often end together."""
        with contextlib.suppress(ChildGone):  # the listening side sees the end and says why
            while self._outbox:
                data = b"".join(self._outbox)
                self._outbox.clear()
                await self.child.send(data)

    async def _value(self, operation: str, body: bytes, asked: int) -> bytes:
        if asked > self._limits.bridge_operations:
            raise failures.budget_exceeded(
                f"A program may call functions of connecta {self._limits.bridge_operations:,} times, and this call is "
                "one more. Put calls together with connecta.batch, or run a second program."
            )
        args = self._arguments(operation, body)
        value = await self._host(operation, args)
        try:
            text = compact(value)
        except (RecursionError, ValueError) as error:
            raise failures.result_processing_failed(
                f"The result of {_named(operation, args)} is no JSON a program can be handed: it is nested too deeply, "
                "or holds a number that is not finite."
            ) from error
        if size(text) > self._limits.bridge_bytes:
            raise failures.result_too_large(
                f"The result of {_named(operation, args)} is longer than {self._limits.bridge_bytes:,} bytes. "
                "Ask for less: a filter, fewer fields, a smaller page."
            )
        return (text if text.isascii() else ascii_json(value)).encode("ascii")

    def _arguments(self, operation: str, body: bytes) -> list[Json]:
        # Arguments that are certainly too long come as their size and the names they begin with.
        told = len(body) - len(body.lstrip(b"0123456789"))
        try:
            args = parse(body[told:], self._limits.json_depth)
        except TooDeep:
            raise failures.invalid_args(
                f"The arguments of connecta.{operation} are nested deeper than {self._limits.json_depth} levels."
            ) from None
        if not isinstance(args, list):
            raise ProtocolError("arguments are no list")
        if told or len(body) > self._limits.bridge_bytes:
            raise failures.result_too_large(
                f"The arguments of {_named(operation, args)} are longer than {self._limits.bridge_bytes:,} bytes. "
                "Send less."
            )
        return args


async def _cancelled(*tasks: asyncio.Task[None]) -> None:
    """Cancels them, and waits until they have ended."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _named(operation: str, args: list[Json]) -> str:
    """The call as a caller knows it: by its address where it has one (L6)."""
    if operation == SHORTCUT and len(args) > 1:
        return f"{args[0]}.{quote(str(args[1]))}"
    if operation == "call" and args and isinstance(args[0], str):
        return f'connecta.call("{quote(args[0])}")'
    return f"connecta.{operation}"


def _text(report: JsonObject, key: str) -> str:
    value = report.get(key, "")
    if not isinstance(value, str):
        raise ProtocolError(f"{key} is no string")
    return value[:TEXT_CHARS]


def _count(report: JsonObject, key: str) -> int:
    value = report.get(key, 0)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**31:
        raise ProtocolError(f"{key} is no count")
    return value
