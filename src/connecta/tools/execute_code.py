"""``execute_code``: one program in, one envelope out, with its blocks and its view beside it."""

import asyncio
from bisect import bisect_right

from connecta.connectors.model import Connector
from connecta.failures import Failure
from connecta.limits import Limits
from connecta.program.run import Programs, RunResult
from connecta.scope import Scope
from connecta.text import Json, JsonObject, compact, size
from connecta.tools.definition import Answer, ToolDefinition, error_answer, text_block
from connecta.tools.usage import numbers
from connecta.views.shell import tool_meta

INVENTORY_BYTES = 256

_DESCRIPTION = """Run one JavaScript program beside the connected tools; only its return value comes back. Use it for \
anything beyond one call: search, call in parallel, join and reduce in code.
The program is one async arrow function expression in plain JavaScript: async () => { … return value; }
connecta.search({ query, connector?, safety: "readOnly", includeSchemas: "compact" }) → { tools: [{ address, \
inputSchema, … }] }
connecta.describe({ addresses }) → { tools }
connecta.call(address, args) → the tool's value; read-only tools only. Shortcut: connector.tool(args)
connecta.batch([{ address, args }]) → [{ ok, data | error, errorDetails }], ≤ %(batch_calls)s in parallel
connecta.emit({ type: "image", data, mimeType }) adds a block to the answer (also text, audio)
connecta.ui(html) shows the person one self-contained HTML view; return the summary it shows, you do not see the view
console.log(…) → logs. Failed calls throw Error with code, retryable, details.
No fetch, timers, require, import. Limits: %(host_calls)s host calls, %(cpu_ms)s ms CPU, %(run_s)s s in all, return \
≤ %(result_chars)s characters.
Writes are refused here: use call_destructive_tool. More, with examples: skills({ name: "usage" })."""


def definition(connectors: list[Connector], shortcuts: dict[str, str], limits: Limits) -> ToolDefinition:
    """``shortcuts`` maps a connector id to its global's name, where that differs (A2)."""
    return ToolDefinition(
        name="execute_code",
        title="Run a program",
        description=f"{_DESCRIPTION % numbers(limits)}\nConnectors: {inventory(connectors, shortcuts)}",
        input_schema={
            "type": "object",
            "properties": {"code": {"type": "string"}, "diagnostics": {"type": "boolean"}},
            "required": ["code"],
            "additionalProperties": False,
        },
        annotations={"readOnlyHint": True, "destructiveHint": False, "openWorldHint": True},
        meta=tool_meta(),
    )


def inventory(connectors: list[Connector], shortcuts: dict[str, str]) -> str:
    """Connector ids in registry order, whole entries only, at most ``INVENTORY_BYTES``, then ``+N more``."""
    entries = [c.id + (f" (as {shortcuts[c.id]})" if c.id in shortcuts else "") for c in connectors]
    for shown in range(len(entries), -1, -1):
        more = [f"+{len(entries) - shown} more"] if shown < len(entries) else []
        line = ", ".join(entries[:shown] + more)
        if size(line) <= INVENTORY_BYTES:
            return line
    return ""


async def answer(arguments: JsonObject, scope: Scope, programs: Programs) -> Answer:
    """The run's envelope. Raises what keeps a run from starting."""
    measured = arguments.get("diagnostics") is True
    ran = await programs.run(str(arguments["code"]), scope, measured=measured)
    diagnostics: JsonObject = {"diagnostics": ran.diagnostics} if measured else {}
    logs: JsonObject = {"logs": ran.logs} if ran.logs else {}
    if ran.failure:
        return error_answer(_with_discards(ran.failure, ran), **logs, **diagnostics)
    envelope: JsonObject = {"result": _bounded(ran.value, scope.limits.result_chars), **logs}
    meta: JsonObject | None = None
    if ran.output.blocks:
        envelope["emitted"] = len(ran.output.blocks)
    if ran.output.view is not None:
        envelope["ui"] = True
        view = await _kept(ran.output.view, scope)
        if view:
            envelope["view"] = view
        meta = {"connecta/ui": {"html": ran.output.view}}
    envelope.update(diagnostics)
    # A major client drops a result's blocks when structuredContent is there too; the text envelope is complete (M2).
    structured: Json = None if ran.output.blocks else envelope
    return Answer([text_block(compact(envelope)), *ran.output.blocks], structured, meta)


async def _kept(html: str, scope: Scope) -> str | None:
    """The view's id, or nothing when it cannot be kept: the run has succeeded all the same (U3)."""
    try:
        async with asyncio.timeout(scope.keeping_s()):
            return await scope.services.state.views.keep(html, scope.owner)
    except (Failure, TimeoutError):
        return None


def _with_discards(failure: Failure, ran: RunResult) -> Failure:
    """The failure, saying what the run had taken and is not delivered (M4, U3)."""
    discarded: JsonObject = {}
    if ran.output.blocks:
        discarded["emittedDiscarded"] = len(ran.output.blocks)
    if ran.output.view is not None:
        discarded["uiDiscarded"] = True
    return Failure(failure.code, failure.message, retryable=failure.retryable, details={**failure.details, **discarded})


def _bounded(value: Json, limit: int) -> Json:
    """The value itself, or the truncation envelope that stands in for it (R2)."""
    text = compact(value)
    if len(text) <= limit:
        return value
    envelope: JsonObject = {
        "truncated": True,
        "preview": "",
        "totalChars": len(text),
        "hint": f"The return value is over {limit:,} characters. Reduce it in the program: filter, count, summarize.",
    }
    room = limit - len(compact(envelope))
    # Quotes and backslashes grow when the preview is serialized again.
    fits = bisect_right(range(room + 1), room, key=lambda chars: len(compact(text[:chars])) - len('""')) - 1
    return {**envelope, "preview": text[:fits]}
