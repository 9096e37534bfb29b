"""The server's own guides: what a model needs to write a program that works the first time, and a view people like.

Read by models, so every sentence costs tokens: they hold what the tool descriptions leave out. ``usage`` is for every
program and stays under 6,000 bytes; ``views`` is read by those that show one.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Final

from connecta.limits import Limits
from connecta.tools.examples import CHART, JOINED, LISTED, TABLE

_USAGE: Final = """# Programs for execute_code

One async arrow function in plain JavaScript; what it returns is the answer. No state between runs. There are \
ECMAScript built-ins, `connecta`, `console` and one global per connector; no TypeScript, import, require, fetch, \
timers, process, crypto, Intl, URL, structuredClone.

## Functions
`connecta.search({ query?, connector?, safety?, limit?, offset?, fullDescriptions?, includeSchemas?, \
includeSchemaKeys? })`
→ `{ tools, total, offset, limit, hasMore, nextOffset?, matchMode?, queryAnalysis? }`, a tool being \
`{ address, name, description?, annotations, inputSchema?, outputSchema?, inputKeys?, requiredInputKeys?, outputKeys?, \
guide?, guideSummary?, guideRequired?, guideRequiredReasons? }`
- `safety`: `"readOnly"` (what a program may call), `"approvalRequired"` (the rest), `"all"` (default).
- `includeSchemas`: `"compact"` (type text) or `"json"`, with the key lists; `includeSchemaKeys: true`: those alone.
- `limit` 1 to %(search_max)s (%(search_default)s). Without a query it lists all. Next page: `offset: nextOffset`.

`connecta.describe({ address })` or `({ addresses, format?: "compact" | "json", fullDescriptions? })`
→ `{ tools }` in that order, with schemas; in a bad address's place `{ address, error, errorDetails }`.

`connecta.call(address, args = {})` → the tool's value, unwrapped; throws when the call fails.
Shortcut: `connector.tool(args)`, characters outside A-Z a-z 0-9 _ $ written `_`.

`connecta.batch([{ address, args? }, …])` → 1 to %(batch_calls)s outcomes in order, made in parallel, none rejecting:
`{ address, ok: true, data }` or `{ address, ok: false, error, errorDetails }`.

## Choosing a tool
1. Search with `safety: "readOnly"`, `includeSchemas: "compact"`, and `connector` when you know it.
2. Take `address` byte for byte; fill `requiredInputKeys`. A key list `[]` is no fields, an absent one: read the schema.
3. Describe when you have an address and no schema; with `format: "json"` when `inputSchemaTruncated`.
4. No `outputSchema`: return one value first, then write the real program.
5. `guideRequired`: read `skills({ name: guide })` first (a tool, not a function).

## Errors
A failed call throws an Error with `code`, `message`, `retryable`, `details`; uncaught, it ends the run.

| code | do |
|---|---|
| `unknown_tool`, `unknown_address` | use `details.suggestions`, or search again |
| `ambiguous_tool_alias` | `connecta.call` with one of `details.addresses` |
| `invalid_args` | fix what `details.findings` (`path`, `code`, `expected`) names |
| `destructive_tool_requires_approval` | leave it out; after the run `call_destructive_tool` |
| `auth_required` | stop; `authorize_connector`, tell the person |
| `not_found`, `connector_call_failed` | read the message; search the id again |
| `result_too_large` | ask for less: a filter, smaller pages |
| `budget_exceeded` | fewer calls, or another run |
| `unavailable`, `timeout` | once more, then go on without |
| `rate_limited` | not again in this run: there is no timer |
| `run_…` | fix the line, or keep the bound, that the message names |

## Output
- Return plain JSON, the least that answers. Over %(result_chars)s characters it is \
`{ truncated: true, preview, totalChars, hint }`, without paging: reduce and run again.
- `await connecta.emit({ type: "text", text })` or `({ type: "image" | "audio", data, mimeType })`, `data` base64: one \
block beside the answer. A tool's result with an image comes whole: `{ content: [block, …] }`.
- `await connecta.ui(html)`, once: a self-contained view for the person. A failed run delivers neither.
- `console.log(…)` → `logs`, kept when the run fails.

## Views (more: `skills({ name: "views" })`)
- For what people compare, sort or look at. One fact, a yes or no, a short list: words, no view.
- One small view, one purpose, under 500 px tall, without network. One item in detail, a few side by side, many as a \
table; at each chosen item a few words why.
- Plain HTML looks like the host; colours: `var(--color-text-info, #36c)`. \
Escape every value. Images as `data:`, all in one shape. `addEventListener`, never `onclick="…"`.
- You do not see it, and some clients show none: always return the summary it shows.

## Limits
%(host_calls)s calls a run (search and describe count, a batch is one, emit and ui are free), %(host_call_s)s s each; \
%(run_s)s s and %(cpu_ms)s ms of CPU in all; heap %(heap_mib)d MiB; program %(program_kib)d KiB; %(bridge_bytes)s \
bytes each way a call; %(describe_addresses)s addresses a describe; %(page_bytes)s bytes a page; \
%(emitted_blocks)s blocks, %(emitted_bytes)s bytes of blocks and view; logs %(log_chars)s characters.

## Example: find, join, repair
```js
%(joined)s```

## Example: a small view
```js
%(listed)s```
"""

_VIEWS: Final = """# Views for people

`await connecta.ui(html)` in a program shows the person one view. `skills({ name: "usage" })` is about programs.

## When
- For what people compare, sort or look at: rows, a trend, pictures. One fact, a yes or no, a short list: words, no \
view.
- You do not see the view, and some clients show none: always return the summary it shows.

## How it looks
- One small view with one purpose, under 500 px tall and good at 360 px wide.
- By count: one item in detail, a few side by side (`display: flex; flex-wrap: wrap; gap: 1em`), many as a table. At \
each chosen item a few words why it was chosen.
- Plain HTML already has the host's font and colours, light and dark. For more: \
`var(--color-text-secondary, GrayText)`, `--color-background-secondary`, `--color-border-primary`, \
`--color-text-info` (or -success, -warning, -danger), each with a fallback such as `light-dark(#eee, #333)`. No fixed \
background.
- Images are `data:` URLs, in one shape: `img { width: 9em; aspect-ratio: 1; object-fit: cover }`.

## How it works
- It has no network and can call nothing. No links, no nested frames.
- Escape every value (`safe` below): titles come from elsewhere. Put data into the HTML, not into a script.
- `addEventListener`, never `onclick="…"`: some hosts block inline handlers.

## Example: a table that sorts
```js
%(table)s```

## Example: a chart, and an image beside the answer
```js
%(chart)s```
"""


def usage(limits: Limits) -> str:
    """The guide as Markdown, with the numbers of a deployment's own ``limits``."""
    return _USAGE % {**numbers(limits), "joined": JOINED, "listed": LISTED}


def views() -> str:
    """The guide as Markdown."""
    return _VIEWS % {"table": TABLE, "chart": CHART}


def numbers(limits: Limits) -> Mapping[str, object]:
    """Each limit by its name, as a model reads it."""
    written = {name: f"{value:,}" if isinstance(value, int) else f"{value:g}" for name, value in asdict(limits).items()}
    return {**written, "heap_mib": limits.heap_bytes >> 20, "program_kib": limits.program_bytes >> 10}
