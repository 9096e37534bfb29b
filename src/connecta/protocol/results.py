"""An ``Answer`` as MCP's ``CallToolResult``, shaped so that neither protocol era breaks on it."""

import json
from collections.abc import Callable, Mapping
from typing import Final

from connecta import failures
from connecta.failures import quote
from connecta.protocol.wire import Reply
from connecta.text import Json, JsonObject, compact, size
from connecta.tools.definition import Answer, error_answer, text_block

CARRIED_BLOCK: Final = "connecta/block"
"""The ``_meta`` key under which a block that MCP does not define travels inside the text block in its place."""


def call_tool_result(answer: Answer, *, modern: bool) -> JsonObject:
    """``content`` and ``isError``, and ``structuredContent`` and ``_meta`` where the answer has them.

    Before 2026-07-28 ``structuredContent`` is an object or absent; the text block says the same.
    """
    result: JsonObject = {"content": [_block(block) for block in answer.content], "isError": answer.is_error}
    if answer.structured is not None and (modern or isinstance(answer.structured, dict)):
        result["structuredContent"] = answer.structured
    if answer.meta is not None:
        result["_meta"] = answer.meta
    return result


def is_tool_result(reply: Reply) -> bool:
    """Whether ``reply`` answers ``tools/call``: no other result has ``content``."""
    result = reply.message.get("result")
    return isinstance(result, dict) and "content" in result


def too_large(reply: Reply, encoded: int, limit: int) -> Reply:
    """The same reply with its tool result replaced by the failure ``result_too_large``: same id, no payload.

    ``encoded`` is how many bytes it would have had as Lambda sends it, ``limit`` how many it may have.
    """
    body = reply.message
    result = body.get("result")
    message = (
        f"The result takes {encoded:,} bytes on the wire and {limit:,} fit.{_largest_part(result)} Ask for less: "
        "select fields, lower the limit, or aggregate inside a program and return only what is needed."
    )
    failure = failures.result_too_large(message)
    envelope = _envelope(result)
    failure.details.update(_discarded(envelope))
    beside = {key: envelope[key] for key in ("logs", "diagnostics") if key in envelope}
    answer = error_answer(failure, **beside)
    kept = {key: value for key, value in result.items() if key == "resultType"} if isinstance(result, dict) else {}
    return Reply(reply.status, {**body, "result": {**call_tool_result(answer, modern=False), **kept}})


def _envelope(result: Json) -> JsonObject:
    """The envelope of a program's result (R6, M2, U3), told by its fields."""
    content = result.get("content") if isinstance(result, dict) else None
    first = content[0] if isinstance(content, list) and content else None
    text = first.get("text") if isinstance(first, dict) else None
    if not isinstance(text, str) or not text.startswith('{"result":'):
        return {}
    value: JsonObject = json.loads(text)
    return value if value.keys() <= {"result", "logs", "emitted", "ui", "view", "diagnostics"} else {}


def _discarded(envelope: JsonObject) -> JsonObject:
    """What a run had taken and does not deliver (M4, U3)."""
    discarded: JsonObject = {}
    if isinstance(emitted := envelope.get("emitted"), int):
        discarded["emittedDiscarded"] = emitted
    if envelope.get("ui") is True:
        discarded["uiDiscarded"] = True
    return discarded


def _largest_part(result: Json) -> str:
    if not isinstance(result, dict):
        return ""
    content = result.get("content")
    parts = {
        f"the {block.get('type')} block {index}": size(compact(block))
        for index, block in enumerate(content if isinstance(content, list) else ())
        if isinstance(block, dict)
    }
    parts |= {key: size(compact(result[key])) for key in ("structuredContent", "_meta") if key in result}
    if not parts:
        return ""
    name = max(parts, key=lambda part: parts[part])
    return f" Its largest part is {quote(name)} with {parts[name]:,} bytes."


def _block(block: JsonObject) -> JsonObject:
    """``block`` as it came when MCP defines it. Hosts refuse a whole result over one block of a type they do not
    know, so any other is named in a text block, which carries it in its ``_meta``."""
    kind = block.get("type")
    is_defined = _DEFINED.get(kind) if isinstance(kind, str) else None
    if is_defined is not None and is_defined(block):
        return block
    named = quote(kind) if isinstance(kind, str) else "unnamed"
    text = f'A content block of type "{named}" that this protocol revision does not define.'
    return {**text_block(text), "_meta": {CARRIED_BLOCK: block}}


def _has_text(block: Mapping[str, Json], *keys: str) -> bool:
    return all(isinstance(block.get(key), str) for key in keys)


def _is_resource(block: Mapping[str, Json]) -> bool:
    resource = block.get("resource")
    return (
        isinstance(resource, dict) and _has_text(resource, "uri") and any(key in resource for key in ("text", "blob"))
    )


_DEFINED: Final[Mapping[str, Callable[[Mapping[str, Json]], bool]]] = {
    "text": lambda block: _has_text(block, "text"),
    "image": lambda block: _has_text(block, "data", "mimeType"),
    "audio": lambda block: _has_text(block, "data", "mimeType"),
    "resource": _is_resource,
    "resource_link": lambda block: _has_text(block, "uri", "name"),
}
