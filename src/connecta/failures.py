"""Every failure a caller can see: its code, whether a retry can help, and what to do next.

A ``Failure`` is raised anywhere below and shaped once, at the door it leaves by. Its ``message`` is written
here or by a connector's typed error, never taken from an exception. Codes: ``docs/guest-api.md`` E2 and E5;
every envelope is made by ``Failure.envelope``.
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate, islice
from typing import Final, Literal

from connecta.limits import LIMITS
from connecta.text import Json, JsonObject, clamp, compact, kind_of, printable, size

RETRYABLE: Final = frozenset({"rate_limited", "unavailable", "timeout", "executor_overloaded", "run_crashed"})
"""Codes a caller may try again; every other code is final unless its cause says otherwise."""

_SHOWN_MEMBERS: Final = 6

Route = Literal["tool", "function"]
"""Where the failing call came from: a top-level tool call, or a program's ``connecta`` function."""


class Failure(Exception):
    """A typed failure. ``details`` are the envelope's fields beside code, message and retryable."""

    heard = True
    """False where the downstream cannot have acted on the call: it never had it, or turned it away unread."""

    def __init__(
        self, code: str, message: str, *, retryable: bool | None = None, details: Mapping[str, Json] | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.retryable = code in RETRYABLE if retryable is None else retryable
        self.details: JsonObject = dict(details or {})

    def settled(self) -> "Failure":
        """Itself, as a value to be kept: without the frames it came through, which hold whatever was worked on."""
        self.__traceback__ = self.__context__ = self.__cause__ = None
        return self

    def envelope(self) -> JsonObject:
        """``{ code, message, retryable, …details }``: the value of ``error`` in every answer."""
        return {"code": self.code, "message": self.message, "retryable": self.retryable, **self.details}


def quote(text: str) -> str:
    """Caller text as it may be echoed: one line, clamped to 512 bytes."""
    # Cut before it is looked at: a caller may send megabytes.
    head = text[: LIMITS.echo_bytes + 1]
    return clamp(printable(head), LIMITS.echo_bytes)


def shape_of(value: Json) -> str:
    """What ``value`` is, with its members by name and kind: for a message that says what was given."""
    if not isinstance(value, dict):
        return kind_of(value)
    shown = (f"{key[: LIMITS.echo_bytes]} ({kind_of(member)})" for key, member in islice(value.items(), _SHOWN_MEMBERS))
    members = quote(", ".join(shown))
    more = f" and {len(value) - _SHOWN_MEMBERS} more" if len(value) > _SHOWN_MEMBERS else ""
    return f"an object with {members}{more}" if members else "an empty object"


def _search(route: Route, query: str, connector: str | None) -> JsonObject:
    arguments: JsonObject = {"query": quote(query)}
    if connector is not None:
        arguments["connector"] = connector
    if route == "function":
        return {"function": "connecta.search", "arguments": arguments}
    return {"tool": "search_tools", "arguments": {**arguments, "includeSchemas": "compact"}}


def _words(name: str) -> str:
    head = name[: LIMITS.echo_bytes]
    return " ".join("".join(c if c.isalnum() else " " for c in head).split()) or head


def unknown_address(address: str, connectors: Sequence[str], route: Route) -> Failure:
    """No connector of that id, or no dot in the address (E7)."""
    known = ", ".join(connectors[:20]) or "none"
    tool = address.partition(".")[2] or address
    owner = max(filter(address.startswith, connectors), key=len, default="")
    rest = address[len(owner) :].lstrip("_/:-")
    if owner and "." not in address and not rest:
        wrong = f'"{owner}" is a connector, and an address is <connector>.<tool>: search its tools'
    elif owner and "." not in address and not address[len(owner)].isalnum():
        wrong = f'"{quote(address)}" is no address, which is <connector>.<tool>. Did you mean {owner}.{quote(rest)}?'
    else:
        wrong = f'"{quote(address)}" names no connector of this deployment. An address is <connector>.<tool>'
    ending = "" if wrong.endswith("?") else f"; the connectors are: {known}."
    return Failure(
        "unknown_address",
        wrong + ending,
        retryable=False,
        details={"nextAction": _search(route, _words(tool), None)},
    )


def unknown_tool(
    address: str, connector: str, suggestions: Sequence[str], route: Route, *, shortcut: str | None = None
) -> Failure:
    """The connector answered and has no such tool (E7); ``shortcut`` is what the program wrote in place of its name."""
    near = [each for each in suggestions if size(each) <= LIMITS.address_bytes][: LIMITS.suggestions]
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    missing = f'no tool at the address "{quote(address)}".'
    if shortcut is not None:
        missing = f'no tool with the shortcut "{quote(shortcut)}".'
        hint += " An address always works: connecta.call(address, args)." if near else ""
    return Failure(
        "unknown_tool",
        f'"{connector}" has {missing}{hint}',
        retryable=False,
        details={
            **({"suggestions": list[Json](near)} if near else {}),
            "nextAction": _search(route, _words(address.partition(".")[2]), connector),
        },
    )


def ambiguous_alias(alias: str, addresses: Sequence[str]) -> Failure:
    """A shortcut that matches more than one tool (A3), with as many addresses as an answer has room for."""
    short = [each for each in addresses if size(each) <= LIMITS.address_bytes]
    room = islice(accumulate(map(size, short)), LIMITS.alternatives)
    shown = short[: sum(taken <= LIMITS.alternatives_bytes for taken in room)]
    others = [f"{len(addresses) - len(shown):,} other tools"] if len(shown) < len(addresses) else []
    listed = ", ".join(shown + others)
    example: JsonObject = {"function": "connecta.call", "arguments": {"address": shown[0]}} if shown else {}
    return Failure(
        "ambiguous_tool_alias",
        f'The shortcut "{quote(alias)}" matches {listed}. Call one with connecta.call(address, args).',
        retryable=False,
        details={
            "addresses": list[Json](shown),
            "nextAction": example or _search("function", _words(alias), None),
        },
    )


def requires_approval(address: str, args: Mapping[str, Json], route: Route) -> Failure:
    """A tool that is not explicitly read-only, reached on a read path (E4)."""
    echoed = compact(dict(args))
    arguments: JsonObject = {"address": quote(address)}
    purpose = "Writes are one visible call, so that the person can see and stop it."
    if size(echoed) <= LIMITS.echo_bytes:
        arguments["args"] = dict(args)
    else:
        purpose += " Send the same args again."
    where = "inside a program" if route == "function" else "through call_tool"
    return Failure(
        "destructive_tool_requires_approval",
        f'"{quote(address)}" is not marked read-only, so it cannot be called {where}. Use call_destructive_tool.',
        retryable=False,
        details={"nextAction": {"tool": "call_destructive_tool", "arguments": arguments, "purpose": purpose}},
    )


Recovery = Literal["oauth", "operator_config", "unavailable"]


def auth_required(connector: str, operation: str, recovery: Recovery, what: str) -> Failure:
    """The downstream wants a credential nobody has given (E3). ``what`` says in one sentence what is missing."""
    return Failure(
        "auth_required",
        what,
        details={
            "connector": connector,
            "operation": operation,
            "recovery": recovery,
            "nextAction": {
                "tool": "authorize_connector",
                "arguments": {"connector": connector},
                "operatorHandoff": "Hand the URL it returns to the operator.",
            },
            "retry": "Look for its tools again once that is done." if operation == connector else _again(operation),
        },
    )


def of_operation(failure: Failure, operation: str) -> Failure:
    """``failure``, and an ``auth_required`` of a whole connector as that of ``operation``, which wanted it."""
    if failure.code != "auth_required":
        return failure
    details: JsonObject = {**failure.details, "operation": operation, "retry": _again(operation)}
    return Failure(failure.code, failure.message, details=details)


def _again(operation: str) -> str:
    return f"Call {operation} again once that is done."


def repeats_credential(operation: str, *, failed: bool = False) -> Failure:
    """An answer that says back what its connector is authorized with (auth.md, "Vault")."""
    if failed:
        return call_failed(f"{operation} failed, in words that repeat a credential: they are dropped whole.")
    return call_failed(
        f"{operation} was done, and its answer repeats a credential of the connector: it is dropped whole."
    )


def invalid_args(message: str, findings: Sequence[JsonObject] = (), *, truncated: bool = False) -> Failure:
    """Arguments of the wrong shape. ``findings`` are value-free ``{ path, code, expected }`` (E8)."""
    details: JsonObject = {}
    if findings:
        details = {"findings": list[Json](findings[: LIMITS.findings])}
        details["truncated"] = truncated or len(findings) > LIMITS.findings
    return Failure("invalid_args", message, retryable=False, details=details)


def not_found(message: str) -> Failure:
    return Failure("not_found", message)


def unknown_result(id: str) -> Failure:
    """An unknown, expired or foreign result or view id; all three answer alike."""
    return Failure(
        "not_found", f'No result "{quote(id)}" is kept here: it expired or never existed. Make the call again.'
    )


def result_too_large(message: str) -> Failure:
    return Failure("result_too_large", message, retryable=False)


def budget_exceeded(message: str) -> Failure:
    return Failure("budget_exceeded", message)


def rate_limited(message: str, retry_after_s: float | None = None) -> Failure:
    return Failure("rate_limited", message, details=_pause(retry_after_s))


def _pause(retry_after_s: float | None) -> JsonObject:
    """When whoever failed says to come again."""
    return {} if retry_after_s is None else {"retryAfterMs": int(retry_after_s * 1000)}


def unavailable(message: str, *, retryable: bool = True, retry_after_s: float | None = None) -> Failure:
    """What the call needs cannot be reached or answered with a server error; the same call may work later.

    ``retryable=False`` is for what only the operator can put right.
    """
    return Failure("unavailable", message, retryable=retryable, details=_pause(retry_after_s))


def unheard(message: str) -> Failure:
    """``unavailable``, and the downstream cannot have acted on the call."""
    failure = unavailable(message)
    failure.heard = False
    return failure


def timeout(message: str, retry_after_s: float | None = None) -> Failure:
    return Failure("timeout", message, details=_pause(retry_after_s))


def perhaps_done(failure: Failure) -> Failure:
    """What ``failure`` means for a write that must not happen twice: no answer does not say that it was not done."""
    if failure.code not in ("timeout", "unavailable") or not failure.retryable or not failure.heard:
        return failure
    message = f"{failure.message} It may have been done all the same: look before you call it again."
    return Failure(failure.code, message, retryable=False, details=failure.details)


def span(seconds: float) -> str:
    """A wait as a message names it."""
    return f"{seconds:.1f} s" if seconds >= 0.1 else f"{seconds * 1000:.0f} ms"


def cancelled(message: str = "The call was cancelled because the run it belongs to has ended.") -> Failure:
    return Failure("cancelled", message)


def call_failed(message: str, *, retryable: bool = False, retry_after_s: float | None = None) -> Failure:
    """The downstream answered, and its answer is a failure (or not an answer of its protocol)."""
    return Failure("connector_call_failed", message, retryable=retryable, details=_pause(retry_after_s))


def catalog_failed(message: str, *, retryable: bool) -> Failure:
    return Failure("catalog_lookup_failed", message, retryable=retryable)


def result_processing_failed(message: str) -> Failure:
    return Failure("result_processing_failed", message, retryable=False)


def input_required(address: str) -> Failure:
    return Failure(
        "input_required_unsupported",
        f'"{quote(address)}" asked for further input in the middle of the call, which this gateway cannot pass on.',
    )


def internal(correlation_id: str) -> Failure:
    """Something of ours broke; the id finds it in the log."""
    return Failure("internal_error", f"Something went wrong on the server. Its log has it under {correlation_id}.")


def overloaded(queued: int, wait_s: float) -> Failure:
    """Too many runs for this process (L7); another attempt usually meets a free one."""
    return Failure(
        "executor_overloaded",
        f"Too many programs are running here: {queued} may wait, and none longer than {wait_s:g} s. Try again shortly.",
        details={"retryAfterMs": 1000},
    )
