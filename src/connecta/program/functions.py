"""The guest functions: what a program can ask of the host, one method an operation."""

import asyncio
from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import Final
from uuid import uuid4

from connecta import failures
from connecta.calls.call import CallFailed, CallRequest, call, downstream_failure
from connecta.calls.timings import Operation
from connecta.connectors.model import Connector
from connecta.failures import Failure
from connecta.log import logger
from connecta.program.discovery import asked_search, describe, search_page
from connecta.program.output import Output
from connecta.scope import Scope
from connecta.text import Json, JsonObject, compact, kind_of, size

_DISCOVERY: Final = frozenset({"search", "describe"})
_FREE: Final = frozenset({"emit", "ui"})
"""Operations that spend no host call (M7, U4)."""


class GuestFunctions:
    """The host side of one run. Called by the sandbox with an operation and its hostile argument list."""

    def __init__(self, scope: Scope, output: Output, *, measured: bool = False) -> None:
        """``measured`` counts the bytes of results, which costs serializing each once more (R7)."""
        self._scope = scope
        self._output = output
        self._measured = measured
        self._calls = 0
        self._batch_failures: list[Failure] = []
        self._operations: dict[str, Callable[[list[Json]], Awaitable[Json]]] = {
            "search": self._search,
            "describe": self._describe,
            "call": self._call,
            "batch": self._batch,
            "shortcut": self._shortcut,
            "emit": self._emit,
            "ui": self._ui,
        }

    async def __call__(self, operation: str, args: list[Json]) -> Json:
        """One host call, bounded in number and time (L4). Raises ``Failure`` only."""
        function = self._operations[operation]
        if operation not in _FREE:
            self._spend_call()
        spent = self._scope.timings.operations.setdefault(operation, Operation())
        spent.count += 1
        started = perf_counter()
        try:
            # Calls keep to the same bound by themselves, each of a batch alone (S7).
            value = await (self._in_time(function, args) if operation in _DISCOVERY else function(args))
            if self._measured and operation not in _FREE:
                spent.bytes += size(compact(value))
        except TimeoutError:
            spent.failures += 1
            raise failures.timeout(
                f"connecta.{operation} took longer than the {self._scope.limits.host_call_s:g} s of one host call."
            ) from None
        except Failure:
            spent.failures += 1
            raise
        except ValueError:
            spent.failures += 1
            raise failures.result_processing_failed(f"The result of connecta.{operation} is no JSON.") from None
        except Exception:  # noqa: BLE001 (a program must never see what broke; the log has it whole)
            spent.failures += 1
            reference = uuid4().hex
            logger.exception("a guest function broke", extra={"operation": operation, "reference": reference})
            raise failures.internal(reference) from None
        finally:
            spent.ms += (perf_counter() - started) * 1000
        return value

    async def _in_time(self, function: Callable[[list[Json]], Awaitable[Json]], args: list[Json]) -> Json:
        async with asyncio.timeout(self._scope.limits.host_call_s):
            return await function(args)

    def typed(self, failure: Failure | None, said: str) -> Failure | None:
        """What the run failed with; the host failure itself where what the program ``said`` in throwing quotes a batch
        outcome's message (E6).

        The sandbox knows a failure that a call threw. A batch's travel as data, so only this side can know them.
        """
        if failure is None or failure.code != "run_error":
            return failure
        quoted = [each for each in self._batch_failures if each.message in said]
        return max(quoted, key=lambda each: len(each.message), default=failure)

    def _spend_call(self) -> None:
        if self._calls >= self._scope.limits.host_calls:
            raise failures.budget_exceeded(
                f"This run has made all of its {self._scope.limits.host_calls} host calls. Use connecta.batch, "
                "or do the rest in another run."
            )
        self._calls += 1

    async def _search(self, args: list[Json]) -> Json:
        _at_most(1, args, "connecta.search", "one object")
        return await search_page(self._scope, asked_search(self._scope, args[0] if args else {}))

    async def _describe(self, args: list[Json]) -> Json:
        _at_most(1, args, "connecta.describe", "one object")
        return await describe(self._scope, args[0] if args else None)

    async def _call(self, args: list[Json]) -> Json:
        _at_most(2, args, "connecta.call", "an address and one object")
        if not args or not isinstance(args[0], str):
            raise failures.invalid_args(
                'connecta.call takes an address and arguments, like connecta.call("docs.search", { query: "refund" }). '
                f"Its first argument was {kind_of(args[0]) if args else 'missing'}."
            )
        return await self._value(self._request(args[0], _arguments(args, 1, "connecta.call")))

    async def _shortcut(self, args: list[Json]) -> Json:
        connector = self._connector(args[0])
        alias = str(args[1])
        address = f"{connector.id}.{alias}"
        _at_most(1, args[2:], failures.quote(address), "one object")
        return await self._value(
            self._request(address, _arguments(args, 2, failures.quote(address)), (connector, alias))
        )

    def _connector(self, given: Json) -> Connector:
        return self._scope.connectors[str(given)]

    def _request(self, address: str, args: JsonObject, shortcut: tuple[Connector, str] | None = None) -> CallRequest:
        bound_s = self._scope.limits.host_call_s
        return CallRequest(address, args, "execute_code", shortcut=shortcut, bound_s=bound_s)

    async def _value(self, request: CallRequest) -> Json:
        """The call's value, unwrapped (S5); raises what the call failed with."""
        try:
            outcome = await call(request, self._scope)
        except CallFailed as failed:
            raise failed.failure from None
        if outcome.result.is_error:
            raise downstream_failure(outcome.address, outcome.result)
        return outcome.result.unwrap()

    async def _batch(self, args: list[Json]) -> Json:
        _at_most(1, args, "connecta.batch", "one array")
        entries = args[0] if args else None
        most = self._scope.limits.batch_calls
        if not isinstance(entries, list) or not 1 <= len(entries) <= most:
            got = f"an array of {len(entries)}" if isinstance(entries, list) else kind_of(entries)
            raise failures.invalid_args(
                f"connecta.batch takes an array of 1 to {most} calls: [{{ address, args }}, …]. It got {got}."
            )
        return list(await asyncio.gather(*(self._batched(entry) for entry in entries)))

    async def _batched(self, entry: Json) -> JsonObject:
        """One outcome of a batch (S7); a failure is an outcome, never a rejection."""
        address = entry.get("address") if isinstance(entry, dict) else None
        if not isinstance(entry, dict) or not isinstance(address, str) or set(entry) - {"address", "args"}:
            shape = failures.invalid_args(
                "Every call of a batch is { address, args }, with address a string and args an object. "
                f"It got {failures.shape_of(entry)}."
            )
            return {"address": "", "ok": False, "error": shape.message, "errorDetails": shape.envelope()}
        try:
            args = _arguments([entry.get("args")], 0, "connecta.batch")
            data = await self._value(self._request(address, args))
        except Failure as failure:
            self._batch_failures.append(failure.settled())
            return {
                "address": failures.quote(address),
                "ok": False,
                "error": failure.message,
                "errorDetails": failure.envelope(),
            }
        return {"address": address, "ok": True, "data": data}

    async def _emit(self, args: list[Json]) -> Json:
        self._output.emit(args)
        return None

    async def _ui(self, args: list[Json]) -> Json:
        self._output.ui(args)
        return None


def _arguments(given: list[Json], index: int, function: str) -> JsonObject:
    """The argument object at ``index``; absent or null is ``{}``."""
    args = given[index] if len(given) > index else None
    if args is None:
        return {}
    if not isinstance(args, dict):
        raise failures.invalid_args(
            f"{function} takes its arguments as one object, like {{ id: 1 }}. It got {kind_of(args)}."
        )
    return args


def _at_most(count: int, args: list[Json], function: str, expected: str) -> None:
    """Refuses an argument too many, which a program would otherwise believe to have been taken."""
    if len(args) > count:
        raise failures.invalid_args(f"{function} takes {expected}. It got {len(args)} arguments.")
