"""Shortcut names (A2 - A5): how a connector id or a tool name becomes a JavaScript identifier.

This is the only sanitising rule; the prelude applies none of its own.
"""

import re
from typing import Final

_OUTSIDE: Final = re.compile(r"[^A-Za-z0-9_$]")

_WORDS: Final = """
    arguments await break case catch class const continue debugger default delete do else enum export extends
    false finally for function if implements import in instanceof interface let new null package private
    protected public return static super switch this throw true try typeof var void while with yield
"""

RESERVED_WORDS: Final = frozenset(_WORDS.split())
"""Words no strict JavaScript identifier may be; a name that is one gains a trailing ``_`` (A2)."""

_GLOBALS: Final = """
    connecta console
    globalThis Infinity NaN undefined eval isFinite isNaN parseFloat parseInt decodeURI decodeURIComponent encodeURI
    encodeURIComponent escape unescape atob btoa queueMicrotask performance DOMException InternalError
    AggregateError Array ArrayBuffer AsyncDisposableStack BigInt BigInt64Array BigUint64Array Boolean DataView Date
    DisposableStack Error EvalError FinalizationRegistry Float16Array Float32Array Float64Array Function Int8Array
    Int16Array Int32Array Iterator Map Number Object Promise Proxy RangeError ReferenceError RegExp Set
    SharedArrayBuffer String SuppressedError Symbol SyntaxError TypeError Uint8Array Uint8ClampedArray Uint16Array
    Uint32Array URIError WeakMap WeakRef WeakSet Atomics Intl JSON Math Reflect
"""

RESERVED_GLOBALS: Final = frozenset(_GLOBALS.split())
"""Globals a shortcut may not cover: a deployment whose connector lands on one is refused (A4)."""


def sanitise(name: str) -> str:
    """``name`` as an identifier (A2): any character outside ``[A-Za-z0-9_$]`` becomes ``_``, a leading digit
    gains a leading ``_``, a reserved word a trailing one. Idempotent; never empty."""
    identifier = _OUTSIDE.sub("_", name)
    if not identifier or identifier[0].isdigit():
        identifier = f"_{identifier}"
    return f"{identifier}_" if identifier in RESERVED_WORDS else identifier
