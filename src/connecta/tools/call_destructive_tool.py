"""``call_destructive_tool``: one visible call to a tool that is not marked read-only."""

from connecta.limits import LIMITS
from connecta.scope import Scope
from connecta.text import JsonObject
from connecta.tools.calling import INPUT, answer_call
from connecta.tools.definition import Answer, ToolDefinition

DEFINITION = ToolDefinition(
    name="call_destructive_tool",
    title="Call a tool that changes things",
    description=(
        "Call one tool that writes, or is not marked read-only. One call each, so that the person can see and stop it; "
        "reason tells them why and is sent nowhere."
    ),
    input_schema={
        "type": "object",
        "properties": {**INPUT, "reason": {"type": "string", "maxLength": LIMITS.reason_chars}},
        "required": ["address"],
        "additionalProperties": False,
    },
    annotations={"readOnlyHint": False, "destructiveHint": True, "openWorldHint": True},
    meta={"ui": {"visibility": ["model"]}},
)


async def answer(arguments: JsonObject, scope: Scope) -> Answer:
    return await answer_call(arguments, scope, "call_destructive_tool")
