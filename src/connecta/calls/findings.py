"""What is wrong with one argument, said without its value."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from connecta.catalog.nearest import nearest
from connecta.catalog.render import render
from connecta.text import Json, JsonObject, clamp, compact

if TYPE_CHECKING:
    import jsonschema_rs

_PATH_BYTES: Final = 128
_EXPECTED_BYTES: Final = 256
_MESSAGES: Final[Mapping[str, str]] = {
    "maximum": "at most {}",
    "minimum": "at least {}",
    "exclusiveMaximum": "less than {}",
    "exclusiveMinimum": "more than {}",
    "multipleOf": "a multiple of {}",
    "maxLength": "at most {} characters",
    "minLength": "at least {} characters",
    "maxItems": "at most {} items",
    "minItems": "at least {} items",
    "maxProperties": "at most {} keys",
    "minProperties": "at least {} keys",
    "pattern": "text matching {}",
    "format": "format {}",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """``path`` is dotted with ``[n]`` for list positions, empty for the arguments themselves; ``code`` is
    ``unknown_key``, ``missing_key``, ``wrong_type`` or the schema keyword that failed; ``expected`` comes from the
    schema alone."""

    path: str
    code: str
    expected: str
    hint: str = ""

    def public(self) -> JsonObject:
        return {"path": self.path, "code": self.code, "expected": self.expected}

    @property
    def sentence(self) -> str:
        where = f'"{self.path}"' if self.path else "the arguments"
        problem = {
            "unknown_key": f"{where} is not a field, expected {self.expected}",
            "missing_key": f"{where} is missing, expected {self.expected}",
        }.get(self.code, f"{where} must be {self.expected}")
        return f"{problem} ({self.hint})" if self.hint else problem


def finding(error: "jsonschema_rs.ValidationError", schema: Json, args: Mapping[str, Json]) -> Finding:
    """The finding of one validation error over ``args``."""
    at = list(error.instance_path)
    keyword = error.kind.name
    holder = _follow(schema, error.schema_path[:-1])
    if keyword == "required":
        return _missing(error, at, holder, _follow(dict(args), at))
    if keyword in ("additionalProperties", "unevaluatedProperties"):
        return _unexpected(error, at, holder)
    code = "wrong_type" if keyword == "type" else keyword
    return Finding(_path(at), code, clamp(_expected(keyword, holder), _EXPECTED_BYTES))


def _missing(error: "jsonschema_rs.ValidationError", at: Sequence[str | int], holder: Json, given: Json) -> Finding:
    name = str(getattr(error.kind, "property", ""))
    known = _properties(holder)
    expected = render(known[name], _EXPECTED_BYTES).text if name in known else "a value"
    strays = [key for key in given if key not in known] if isinstance(given, dict) else []
    near = nearest(strays, name, 1)
    hint = f'did you mean it by "{clamp(near[0], _PATH_BYTES)}"?' if near else ""
    return Finding(_path([*at, name]), "missing_key", expected, hint)


def _unexpected(error: "jsonschema_rs.ValidationError", at: Sequence[str | int], holder: Json) -> Finding:
    stray = next((key for key in getattr(error.kind, "unexpected", ()) if isinstance(key, str)), "")
    known = list(_properties(holder))
    near = nearest(known, stray, 1)
    if near:
        return Finding(_path([*at, stray]), "unknown_key", clamp(near[0], _EXPECTED_BYTES))
    expected = f"one of {', '.join(known)}" if known else "no fields"
    return Finding(_path([*at, stray]), "unknown_key", clamp(expected, _EXPECTED_BYTES))


def _expected(keyword: str, holder: Json) -> str:
    """What the schema asks for where ``keyword`` failed."""
    wanted = holder.get(keyword) if isinstance(holder, dict) else None
    if keyword in _MESSAGES and isinstance(wanted, int | float | str):
        return _MESSAGES[keyword].format(wanted)
    if keyword == "const":
        return compact(wanted)
    if keyword == "type":
        return " or ".join(kind for kind in (wanted if isinstance(wanted, list) else [wanted]) if isinstance(kind, str))
    if keyword == "uniqueItems":
        return "items that differ from one another"
    return render(holder, _EXPECTED_BYTES).text


def _properties(holder: Json) -> Mapping[str, Json]:
    properties = holder.get("properties") if isinstance(holder, dict) else None
    return properties if isinstance(properties, dict) else {}


def _follow(value: Json, path: Sequence[str | int]) -> Json:
    """What ``path`` leads to inside ``value``, or ``None``."""
    for step in path:
        if isinstance(value, dict):
            value = value.get(str(step))
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value


def _path(steps: Sequence[str | int]) -> str:
    return clamp("".join(_steps(steps)).removeprefix("."), _PATH_BYTES)


def _steps(steps: Sequence[str | int]) -> Iterator[str]:
    for step in steps:
        yield f"[{step}]" if isinstance(step, int) else f".{''.join(c if c.isprintable() else '�' for c in step)}"
