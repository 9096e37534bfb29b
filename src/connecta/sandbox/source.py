"""A program's text before it is run: a Markdown fence taken off, and what its mistakes most likely are."""

import re
from collections.abc import Collection
from typing import Final

from connecta.text import printable

FENCES: Final = ("```", "````", "~~~")
HINT_CHARS: Final = 500
"""A line is looked at this far for what its mistake may be."""
_TYPE = r"(?:string|number|boolean|any|unknown|void|never|object)\b"
_NAMED = r"[A-Z]\w*\b(?![.(])"
TYPESCRIPT: Final = re.compile(
    rf"\binterface\s+\w+\s*\{{|\btype\s+\w+\s*=|\benum\s+\w+\s*\{{|\bimport\s+type\b"
    rf"|\bas\s+(?:const\b|{_TYPE}|{_NAMED})|\bsatisfies\s+\w|\w!\s*[.;)]|[\w)\]?]\s*:\s*{_TYPE}"
    rf"|\b(?:const|let|var)\s+\w+\s*:\s*\w|[(,]\s*\w+\??\s*:\s*{_NAMED}[\w<>\[\]| ]*[,)=]"
    rf"|\)\s*:\s*{_NAMED}[^\n]*(?:=>|\{{)|\w<(?:{_TYPE}|{_NAMED})[^>\n]*>\s*[(\[{{=;]"
)
# One that is not closed ends with its line, or with the text: a program chooses the text, and nothing may be scanned
# from the same place twice.
NO_CODE: Final = re.compile(
    r"//[^\n]*|/\*.*?(?:\*/|\Z)|'(?:[^'\\\n]|\\.)*+'?|\"(?:[^\"\\\n]|\\.)*+\"?|`(?:[^`\\]|\\.)*+`?", re.DOTALL
)
"""Comments and strings."""
MODULE: Final = re.compile(r"(?:^|[{;])\s*(?:import\b(?!\s*[(.])|export\b)")
JSX: Final = re.compile(r"(?:return|\(|=>|=)\s*<[A-Za-z>]")
AWAIT: Final = re.compile(r"\bawait\b")
FENCE: Final = re.compile(r"^[ \t]*+(?:```|~~~)", re.MULTILINE)
WHOLE: Final = (
    (re.compile(r"&(?:gt|lt|amp|quot|#\d+);"), "The code is HTML-escaped: send =>, <, & and quotes as they are."),
    (re.compile("[\u2018\u2019\u201c\u201d]"), "Use straight quotes (' and \") in the code."),
    (re.compile(r"\A[^\n]*\{\s*\\n"), "The line breaks are escaped twice: send them as line breaks."),
)
"""What shows in the text as a whole that it is no code as it was meant."""
HINTS: Final = (
    (MODULE, "There are no modules: leave import and export out, and send one async arrow function."),
    (JSX, "This looks like JSX; build HTML as a template string, and show it with connecta.ui(html)."),
    (TYPESCRIPT, "This looks like TypeScript; programs are plain JavaScript: remove the type syntax."),
)
CONTROL: Final = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
HEAD_CHARS: Final = 4_096
"""A text is looked at this far for what shows in all of it."""
EXCERPT_CHARS: Final = 120
NAME_CHARS: Final = 100

_INSTEAD: Final = {
    "fetch": "there is no network; call a connector with connecta.call(address, args)",
    "XMLHttpRequest": "there is no network; call a connector with connecta.call(address, args)",
    "WebSocket": "there is no network; call a connector with connecta.call(address, args)",
    "setTimeout": "there are no timers; await the call itself",
    "setInterval": "there are no timers; await the call itself",
    "setImmediate": "there are no timers; await the call itself",
    "require": "there are no modules; use ECMAScript built-ins and connecta",
    "module": "there are no modules; return the value instead",
    "exports": "there are no modules; return the value instead",
    "process": "there is no process and no environment; the program gets everything from connecta",
    "Buffer": "use Uint8Array, btoa and atob",
    "crypto": "there is no crypto",
    "performance": "use Date.now()",
    "structuredClone": "use JSON.parse(JSON.stringify(value))",
    "URL": "take the string apart yourself, with encodeURIComponent where needed",
    "URLSearchParams": "join the pairs yourself, with encodeURIComponent",
    "TextEncoder": "use encodeURIComponent",
    "TextDecoder": "use decodeURIComponent",
    "Intl": "format with string methods",
    "Temporal": "use Date",
    "Deno": "there is no runtime but the language; the program gets everything from connecta",
    "Bun": "there is no runtime but the language; the program gets everything from connecta",
    "global": "use globalThis",
    "navigator": "there is no browser; the program gets everything from connecta",
    "localStorage": "nothing survives a run; return the value instead",
    "sleep": "there are no timers; await the call itself",
    "delay": "there are no timers; await the call itself",
    "print": "use console.log, or return the value",
    "alert": "use console.log, or show HTML with connecta.ui(html)",
    "axios": "there is no network; call a connector with connecta.call(address, args)",
    "$": "there is no browser; return the value, or show HTML with connecta.ui(html)",
    "window": "there is no browser; return the value, or show HTML with connecta.ui(html)",
    "document": "there is no browser; return the value, or show HTML with connecta.ui(html)",
}
GLOBALS_SHOWN: Final = 20
_NO_VALUE: Final = ("not a function", "cannot read property", "value is not iterable", "undefined is not iterable")
_ARRAY: Final = r"(?:map|filter|find|forEach|reduce|some|every|flatMap|slice|sort|length)\b"
MISUSES: Final = (
    (
        re.compile(rf"connecta\.search\([^;]*\)\s*\)?\s*\.(?:{_ARRAY}|results\b|tools\b)"),
        "connecta.search resolves to { tools, total, … }: use (await connecta.search({ … })).tools.",
    ),
    (
        re.compile(r"connecta\.(?!(?:search|describe|call|batch|emit|ui)\b)\w+\s*[.(]"),
        "connecta has search, describe, call, batch, emit and ui; a connector is a global of its own: "
        "connector.tool(args).",
    ),
    (
        re.compile(r"console\.(?!(?:log|info|warn|error|debug)\b)\w+"),
        "console has log, info, warn, error and debug.",
    ),
    (
        re.compile(r"globalThis\.(?:fetch|setTimeout|setInterval|require|process)\b"),
        "globalThis: there is no network, no timer, no module and no process; call tools with connecta.call.",
    ),
    (
        re.compile(rf"\.{_ARRAY}|\bof\b"),
        "A tool's value is often an object that holds the array: look at Object.keys(value), or at the tool's "
        "outputSchema; a call that was not awaited is a Promise.",
    ),
)
"""Lines that misuse what a value is, as they are most often written, and what is the case."""
_UNDEFINED: Final = re.compile(r"\A(\w+) is not defined\Z")
_NO_IMPORT: Final = "could not load module"


def unfenced(program: str) -> str:
    """``program`` without a byte order mark and a Markdown fence around it, everything still where it was (P1)."""
    program = " " + program[1:] if program.startswith("\ufeff") else program
    lines = program.split("\n")
    filled = [at for at, line in enumerate(lines) if line.strip()]
    if len(filled) < 2:
        return program
    first, last = filled[0], filled[-1]
    fence = lines[last].strip()
    opening = lines[first].strip()
    if fence not in FENCES or not opening.startswith(fence) or fence[0] in opening[len(fence) :]:
        return program
    return "\n" * (first + 1) + "\n".join(lines[first + 1 : last])


def excerpt(program: str, line: int, column: int) -> str:
    """``line`` of ``program`` with its number, cut around ``column`` where it is long; nothing for a line without
    text. Lines and columns count from 1."""
    lines = program.split("\n")
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    start = max(0, column - 1 - EXCERPT_CHARS // 2) if len(text) > EXCERPT_CHARS else 0
    shown = text[start : start + EXCERPT_CHARS].replace("\t", " ")
    if not shown.strip():
        return ""
    before, after = "…" if start else "", "…" if start + EXCERPT_CHARS < len(text) else ""
    return f"{line} | {before}{printable(shown).rstrip()}{after}"


def column_of(program: str, line: int, column: int) -> int:
    """The engine's ``column``, which counts bytes of UTF-8, in characters."""
    lines = program.split("\n")
    if not 0 < line <= len(lines):
        return column
    before = lines[line - 1].encode("utf-8", "surrogatepass")[: max(0, column - 1)]
    return len(before.decode("utf-8", "ignore")) + 1 + max(0, column - 1 - len(before))


def end_of(program: str) -> tuple[int, int]:
    """Line and column after the last character that is no space."""
    lines = program.rstrip().split("\n")
    return len(lines), len(lines[-1]) + 1


def unbalanced(program: str) -> str:
    """What is wrong with a program that only its end breaks: brackets left open, or more closed than opened."""
    code = NO_CODE.sub("", program)
    for opening, closing in ("{}", "[]", "()"):
        if (surplus := code.count(closing) - code.count(opening)) > 0:
            return f'The program closes more than it opens: {surplus} "{closing}" too many'
    return "The program ends too early: a bracket, a brace or a quote is not closed"


def syntax_hint(program: str, line: int) -> str:
    """What to change about a syntax error on ``line`` (P1, P5)."""
    if CONTROL.search(program[:HEAD_CHARS]):
        return "The program holds control characters, so it is no JavaScript source: send plain text."
    lines = program.split("\n")
    # A missing piece is often noticed only on the line after it.
    near = [NO_CODE.sub('""', text[:HINT_CHARS]) for text in lines[max(0, line - 2) : line]]
    for pattern, hint in HINTS:
        if any(pattern.search(text) for text in near):
            return hint
    if FENCE.search(program):
        return "Send the code alone, without prose or Markdown around it."
    code = NO_CODE.sub('""', program[:HEAD_CHARS])
    for pattern, hint in WHOLE:
        if pattern.search(code):
            return hint
    if AWAIT.search(program) and "async" not in program:
        return "A function that uses await is async: async () => { … }."
    return "Send one async arrow function in plain JavaScript: async () => { … return value; }."


def error_hint(message: str, source: str, connectors: Collection[str]) -> str:
    """What to write instead, where the program reached for something that is not there (P2); else nothing.

    ``source`` is the line the error comes from, ``connectors`` are the globals there are for connectors (A2).
    """
    if message.startswith(_NO_IMPORT):
        return "import: there are no modules; use ECMAScript built-ins and connecta."
    undefined = _UNDEFINED.match(message)
    if undefined is not None:
        return _undefined_hint(undefined[1][:NAME_CHARS], connectors)
    if message.startswith(_NO_VALUE):
        return next((hint for pattern, hint in MISUSES if pattern.search(source)), "")
    return ""


def _undefined_hint(name: str, connectors: Collection[str]) -> str:
    if name in _INSTEAD:
        return f"{name}: {_INSTEAD[name]}."
    near = next((each for each in connectors if each.lower() == name.lower()), None) or _nearest(name, connectors)
    for each in connectors:
        tool = name.removeprefix(each).lstrip("_")
        if tool and name.startswith(f"{each}_"):
            near = f"{each}.{tool}"
    if near:
        return f"Did you mean {near}?"
    listed = ", ".join(list(connectors)[:GLOBALS_SHOWN])
    return f"Beside the built-ins there are connecta and console{f', and the connectors {listed}' if listed else ''}."


def _nearest(name: str, connectors: Collection[str]) -> str | None:
    # Only a program that failed pays for the import.
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, list(connectors), n=1)), None)
