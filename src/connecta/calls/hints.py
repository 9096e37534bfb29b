"""The mistakes models make with arguments, told from a schema and what was sent; words name what the schema holds."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from connecta.catalog.nearest import nearest
from connecta.catalog.references import References
from connecta.text import Json, JsonObject

_NUMBER: Final = re.compile(r"[+-]?\d[\d_,]*(\.\d+)?([eE][+-]?\d+)?")
_LOOKED_AT_CHARS: Final = 64
_JSON_TEXT_CHARS: Final = 64 * 1024
_WRAPPERS: Final = 8
"""Keys looked into for an extra level: arguments that were wrapped have one, seldom two."""
_COMPARED: Final = 100
"""Names compared letter by letter; a schema with more of them has its first ones compared."""
_WAYS_TO_SAY_ARGUMENTS: Final = frozenset(
    {"args", "arguments", "params", "parameters", "input", "inputs", "payload", "body", "data"}
)


def type_advice(value: Json, wanted: Iterable[str]) -> str:
    """What to do about ``value`` so that it becomes one of the ``wanted`` types; empty where nothing is obvious."""
    kinds = set(wanted)
    if isinstance(value, str):
        return _text_advice(value.strip()[:_LOOKED_AT_CHARS], kinds)
    if isinstance(value, list) and "array" not in kinds:
        return "not a list"
    if isinstance(value, int | float) and not isinstance(value, bool) and "string" in kinds:
        return "in quotes"
    return "as a list, in [ ]" if "array" in kinds and value is not None and not isinstance(value, list) else ""


def _text_advice(text: str, kinds: set[str]) -> str:
    folded = text.casefold()
    numeric = kinds & {"integer", "number"} and _NUMBER.fullmatch(text)
    if numeric or ("boolean" in kinds and folded in ("true", "false")) or ("null" in kinds and folded == "null"):
        return "without quotes"
    if kinds & {"object", "array"} and text[:1] in ("{", "["):
        return "itself, not JSON in quotes"
    return "as a list, in [ ]" if "array" in kinds else ""


def meant(names: Iterable[str], wrong: str) -> str | None:
    """The one of ``names`` that ``wrong`` is most likely a misspelling of, case and underscores aside."""
    known = list(islice((name for name in names if len(name) <= _LOOKED_AT_CHARS), 10 * _COMPARED))
    if len(wrong) > _LOOKED_AT_CHARS:
        return None
    same = next((name for name in known if _letters(name) == _letters(wrong)), None)
    if same is None and wrong.casefold() in _WAYS_TO_SAY_ARGUMENTS:
        same = next((name for name in known if name in _WAYS_TO_SAY_ARGUMENTS), None)
    return same or next(iter(nearest(known[:_COMPARED], wrong, 1)), None)


def nearest_first(values: Sequence[Json], sent: Json) -> list[Json]:
    """``values`` with the one that ``sent`` was probably meant to be in front."""
    texts = [value for value in values if isinstance(value, str)]
    near = meant(texts, sent) if isinstance(sent, str) else None
    return list(values) if near is None else [near, *(value for value in values if value != near)]


def home_of(references: References, known: Mapping[str, Json], stray: str) -> str | None:
    """The one of ``known`` that is an object with a field named ``stray``: where it belongs, one level further in."""
    return next((name for name, schema in known.items() if stray in properties(references, [schema])), None)


def open_object(known: Mapping[str, Json]) -> str | None:
    """The only field that takes an object of any fields, if there is exactly one."""
    found = [name for name, schema in known.items() if schema == {"type": "object"}]
    return found[0] if len(found) == 1 else None


def extra_level(schema: Json, args: Mapping[str, Json]) -> tuple[str, JsonObject] | None:
    """The key that all fields were put under, and the fields, where they belong at the top level."""
    known = properties(References(schema), [schema])
    if not known or any(key in known for key in args):
        return None
    for key, value in islice(args.items(), _WRAPPERS):
        inner = _parsed(value) if isinstance(value, str) else value
        if isinstance(inner, dict) and any(name in known for name in inner):
            return key, inner
    return None


def _parsed(text: str) -> Json:
    if len(text) > _JSON_TEXT_CHARS or not text.lstrip().startswith("{"):
        return None
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value


def properties(references: References, schemas: Iterable[Json]) -> dict[str, Json]:
    """The fields that ``schemas`` name, with what they reference and all that their ``allOf`` joins in."""
    known: dict[str, Json] = {}
    for schema in schemas:
        for part in _parts(references, schema):
            named = part.get("properties")
            if isinstance(named, dict):
                known = {**named, **known}
    return known


def _parts(references: References, schema: Json) -> Iterator[JsonObject]:
    """``schema`` and what holds beside it, two steps far."""
    level = [schema]
    for _ in range(3):
        parts = [part for part in level if isinstance(part, dict)]
        yield from parts
        level = [references.target(part["$ref"]) for part in parts if "$ref" in part]
        level += [each for part in parts for each in _list(part.get("allOf"))]


def _list(value: Json) -> list[Json]:
    return value[:_COMPARED] if isinstance(value, list) else []


def _letters(name: str) -> str:
    return "".join(c for c in name if c.isalnum()).casefold()
