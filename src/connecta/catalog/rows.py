"""One tool as search and describe print it."""

from dataclasses import dataclass

from connecta.catalog.catalog import Catalog
from connecta.catalog.render import CompactSchema, render
from connecta.catalog.request import Format
from connecta.connectors.model import Annotations, Connector, Tool
from connecta.text import Json, JsonObject, compact


@dataclass(frozen=True, slots=True)
class RowStyle:
    """``description_chars`` is ``None`` for whole descriptions; ``keys`` come along with every schema."""

    description_chars: int | None
    schemas: Format | None = None
    keys: bool = False


def tool_row(catalog: Catalog, tool: Tool, style: RowStyle) -> JsonObject:
    """A row in S1's names, absent fields left out."""
    row: JsonObject = {"address": catalog.address(tool), "name": tool.name}
    description = cut(tool.description, style.description_chars)
    if description:
        row["description"] = description
    truncated = False
    if style.schemas is not None or style.keys:
        truncated = _add_schemas(row, tool, style)
    row["annotations"] = _hints(tool.annotations)
    row.update(_guidance(catalog.connector, tool, truncated))
    return row


def cut(text: str, chars: int | None) -> str:
    """``text`` in at most ``chars`` characters, ending in an ellipsis when something was cut; one run of spaces."""
    if chars is None or len(text) <= chars:
        return text
    flat = " ".join(text[: chars * 4].split())
    return flat if len(flat) <= chars and len(text) <= chars * 4 else f"{flat[: chars - 1].rstrip()}…"


def _add_schemas(row: JsonObject, tool: Tool, style: RowStyle) -> bool:
    """Adds schemas and key lists; true when a compact schema had to be cut."""
    shapes: list[tuple[str, Json, CompactSchema]] = [("input", tool.input_schema, render(tool.input_schema))]
    if tool.output_schema is not None:
        shapes.append(("output", tool.output_schema, render(tool.output_schema)))
    for side, schema, shape in shapes:
        if style.schemas == "json":
            row[f"{side}Schema"] = schema if _is_json(schema) else "unknown"
        elif style.schemas == "compact":
            row[f"{side}Schema"] = shape.text
            if shape.truncated:
                row[f"{side}SchemaTruncated"] = True
    for side, _, shape in shapes:
        if shape.keys is not None:
            row[f"{side}Keys"] = list[Json](shape.keys)
        if side == "input" and shape.required is not None:
            row["requiredInputKeys"] = list[Json](shape.required)
    return style.schemas == "compact" and any(shape.truncated for _, _, shape in shapes)


def _is_json(schema: Json) -> bool:
    """False for what a lenient parser let through and no strict one would take: NaN, absurd depth."""
    try:
        compact(schema)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def _hints(annotations: Annotations) -> JsonObject:
    """The hints that were said; a tool nobody calls read-only needs approval."""
    hints = {
        "readOnlyHint": annotations.read_only,
        "destructiveHint": annotations.destructive,
        "idempotentHint": annotations.idempotent,
        "openWorldHint": annotations.open_world,
    }
    return {name: hint for name, hint in hints.items() if hint is not None}


def _guidance(connector: Connector, tool: Tool, truncated: bool) -> JsonObject:
    """Where the connector's guide is read, and whether it should be read first. Advice, never a gate."""
    if connector.guide is None:
        return {}
    guidance: JsonObject = {"guide": f"connector:{connector.id}"}
    if connector.guide_summary:
        guidance["guideSummary"] = connector.guide_summary
    reasons = {
        "connector_required": connector.guide_required,
        "approval_required": not tool.annotations.program_may_call,
        "schema_truncated": truncated,
    }
    given: list[Json] = [reason for reason, holds in reasons.items() if holds]
    if given:
        guidance["guideRequired"] = True
        guidance["guideRequiredReasons"] = given
    return guidance
