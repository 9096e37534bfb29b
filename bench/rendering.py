"""What it costs to describe one tool: its input schema as compact text, and as the JSON it came as."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bench.schemas import SCHEMAS
from connecta.catalog.catalog import Catalog
from connecta.catalog.describe import describe_tool
from connecta.catalog.request import Format
from connecta.connectors.api import api
from connecta.connectors.model import Tool
from connecta.text import compact, size

ROUNDS: Final = 200


@dataclass(frozen=True, slots=True)
class Rendering:
    """Microseconds of each description, and the bytes of the schema it was made from."""

    schema_bytes: int
    compact_us: Sequence[float]
    json_us: Sequence[float]


def measure_rendering() -> Mapping[str, Rendering]:
    """Both formats take turns, schema by schema, so that what else the machine does falls on all of them."""
    connector = api("schemas", title="Schemas", description="One each", base_url="https://schemas.example")
    tools = {name: Tool(name, "", input_schema=schema) for name, schema in SCHEMAS.items()}
    catalog = Catalog(connector, tuple(tools.values()), 0.0)
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in tools}
    for _ in range(ROUNDS + 1):
        for name, tool in tools.items():
            taken[name].append((_timed(catalog, tool, "compact"), _timed(catalog, tool, "json")))
    return {name: _rendering(name, pairs[1:]) for name, pairs in taken.items()}


def _rendering(name: str, pairs: Sequence[tuple[float, float]]) -> Rendering:
    return Rendering(size(compact(SCHEMAS[name])), [one for one, _ in pairs], [other for _, other in pairs])


def _timed(catalog: Catalog, tool: Tool, format: Format) -> float:
    started = time.perf_counter()
    described = describe_tool(catalog, tool, format=format)
    taken = (time.perf_counter() - started) * 1e6
    if "inputSchema" not in described:
        raise SystemExit(f"{tool.name} was not described: {described}")
    return taken
