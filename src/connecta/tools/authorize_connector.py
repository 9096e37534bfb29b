"""``authorize_connector``: how a connector that wants a credential gets one. It never accepts a secret."""

from connecta import failures
from connecta.scope import Scope
from connecta.text import JsonObject
from connecta.tools.definition import Answer, ToolDefinition, object_answer

DEFINITION = ToolDefinition(
    name="authorize_connector",
    title="Authorize a connector",
    description=(
        "After auth_required: says how the connector is authorized, with a URL to hand to the operator where there is "
        "one. Never send it a secret; force discards a stored grant first."
    ),
    input_schema={
        "type": "object",
        "properties": {"connector": {"type": "string"}, "force": {"type": "boolean"}},
        "required": ["connector"],
        "additionalProperties": False,
    },
    annotations={"readOnlyHint": False, "destructiveHint": False, "openWorldHint": True},
    meta={"ui": {"visibility": ["model"]}},
)


async def answer(arguments: JsonObject, scope: Scope) -> Answer:
    """``{ connector, recovery?, status, instructions, authorizationUrl?, operatorUrl?, credential? }``; no ``recovery``
    where nothing is to be recovered."""
    connector = scope.connectors.get(str(arguments["connector"]))
    if connector is None:
        raise failures.unknown_address(str(arguments["connector"]), list(scope.connectors), "tool")
    authorization = await scope.services.authorizations.describe(
        connector,
        origin=scope.origin,
        by=f"{scope.caller.kind}:{scope.caller.subject}",
        force=arguments.get("force") is True,
    )
    return object_answer({"connector": connector.id, **authorization.shown()})
