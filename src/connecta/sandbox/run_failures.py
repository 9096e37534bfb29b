"""The failures of a run itself (E5): none of them is ever seen inside the program."""

import re
from collections.abc import Collection
from typing import Final

from connecta.failures import Failure
from connecta.limits import Limits
from connecta.sandbox.source import (
    HEAD_CHARS,
    column_of,
    end_of,
    error_hint,
    excerpt,
    syntax_hint,
    unbalanced,
)
from connecta.text import JsonObject, clamp, printable

MESSAGE_BYTES: Final = 2_048
"""A program's own message, as far as it is repeated."""
TAKES: Final = re.compile(r"\s*(?:async\s*)?(?:function\s*\w*\s*)?\(\s*[\w{[]")
NO_ARGUMENTS: Final = "A program is called without arguments; connecta and the connectors are globals."
ENGINE_ERRORS: Final = frozenset({"TypeError", "ReferenceError", "RangeError", "SyntaxError"})


def run_deadline(deadline_s: float) -> Failure:
    return Failure(
        "run_deadline",
        f"The program ran past its deadline of {deadline_s:.3g} s, host calls included. Make fewer calls, or make "
        "them in parallel with connecta.batch or Promise.all.",
    )


def run_cpu(limits: Limits) -> Failure:
    return Failure(
        "run_cpu",
        f"The program used up its {limits.cpu_ms:,} ms of CPU (waiting for calls is not counted). Look for an "
        "endless loop, or work on less data.",
    )


def run_memory(limits: Limits) -> Failure:
    return Failure(
        "run_memory",
        f"The program used up its heap of {limits.heap_bytes // (1024 * 1024)} MiB. Keep only the fields you need "
        "and work in smaller pieces.",
    )


def run_memory_or_nothing(limits: Limits) -> Failure:
    """No error says so, but much was in use: where the heap is full, the engine throws null and drops callbacks."""
    return Failure(
        "run_memory",
        f"The program used at least half of its heap of {limits.heap_bytes // (1024 * 1024)} MiB, and then threw null "
        "or waited for something that can never happen, as it does once its heap is full. Keep only the fields you "
        "need and work in smaller pieces; and where it was not full, await only what comes from connecta or is "
        "settled by the program itself.",
    )


def run_stack(limits: Limits) -> Failure:
    return Failure(
        "run_stack",
        f"The program used up its stack of {limits.stack_bytes // 1024:,} KiB. Look for a recursion without an end, "
        "or turn it into a loop.",
    )


def run_stalled() -> Failure:
    return Failure(
        "run_stalled",
        "The program waits for something that can never happen: 0 host calls are in flight. Every promise it awaits "
        "has to come from connecta or be settled by the program itself; there are no timers.",
    )


def run_result(why: str) -> Failure:
    return Failure(
        "run_result",
        f"The program's result is not JSON: {clamp(why, MESSAGE_BYTES)}. Return plain objects, arrays, strings, "
        "finite numbers, booleans and null.",
    )


def result_too_deep(limits: Limits) -> Failure:
    return run_result(f"result is nested too deeply; the bound is {limits.json_depth} levels")


def result_too_long(limits: Limits) -> Failure:
    return Failure(
        "run_result",
        f"The program's result is longer than {limits.run_result_bytes:,} bytes of JSON. Return less: a summary, or "
        "the fields you need.",
    )


def run_syntax(message: str, line: int, column: int, program: str) -> Failure:
    """``line`` and ``column`` are the engine's; past the end of ``program`` they say that something is left open."""
    if not program.strip():
        return Failure("run_syntax", "The program is empty. Send one async arrow function: async () => { … }.")
    end, column = end_of(program), column_of(program, line, column)
    if (line, column) > end:
        (line, column), message = end, unbalanced(program)
    where, details = _place(line, column)
    said = printable(clamp(message, MESSAGE_BYTES).replace("\t", " ")) + where
    return Failure(
        "run_syntax", _lines(said, excerpt(program, line, column), syntax_hint(program, line)), details=details
    )


def run_error(name: str, message: str, line: int, column: int, program: str, connectors: Collection[str]) -> Failure:
    """The program threw. ``line`` is 0 where the engine knows no place; an error that the engine itself throws says
    little without the source beside it."""
    column = column_of(program, line, column)
    where, details = _place(line, column)
    said = clamp(message, MESSAGE_BYTES)
    text = f"{clamp(name, 100)}: {said}" if name and name != "Error" else said
    source = excerpt(program, line, column) if name in ENGINE_ERRORS else ""
    hint = error_hint(message, source, connectors) or (
        NO_ARGUMENTS if TAKES.match(program[:HEAD_CHARS]) and source else ""
    )
    first = f"{text or 'The program threw an error without a message'}{where}"
    return Failure("run_error", _lines(first, source, hint), details=details)


def _lines(*parts: str) -> str:
    return "\n".join(part for part in parts if part)


def run_crashed() -> Failure:
    return Failure(
        "run_crashed",
        "The process running the program ended without an answer. The same program may succeed when sent again.",
    )


def sandbox_unavailable(why: str) -> Failure:
    """``why`` names the missing wall or part, in words of ours."""
    return Failure("sandbox_unavailable", f"Programs cannot run here: {why}.")


def program_too_long(size: int, limits: Limits) -> Failure:
    return Failure(
        "invalid_args",
        f"The program is {size:,} bytes, and at most {limits.program_bytes >> 10} KiB are taken. Pass data through "
        "calls instead of writing it into the program.",
        retryable=False,
    )


def _place(line: int, column: int) -> tuple[str, JsonObject]:
    if line < 1:
        return "", {}
    return f" (line {line}, column {column})", {"line": line, "column": column}


def too_many_operations(limits: Limits) -> Failure:
    """The program went on calling long after every call was refused (L4, L8)."""
    return Failure(
        "budget_exceeded",
        f"The program kept calling functions of connecta after it had used up all {limits.bridge_operations:,} calls "
        "of a run, so it was ended. Stop at the first budget_exceeded.",
    )
