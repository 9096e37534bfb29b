"""What ``call_tool`` and ``call_destructive_tool`` share: their inputs, and how a call's result is shaped."""

import asyncio
from typing import Final, cast

from connecta.calls.activity import Source
from connecta.calls.call import CallFailed, CallOutcome, CallRequest, call, downstream_failure
from connecta.connectors.model import ToolResult
from connecta.failures import Failure, quote
from connecta.limits import LIMITS
from connecta.scope import Scope
from connecta.text import Json, JsonObject, Missing, clamp, compact, size
from connecta.tools.definition import Answer, object_answer, text_block
from connecta.tools.projection import project

INPUT: Final[JsonObject] = {
    "address": {"type": "string"},
    "args": {"type": "object"},
    "fields": {"type": "array", "items": {"type": "string", "maxLength": 256}, "maxItems": 50},
    "resultMode": {"type": "string", "enum": ["mcp", "value"]},
    "timeoutMs": {"type": "integer", "minimum": 1, "maximum": int(LIMITS.call_s_max * 1000)},
    "maxRetries": {"type": "integer", "minimum": 0, "maximum": LIMITS.retries_max},
    "diagnostics": {"type": "boolean"},
}

_PREVIEW_BYTES = 2_000


async def answer_call(arguments: JsonObject, scope: Scope, source: Source) -> Answer:
    """One downstream call and its answer; failures of the call are answers too."""
    timeout_ms = arguments.get("timeoutMs")
    fields = cast("list[str] | None", arguments.get("fields"))
    value_mode = arguments.get("resultMode") == "value"
    shape = _Shape(fields, value_mode)

    def too_large(result: ToolResult) -> bool:
        return size(compact(shape.inline(result))) > scope.limits.inline_bytes

    request = CallRequest(
        address=str(arguments["address"]),
        args=cast(JsonObject, arguments.get("args") or {}),
        source=source,
        timeout_s=timeout_ms / 1000 if isinstance(timeout_ms, int | float) else None,
        max_retries=cast(int, arguments.get("maxRetries") or 0),
        too_large=too_large,
    )

    def reported() -> JsonObject:
        return {"diagnostics": scope.timings.report()} if arguments.get("diagnostics") is True else {}

    try:
        outcome = await call(request, scope)
    except CallFailed as failed:
        return _failed(failed.failure, failed.duration_ms, failed.attempts, reported())
    diagnostics = reported()
    if outcome.result.is_error and value_mode:
        failure = downstream_failure(outcome.address, outcome.result)
        return _failed(failure, outcome.duration_ms, outcome.attempts, diagnostics)
    if outcome.too_large:
        return await _kept(outcome, shape, scope, diagnostics)
    if value_mode:
        return object_answer({"ok": True, "data": shape.data(outcome.result), **_spent(outcome), **diagnostics})
    return _relayed(outcome.result, shape, diagnostics)


def _failed(failure: Failure, duration_ms: int, attempts: int, diagnostics: JsonObject) -> Answer:
    value: JsonObject = {
        "ok": False,
        "error": failure.envelope(),
        "durationMs": duration_ms,
        "attempts": attempts,
        **diagnostics,
    }
    return Answer([text_block(compact(value))], value, is_error=True)


class _Shape:
    """The form a result is asked for in, made once: it is measured first, and then sent or kept."""

    def __init__(self, fields: list[str] | None, value_mode: bool) -> None:
        self._fields = fields
        self._value_mode = value_mode
        self._data: list[Json] = []

    def data(self, result: ToolResult) -> Json:
        """The value as a program would see it (S5), or what ``fields`` pick of it; an error is told whole."""
        if not self._data:
            value = result.unwrap()
            self._data.append(project(value, self._fields) if self._fields and not result.is_error else value)
        return self._data[0]

    def is_relayed(self, result: ToolResult) -> bool:
        """Whether the downstream's own content goes back, rather than a value made of it."""
        return not self._value_mode and (not self._fields or result.is_error)

    def inline(self, result: ToolResult) -> Json:
        """What would be returned inline, for measuring it."""
        return _mcp(result).mcp() if self.is_relayed(result) else self.data(result)


def _spent(outcome: CallOutcome) -> JsonObject:
    return {"durationMs": outcome.duration_ms, "attempts": outcome.attempts}


def _mcp(result: ToolResult) -> ToolResult:
    """``result`` as MCP content: an api tool's value becomes a text block, and structured when it is an object."""
    if isinstance(result.value, Missing):
        return result
    if isinstance(result.value, dict):
        return ToolResult([text_block(compact(result.value))], structured=result.value)
    text = result.value if isinstance(result.value, str) else compact(result.value)
    return ToolResult([text_block(text)])


def _relayed(result: ToolResult, shape: _Shape, diagnostics: JsonObject) -> Answer:
    """The downstream's own content, unchanged but for ``_meta`` keys that are not its to set."""
    if not shape.is_relayed(result):
        projected = shape.data(result)
        return Answer([text_block(compact(projected))], projected, _meta(None, diagnostics))
    mcp = _mcp(result)
    structured = None if isinstance(mcp.structured, Missing) else mcp.structured
    return Answer(list(mcp.content), structured, _meta(mcp.meta, diagnostics), is_error=mcp.is_error)


def _meta(given: JsonObject | None, diagnostics: JsonObject) -> JsonObject | None:
    meta = {key: value for key, value in (given or {}).items() if not _reserved(key)}
    if diagnostics:
        meta["connecta/diagnostics"] = diagnostics["diagnostics"]
    return meta or None


def _reserved(key: str) -> bool:
    """Keys whose prefix belongs to MCP (second label ``mcp`` or ``modelcontextprotocol``) or to us."""
    prefix, slash, _ = key.partition("/")
    labels = prefix.split(".")
    mcp = {"mcp", "modelcontextprotocol"}
    return key == "progressToken" or (bool(slash) and (labels[0] in mcp | {"connecta"} or bool(mcp & set(labels[1:2]))))


async def _kept(outcome: CallOutcome, shape: _Shape, scope: Scope, diagnostics: JsonObject) -> Answer:
    """A preview, and the id the whole is kept under. What is kept is the value as a program would see it (S5)."""
    payload = compact(shape.data(outcome.result))
    notice: JsonObject = {
        "truncated": True,
        "preview": _preview(outcome.result, payload),
        "totalBytes": size(payload),
    }
    try:
        async with asyncio.timeout(scope.keeping_s()):
            result_id = await scope.services.state.results.keep(payload, scope.owner)
    except (Failure, TimeoutError):
        notice["hint"] = "The result is too large to return and could not be kept. Ask for less with fields."
    else:
        notice["resultId"] = result_id
        notice["hint"] = "Read on with get_result, or ask for less with fields."
        notice["nextAction"] = {"tool": "get_result", "arguments": {"id": result_id, "offset": 0}}
    if any(block.get("type") not in ("text", None) for block in outcome.result.content):
        notice["hint"] = f"{notice['hint']} To show an image or play audio, call it in a program and connecta.emit it."
    value: JsonObject = {"ok": not outcome.result.is_error, **notice, **_spent(outcome), **diagnostics}
    return Answer([text_block(compact(value))], value, is_error=outcome.result.is_error)


def _preview(result: ToolResult, payload: str) -> str:
    """The head of the text; of other blocks their type and size, never their bytes."""
    others = [block for block in result.content if block.get("type") != "text"]
    if not others:
        return clamp(payload, _PREVIEW_BYTES)
    lines = [f"{quote(_kind(block))}: {size(compact(block)):,} bytes" for block in others[:20]]
    texts = [str(block.get("text", "")) for block in result.content if block.get("type") == "text"]
    return clamp("\n".join(lines + texts), _PREVIEW_BYTES)


def _kind(block: JsonObject) -> str:
    """A block's type and media type; a resource has its own inside."""
    inner = block.get("resource")
    described = {**inner, **block} if isinstance(inner, dict) else block
    return " ".join(str(described[key]) for key in ("type", "mimeType") if key in described)
