"""How far a catalog has moved from the list of tools that was reviewed: four counts, and never a name."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import starmap
from typing import Final

from connecta.connectors.mcp_tools import UNREADABLE
from connecta.connectors.model import Tool
from connecta.connectors.reviewed import ReviewedTools
from connecta.text import Json

_PROSE: Final = frozenset({"title", "description", "examples", "$comment"})
"""Keywords that say something about a value and demand nothing of it."""
_NAMED_SCHEMAS: Final = frozenset(
    {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}
)
"""Keywords whose members are schemas under names of the author's own, ``description`` among them."""
_VALUES: Final = frozenset({"const", "default", "enum"})
_SETS: Final = frozenset({"enum", "required", "type"})
"""Lists whose order means nothing; servers that keep them in sets list them in any."""


@dataclass(frozen=True, slots=True)
class Drift:
    """Tools that were not reviewed, are gone, or whose schemas (either one) or annotations differ. A tool may count
    as both of the latter."""

    added: int = 0
    removed: int = 0
    schema_changed: int = 0
    annotation_changed: int = 0

    @property
    def any(self) -> bool:
        return self != Drift()

    @property
    def counts(self) -> dict[str, int]:
        """By name, as they are logged."""
        return asdict(self)


def drift_of(tools: Sequence[Tool], reviewed: ReviewedTools) -> Drift:
    """How ``tools``, whose names are distinct, differ from the ``reviewed`` ones. Neither order, nor descriptions, nor
    how a schema writes the same demand count; references are compared as they are written."""
    known = [(tool, reviewed[tool.name]) for tool in tools if tool.name in reviewed]
    return Drift(
        added=len(tools) - len(known),
        removed=len(reviewed) - len(known),
        schema_changed=sum(starmap(_schemas_differ, known)),
        annotation_changed=sum(now.annotations != before.annotations for now, before in known),
    )


def _schemas_differ(now: Tool, before: Tool) -> bool:
    return _differ(now.input_schema, before.input_schema) or _differ(now.output_schema, before.output_schema)


def _differ(now: Json, before: Json) -> bool:
    return _written(now) != _written(before) and _demanded(now) != _demanded(before)


def _written(schema: Json) -> str:
    try:
        return json.dumps(schema, sort_keys=True, allow_nan=False)
    except (ValueError, RecursionError):
        return json.dumps(UNREADABLE)


def _demanded(schema: Json) -> str:
    """As it is written where it is too deep to tell."""
    try:
        return json.dumps(_demands(schema), sort_keys=True, allow_nan=False)
    except (ValueError, RecursionError):
        return _written(schema)


def _demands(schema: Json) -> Json:
    """``schema`` with what it demands of a value, and nothing else."""
    if isinstance(schema, dict):
        return {keyword: _said(keyword, value) for keyword, value in schema.items() if keyword not in _PROSE}
    return [_demands(each) for each in schema] if isinstance(schema, list) else _number(schema)


def _said(keyword: str, value: Json) -> Json:
    if keyword in _NAMED_SCHEMAS and isinstance(value, Mapping):
        return {name: _demands(each) for name, each in value.items()}
    plain = _plain(value) if keyword in _VALUES else _demands(value)
    if keyword in _SETS and isinstance(plain, list):
        return sorted(plain, key=lambda item: json.dumps(item, sort_keys=True))
    return plain


def _plain(value: Json) -> Json:
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list) else _number(value)


def _number(value: Json) -> Json:
    """1.0 and 1 are one number, which each language writes its own way."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
