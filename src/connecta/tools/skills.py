"""``skills``: how to use this server, and the guides its connectors carry."""

from itertools import islice
from typing import Final

from connecta import failures
from connecta.scope import Scope
from connecta.text import Json, JsonObject
from connecta.tools.definition import Answer, ToolDefinition, object_answer, text_block
from connecta.tools.usage import usage, views

DEFINITION = ToolDefinition(
    name="skills",
    title="Read a guide",
    description='List the guides, or read one: "usage" for programs, "views", or "connector:<id>" for a connector.',
    input_schema={"type": "object", "properties": {"name": {"type": "string"}}, "additionalProperties": False},
    annotations={"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False},
    meta={"ui": {"visibility": ["model"]}},
)

_NAMED: Final = 20
"""Guides a miss names: each takes up to 73 characters, and a refusal stays short."""


async def answer(arguments: JsonObject, scope: Scope) -> Answer:
    """``{ skills: [{ name, description }] }``, or one guide's markdown as text; a miss lists the names."""
    guides: dict[str, tuple[str, str]] = {
        "usage": ("How to write programs for execute_code", usage(scope.limits)),
        "views": ("How to show people something, with two examples", views()),
    }
    for connector in scope.connectors.values():
        if connector.guide:
            summary = connector.guide_summary or f"How to use {connector.title or connector.id}"
            guides[f"connector:{connector.id}"] = (summary, connector.guide)
    name = arguments.get("name")
    if name is None:
        listed: list[Json] = []
        for known, (summary, _) in guides.items():
            entry: JsonObject = {"name": known, "description": summary}
            listed.append(entry)
        return object_answer({"skills": listed})
    if str(name) not in guides:
        shown = ", ".join(islice(guides, _NAMED))
        more = f" and {len(guides) - _NAMED} more that skills({{}}) lists" if len(guides) > _NAMED else ""
        raise failures.not_found(f'There is no guide "{failures.quote(str(name))}". The guides are: {shown}{more}.')
    return Answer([text_block(guides[str(name)][1])])
