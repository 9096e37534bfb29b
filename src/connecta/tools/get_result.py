"""``get_result``: the rest of a large result, and the way a view fetches itself."""

from connecta import failures
from connecta.scope import Scope
from connecta.text import JsonObject, size
from connecta.tools.definition import Answer, ToolDefinition, object_answer, text_block

DEFINITION = ToolDefinition(
    name="get_result",
    title="Read a kept result",
    description="Read a large result piece by piece by its resultId; go on at nextOffset. Sizes are UTF-8 bytes.",
    input_schema={
        "type": "object",
        "properties": {
            "id": {"type": "string"},
            "offset": {"type": "integer", "minimum": 0},
            "maxBytes": {"type": "integer", "minimum": 1},
        },
        "required": ["id"],
        "additionalProperties": False,
    },
    annotations={"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False},
    meta={"ui": {"visibility": ["model", "app"]}},
)


async def answer(arguments: JsonObject, scope: Scope) -> Answer:
    """``{ text, offset, nextOffset?, totalBytes }``, or for a view's id the view under ``_meta["connecta/ui"]``.

    An unknown, expired or foreign id is ``not_found``: the three answer alike.
    """
    id = str(arguments["id"])
    if id.startswith("v_"):
        html = await scope.services.state.views.read(id, scope.owner)
        if html is None:
            raise failures.unknown_result(id)
        line = f"The view {id}, {size(html):,} bytes of HTML, is for the person."
        return Answer([text_block(line)], meta={"connecta/ui": {"html": html}})
    text = await scope.services.state.results.read(id, scope.owner)
    if text is None:
        raise failures.unknown_result(id)
    offset, most = arguments.get("offset"), arguments.get("maxBytes")
    return object_answer(
        page(
            text,
            int(offset) if isinstance(offset, int | float) else 0,
            min(
                int(most) if isinstance(most, int | float) else scope.limits.result_page_bytes,
                scope.limits.result_page_bytes_max,
            ),
        )
    )


def page(text: str, offset: int, most: int) -> JsonObject:
    """At most ``most`` bytes of ``text`` from ``offset``; both ends fall between characters.

    A page that cannot hold even one character holds one all the same, so that paging always moves on. An offset
    past the end gives an empty last page.
    """
    data = text.encode("utf-8", "surrogatepass")
    start = _boundary(data, min(offset, len(data)))
    end = _boundary(data, min(start + most, len(data)))
    while end <= start < len(data):
        end = _next_boundary(data, start + 1)
    piece: JsonObject = {
        "text": data[start:end].decode("utf-8", "surrogatepass"),
        "offset": start,
        "totalBytes": len(data),
    }
    if end < len(data):
        piece["nextOffset"] = end
    return piece


def _boundary(data: bytes, at: int) -> int:
    while 0 < at < len(data) and data[at] & 0xC0 == 0x80:
        at -= 1
    return at


def _next_boundary(data: bytes, at: int) -> int:
    while at < len(data) and data[at] & 0xC0 == 0x80:
        at += 1
    return at
