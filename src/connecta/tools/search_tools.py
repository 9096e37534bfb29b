"""``search_tools``: find tools by words, grouped by connector."""

from connecta.catalog.request import search_request
from connecta.program.discovery import search_page
from connecta.scope import Scope
from connecta.text import Json, JsonObject
from connecta.tools.definition import Answer, ToolDefinition, object_answer

DEFINITION = ToolDefinition(
    name="search_tools",
    title="Search tools",
    description=(
        "Find tools by words, grouped by connector; without a query, browse. Use it when one call is enough: the "
        "compact schema shows how to call the address with call_tool. For several calls use execute_code."
    ),
    input_schema={
        "type": "object",
        "properties": {
            "query": {"type": "string"},
            "connector": {"type": "string"},
            "safety": {"type": "string", "enum": ["readOnly", "approvalRequired", "all"]},
            "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 8},
            "offset": {"type": "integer", "minimum": 0},
            "fullDescriptions": {"type": "boolean"},
            "includeSchemas": {"type": "string", "enum": ["compact", "json"]},
        },
        "additionalProperties": False,
    },
    annotations={"readOnlyHint": True, "destructiveHint": False, "openWorldHint": True},
    meta={"ui": {"visibility": ["model"]}},
)

_GROUP_FIELDS = ("guide", "guideSummary")


async def answer(arguments: JsonObject, scope: Scope) -> Answer:
    """``{ connectors: [{ id, title?, guide?, guideSummary?, tools }], total, offset, limit, hasMore, … }``."""
    request = search_request(arguments, scope.limits)
    return object_answer(grouped(await search_page(scope, request), scope))


def grouped(page: JsonObject, scope: Scope) -> JsonObject:
    """The flat page with its rows under their connectors, best row first."""
    groups: dict[str, JsonObject] = {}
    rows = page["tools"]
    for row in rows if isinstance(rows, list) else []:
        if not isinstance(row, dict):
            continue
        connector_id = str(row["address"]).partition(".")[0]
        group = groups.setdefault(connector_id, _group(connector_id, row, scope))
        tools: Json = group["tools"]
        if isinstance(tools, list):
            tools.append({key: value for key, value in row.items() if key not in _GROUP_FIELDS})
    return {"connectors": list[Json](groups.values()), **{key: v for key, v in page.items() if key != "tools"}}


def _group(connector_id: str, row: JsonObject, scope: Scope) -> JsonObject:
    title = scope.connectors[connector_id].title
    group: JsonObject = {"id": connector_id, **({"title": title} if title else {})}
    group.update({key: row[key] for key in _GROUP_FIELDS if key in row})
    group["tools"] = []
    return group
