"""``fields``: picking parts of a value by dot paths, with ``[]`` to go through an array (``results[].id``)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from connecta.failures import quote
from connecta.text import Json, JsonObject

_PATH = re.compile(r"((\[\])+|[^.\[\]]+(\[\])*)(\.[^.\[\]]+(\[\])*)*")
_AVAILABLE = 20
_STEPS = 128
"""As many as the longest path that ``call_tool`` takes has."""


@dataclass(frozen=True, slots=True)
class _Found:
    """``value`` with ``null`` in the gaps; how many leaves were looked for and how many were there."""

    value: Json
    wanted: int
    there: int


def project(value: Json, fields: Sequence[str]) -> Json:
    """``{ "<path>": value }`` when every path resolves, else ``{ data, $connecta }`` saying which did not."""
    data: JsonObject = {}
    unmatched: list[Json] = []
    partial: list[Json] = []
    invalid: list[Json] = []
    for path in fields:
        if not _PATH.fullmatch(path):
            invalid.append(quote(path))
            continue
        found = _pick(value, _steps(path))
        if found.there == 0 and found.wanted:
            unmatched.append(quote(path))
            continue
        data[path] = found.value
        if found.there < found.wanted:
            partial.append(quote(path))
    if not (unmatched or partial or invalid):
        return data
    report: JsonObject = {"type": "field_projection", "unmatchedFields": unmatched}
    if partial:
        report["partialFields"] = partial
    if invalid:
        report["invalidFields"] = invalid
    hint = _hint(value, [str(path) for path in unmatched])
    if hint:
        report["hint"] = hint
    if unmatched or invalid:
        report["availableFields"] = list[Json](_available(value))
    return {"data": data, "$connecta": report}


def _steps(path: str) -> list[str]:
    """``a.b[].c`` as ``a``, ``b``, ``[]``, ``c``."""
    return [step for part in path.split(".") for step in re.split(r"(?=\[\])", part) if step]


def _pick(value: Json, steps: Sequence[str]) -> _Found:
    if not steps:
        return _Found(value, 1, 1)
    step, rest = steps[0], steps[1:]
    if step == "[]":
        if not isinstance(value, list):
            return _Found(None, 1, 0)
        parts = [_pick(item, rest) for item in value]
        return _Found([p.value for p in parts], sum(p.wanted for p in parts), sum(p.there for p in parts))
    if isinstance(value, dict) and step in value:
        return _pick(value[step], rest)
    return _Found(None, 1, 0)


def _hint(value: Json, unmatched: Sequence[str]) -> str | None:
    """The path a missing ``[]`` was meant to be, when adding one makes it resolve."""
    for path in unmatched:
        steps = _through_arrays(value, _steps(path))
        mended = ".".join(steps).replace(".[]", "[]")
        if mended != path and len(steps) <= _STEPS and _pick(value, steps).there:
            return f"Go through the array with []: {quote(mended)}"
    return None


def _through_arrays(value: Json, steps: Sequence[str]) -> list[str]:
    """``steps`` with ``[]`` wherever a name is looked for in an array, going by its first element."""
    walked: list[str] = []
    here = value
    for step in steps:
        while step != "[]" and isinstance(here, list) and len(walked) <= _STEPS:
            walked.append("[]")
            here = _first(here)
        here = _first(here) if step == "[]" else _member(here, step)
        walked.append(step)
    return walked


def _first(value: Json) -> Json:
    return value[0] if isinstance(value, list) and value else None


def _member(value: Json, key: str) -> Json:
    return value.get(key) if isinstance(value, dict) else None


def _available(value: Json) -> list[str]:
    """Up to twenty paths that would resolve, one level below arrays included."""
    arrays = 0
    while isinstance(value, list) and value:
        value, arrays = value[0], arrays + 1
    if not isinstance(value, dict):
        return []
    prefix = "[]" * arrays + "." if arrays else ""
    return [quote(prefix + path) for path in islice(_members(value), _AVAILABLE)]


def _members(value: JsonObject) -> Iterator[str]:
    for key, item in value.items():
        yield key
        if isinstance(item, list) and item and isinstance(item[0], dict):
            yield from (f"{key}[].{inner}" for inner in item[0])
