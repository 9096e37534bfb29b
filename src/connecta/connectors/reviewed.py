"""A downstream's tools as somebody has looked at them: a file beside the deployment, kept under version control."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import cast

from connecta.connectors.mcp_tools import Review, tools_of
from connecta.connectors.model import Annotations, Tool
from connecta.text import JsonObject

ReviewedTools = Mapping[str, Tool]


class ReviewedProblem(Exception):
    """Why a file is no reviewed list, as words for the author of the deployment."""


def reviewed_tools(path: object, review: Review) -> ReviewedTools:
    """The tools in the file at ``path`` by name, classified by ``review`` as the downstream's own are. Raises
    ``ReviewedProblem``."""
    if not isinstance(path, str | Path) or not Path(path).is_absolute():
        raise ReviewedProblem('must be the whole path of a file, like Path(__file__).with_name("docs.tools.json").')
    try:
        listed: object = json.loads(Path(path).read_bytes())
    except OSError:
        raise ReviewedProblem(
            "names a file that cannot be read; leave it out, write the file with "
            "python -m connecta reviewed <connector> --write <file>, and name it again."
        ) from None
    except (ValueError, RecursionError):
        listed = None
    if not isinstance(listed, dict) or not all(
        isinstance(entry, dict) for entry in cast("JsonObject", listed).values()
    ):
        raise ReviewedProblem("names a file that python -m connecta reviewed did not write; write it again.")
    entries = cast("dict[str, JsonObject]", listed)
    return {tool.name: tool for tool in tools_of(({**entry, "name": name} for name, entry in entries.items()), review)}


def reviewed_text(tools: Iterable[Tool]) -> str:
    """``tools`` as such a file: sorted, one member a line, so that a diff shows what changed and nothing else."""
    entries = {tool.name: _entry(tool) for tool in tools}
    return json.dumps(entries, ensure_ascii=True, indent=2, sort_keys=True) + "\n"


def _entry(tool: Tool) -> JsonObject:
    entry: JsonObject = {
        "annotations": _hints(tool.annotations),
        "description": tool.description,
        "inputSchema": tool.input_schema,
    }
    if tool.output_schema is not None:
        entry["outputSchema"] = tool.output_schema
    return entry


def _hints(annotations: Annotations) -> JsonObject:
    said: dict[str, bool | None] = {
        "readOnlyHint": annotations.read_only,
        "destructiveHint": annotations.destructive,
        "idempotentHint": annotations.idempotent,
        "openWorldHint": annotations.open_world,
    }
    return {name: hint for name, hint in said.items() if hint is not None}
