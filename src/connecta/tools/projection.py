"""``fields``: picking parts of a value by dot paths, with ``[]`` to go through an array (``results[].id``)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from connecta.failures import quote
from connecta.text import Json, JsonObject

_PATH = re.compile(r"((\[\])+|[^.\[\]]+(\[\])*)(\.[^.\[\]]+(\[\])*)*")
_AVAILABLE = 20


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
        steps: list[str] = []
        for step in _steps(path):
            if step != "[]" and isinstance(_pick(value, steps).value, list) and steps[-1:] != ["[]"]:
                steps.append("[]")
            steps.append(step)
        mended = ".".join(steps).replace(".[]", "[]")
        if mended != path and _pick(value, steps).there:
            return f"Go through the array with []: {quote(mended)}"
    return None


def _available(value: Json) -> list[str]:
    """Up to twenty paths that would resolve, one level below arrays included."""
    if isinstance(value, list):
        return [f"[].{key}" for key in _available(value[0])][:_AVAILABLE] if value else []
    if not isinstance(value, dict):
        return []
    paths: list[str] = []
    for key, item in value.items():
        paths.append(quote(key))
        if isinstance(item, list) and item and isinstance(item[0], dict):
            paths.extend(f"{quote(key)}[].{quote(inner)}" for inner in item[0])
    return paths[:_AVAILABLE]
