"""The clauses of the guest contract, and what each promises. ``docs/guest-api.md`` is rendered from these.

Numbers in brackets are defaults that a deployment may change.
"""

from collections.abc import Mapping
from typing import Final

HEADINGS: Final[Mapping[str, Mapping[str, str]]] = {
    "The program": {
        "P1": "One JavaScript async arrow function expression, evaluated once without arguments; what it resolves to "
        "is the result. A Markdown fence, another function expression, a trailing semicolon and a bare body with "
        "`return` are taken too. A syntax error has the line and column of the program itself and says what to change.",
        "P2": "It has `connecta`, `console`, one lazy global per connector and the built-ins of ECMAScript. No fetch, "
        "timers, process, crypto, WebSocket, require, import, file system, environment or engine modules.",
        "P3": "Values cross as JSON. What `JSON.stringify` drops is dropped; what it cannot write, and a Promise, Map, "
        "Set or Error, of which it would say nothing, ends the run with the path of the first bad value. Every code "
        "point crosses unharmed, NUL and lone surrogates included.",
        "P4": "Every run starts with fresh globals in a fresh process. Within one run each catalog is loaded at most "
        "once.",
        "P5": "Plain JavaScript: TypeScript is a syntax error whose hint says so.",
    },
    "Addresses": {
        "A1": "`<connector>.<tool>`, byte for byte as search prints it, works in `connecta.call` and "
        "`connecta.batch`. The connector id is all that stands before the first dot.",
        "A2": "`connector.tool(args)` is the same call. In both names a character outside `[A-Za-z0-9_$]` becomes "
        "`_`, a leading digit gains `_` and a reserved word a trailing `_`. No catalog is loaded until one is called.",
        "A3": "A shortcut that means several tools fails with `ambiguous_tool_alias`, lists their addresses (at "
        "most 20, and as many as fit in 1,000 bytes) and points at `connecta.call`. It never chooses.",
        "A4": "Connector ids that would share a global, or cover one that JavaScript or Connecta has, refuse the "
        "deployment when it is built.",
        "A5": "Shortcuts are frozen and hold no lists of tools; there is one rule for their names.",
    },
    "Functions": {
        "S1": "`connecta.search({ query?, connector?, safety?, limit?, offset?, fullDescriptions?, includeSchemas?, "
        "includeSchemaKeys? })` gives one flat page `{ tools, total, offset, limit, hasMore, nextOffset?, matchMode?, "
        "queryAnalysis? }`. A row has address and name, and whatever was asked for.",
        "S1a": '`connector` loads that catalog alone. `safety: "readOnly"` gives exactly what a program may call, '
        '`"approvalRequired"` the rest, `"all"` both. Naming a filter permits nothing.',
        "S2": 'Key lists come from the schema that is shown: absent means "read the schema", `[]` means "takes no '
        'fields". A truncated schema has no list.',
        "S3": "`limit` is 1 to 100 [8], anything else `invalid_args`. A page over 256,000 bytes is "
        "`result_too_large` and names ways to ask for less. No bound shrinks an answer silently.",
        "S4": "`connecta.describe({ address } or { addresses, format?, fullDescriptions? })` gives `{ tools }` in the "
        "order asked, for at most 100 addresses. A bad entry carries `error` and `errorDetails`, with at most 3 "
        "suggestions, and fails nothing else. Echoed text is clamped to 512 bytes.",
        "S5": "`connecta.call(address, args)` resolves to the unwrapped value: a result with a block that is no text "
        "whole; else `structuredContent`; else the text as JSON where it parses; else the text. A downstream's "
        "`isError` throws.",
        "S6": "It takes the same path as `call_tool`: the same catalog, read-only test, argument check, credentials, "
        "timeout and activity record.",
        "S7": "`connecta.batch([{ address, args }])` makes 1 to 10 calls at once and gives their outcomes in order, "
        "`{ address, ok, data }` or `{ address, ok, error, errorDetails }`. One failure rejects nothing; 0 or more "
        "than 10 calls throw.",
        "S8": "`code` and `retryable` of an outcome are those the same call would throw; a batch has no code of its "
        "own.",
    },
    "Errors": {
        "E1": "A failed call throws an `Error` with `message`, `code`, `retryable` and `details`, which neither a "
        "program nor a connector's prose can forge. Uncaught, the answer is `isError` with `{ error, logs? }`. A "
        "program's own error is `run_error` with its line and column.",
        "E2": "Codes: `unknown_address`, `unknown_tool`, `ambiguous_tool_alias`, "
        "`destructive_tool_requires_approval`, `auth_required`, `invalid_args`, `not_found`, "
        "`input_required_unsupported`, `result_too_large`, `budget_exceeded`, `cancelled` (final); `rate_limited`, "
        "`unavailable`, `timeout` (retryable); `connector_call_failed`, `catalog_lookup_failed`, "
        "`result_processing_failed` (as their cause); `internal_error` (final) for a defect of the server, whose log "
        "has it under the reference that the message names.",
        "E3": "`auth_required` carries what to do about it: the `authorize_connector` call to make.",
        "E4": "A tool that is not marked read-only is refused, with the `call_destructive_tool` call to make instead; "
        "its arguments are repeated only when all of them fit 512 bytes.",
        "E5": "How a run ends otherwise: `executor_overloaded`, `executor_closed`, `run_deadline`, `run_cpu`, "
        "`run_memory`, `run_stack`, `run_stalled`, `run_result`, `run_syntax`, `run_error`, `run_crashed`, "
        "`sandbox_unavailable`. Each names its bound, the value and what to change; no program sees one. A run whose "
        "client has left has no code: nobody is left to be told, and its calls are recorded as `cancelled`.",
        "E6": "A member that `connecta` does not have fails by name and lists the members. A host failure that a "
        "program wraps in its own error is still reported with its type.",
        "E7": "An unknown address or tool, an ambiguous shortcut and a refused write are final. An unknown one says "
        "what to search for.",
        "E8": "Arguments that break the schema fail before anything is sent, with at most three findings "
        "`{ path, code, expected }` that quote no value. A schema that cannot be compiled lets everything through.",
    },
    "Result, logs, diagnostics": {
        "R1": "The value a program returns is not reshaped.",
        "R2": "Over [24,000] characters it becomes `{ truncated: true, preview, totalChars, hint }`, itself no longer "
        "than that.",
        "R3": "A truncated value is a success.",
        "R4": "It has no handle for reading on.",
        "R5": "`console` output of all levels comes back in order as `logs`, at most [4,000] characters with a mark "
        "where it was cut, also from a run that failed.",
        "R6": "The envelope is `{ result, logs? }`, byte for byte, and nothing that was not asked for.",
        "R7": "`diagnostics: true` adds times of admission, sandbox, guest, catalogs and connectors, and per "
        "operation count, failures, ms and bytes.",
        "R8": "Diagnostics are numbers and fixed names: no address, argument, value, log or error text.",
    },
    "Emitted blocks": {
        "M1": '`connecta.emit` takes exactly one block, `{ type: "text", text }` or `{ type: "image" or "audio", '
        "data, mimeType }`, of exactly these fields and really what it says it is. Any other throws and takes nothing.",
        "M2": "Blocks follow the envelope in order, on success only; it says `emitted: N`, and the result has no "
        "`structuredContent`.",
        "M3": "Blocks and return value have bounds of their own.",
        "M4": "A failed run delivers no block and says `emittedDiscarded: N`.",
        "M5": "Budgets [4,000,000 bytes, 32 blocks] refuse the call that would cross them, saying what is left; "
        "blocks taken before stay.",
        "M6": "A block says nothing of where it came from.",
        "M7": "No host call is spent.",
        "M8": "`emit` and `ui` are ordinary functions of the bridge: the sandbox's protocol knows neither.",
        "M9": "A resolved `emit` means taken, not seen.",
        "M10": "`diagnostics` says `emitted { count, bytes }` when, and only when, something was emitted.",
    },
    "Rendered view": {
        "U1": "`connecta.ui(html)` takes one string that is not empty; anything else throws and takes nothing.",
        "U2": "One view a run: a second call throws, the first stands.",
        "U3": 'A success carries it under `_meta["connecta/ui"]`; the envelope says `ui: true` and the `view` id it is '
        "kept under for 24 h. A failed run says `uiDiscarded: true`.",
        "U4": "It spends the byte budget of the blocks, measured as `{ html }`; no block and no host call.",
        "U5": "One static shell shows it, `ui://connecta/program-ui/v2`. New bytes get a new version and old ones stay "
        "served; every other URI is refused, the resource lists are empty, and every tool states its visibility.",
        "U6": "The view runs offline and without an origin in a frame of its own; the shell takes one number from it.",
        "U7": "Any sandbox that bridges functions has `ui`.",
        "U8": "Nothing is streamed: blocks and view exist when the run has ended.",
        "U9": "`diagnostics` says `ui { bytes }` when, and only when, a view was taken.",
        "U10": "The metadata is always declared; a host without Apps shows the text of the envelope.",
        "U11": "The server declares one extension, `io.modelcontextprotocol/ui`, to either way of asking.",
        "U12": "The model reads the return value, not the view; the tool's description says so.",
        "U13": "A truncated value, blocks and a view can come together, and none limits another.",
    },
    "Retries": {
        "Y1": "One `connecta.call` is one attempt.",
        "Y2": "A program may itself repeat what is `retryable`.",
        "Y3": "There is no timer, so `rate_limited` is nothing to repeat at once.",
    },
    "Bounds": {
        "L1": "A program cannot observe that it is cancelled.",
        "L2": "When a run ends its calls are aborted, no other is admitted, its process is gone and nothing of the "
        "request stays.",
        "L3": "[25 s] of wall clock, host waits included, or what is left of the request less 2 s; no partial result.",
        "L4": "[50] host calls a run, over which `budget_exceeded`; 10 calls a batch, [15 s] a host call, a program of "
        "at most [256 KiB].",
        "L5": "[1,000 ms] of CPU, [64 MiB] of heap, [1 MiB] of stack: crossing one ends the run, never the server.",
        "L6": "[4,000,000] bytes each way for one host call; crossing it fails that call, catchably, with its address.",
        "L7": "[2] runs at once in a process, [32] waiting at most [5 s], then `executor_overloaded` with "
        "`retryAfterMs`, before there is a catalog or a child.",
        "L8": "A program can raise no bound.",
    },
    "Activity": {
        "V1": 'One record for each attempted call, local refusals included, with `source: "execute_code"`.',
        "V2": "A record has names, times, outcome, attempts, error code, friction, request, actor and deployment; "
        "no argument, result, program or error text.",
        "V3": "An unknown connector is recorded as it was written, clamped to 128 bytes, the address to 257.",
        "V4": "The run itself has no record.",
    },
}

CLAUSES: Final[Mapping[str, str]] = {
    clause: promise for promises in HEADINGS.values() for clause, promise in promises.items()
}
