"""``call_tool``: one call to one read-only tool."""

from connecta.scope import Scope
from connecta.text import JsonObject
from connecta.tools.calling import INPUT, answer_call
from connecta.tools.definition import Answer, ToolDefinition

DEFINITION = ToolDefinition(
    name="call_tool",
    title="Call a read-only tool",
    description=(
        "Call one read-only tool by its address, exactly as search_tools printed it. fields picks parts of the result "
        "(results[].id); resultMode value unwraps it. A result over 50 KB comes as a preview with a resultId."
    ),
    input_schema={"type": "object", "properties": INPUT, "required": ["address"], "additionalProperties": False},
    annotations={"readOnlyHint": True, "destructiveHint": False, "openWorldHint": True},
    meta={"ui": {"visibility": ["model"]}},
)


async def answer(arguments: JsonObject, scope: Scope) -> Answer:
    return await answer_call(arguments, scope, "call_tool")
