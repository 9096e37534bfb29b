"""A program's text before it is run: a Markdown fence taken off, and what its mistakes most likely are."""

import re
from typing import Final

FENCES: Final = ("```", "````", "~~~")
HINT_CHARS: Final = 500
"""A line is looked at this far for what its mistake may be."""
_TYPE = r"(?:string|number|boolean|any|unknown|void|never|object|[A-Z]\w*)\b"
TYPESCRIPT: Final = re.compile(
    rf"\binterface\s+\w+\s*\{{|\btype\s+\w+\s*=|\benum\s+\w+\s*\{{|\bimport\s+type\b|\bas\s+(?:const\b|{_TYPE})"
    rf"|[\w)\]?]\s*:\s*{_TYPE}|\w<{_TYPE}[^>\n]*>\s*[(\[{{=;]|\bsatisfies\s+\w|\w!\s*[.;)]"
)
MODULE: Final = re.compile(r"^\s*(?:import\b(?!\s*\()|export\b)")

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
    "window": "there is no browser; return the value, or show HTML with connecta.ui(html)",
    "document": "there is no browser; return the value, or show HTML with connecta.ui(html)",
}
_UNDEFINED: Final = re.compile(r"\A(\w+) is not defined\Z")
_NO_IMPORT: Final = "could not load module"


def unfenced(program: str) -> str:
    """``program`` without a Markdown fence around it, every line still where it was (P1)."""
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


def syntax_hint(program: str, line: int) -> str:
    """What to change about a syntax error on ``line`` (P1, P5)."""
    lines = program.split("\n")
    # A missing piece is often noticed only on the line after it.
    near = [text[:HINT_CHARS] for text in lines[max(0, line - 2) : line]]
    if any(MODULE.match(text) for text in near):
        return "There are no modules: leave import and export out, and send one async arrow function."
    if any(TYPESCRIPT.search(text) for text in near):
        return "This looks like TypeScript; programs are plain JavaScript: remove the type syntax."
    return "Send one async arrow function in plain JavaScript: async () => { … return value; }."


def error_hint(message: str) -> str:
    """What to write instead, where the program reached for something that is not there (P2); else nothing."""
    if message.startswith(_NO_IMPORT):
        return "import: there are no modules; use ECMAScript built-ins and connecta."
    undefined = _UNDEFINED.match(message)
    if undefined is None or undefined[1] not in _INSTEAD:
        return ""
    return f"{undefined[1]}: {_INSTEAD[undefined[1]]}."
