"""What is wrong with arguments, said without their values: validation errors as findings a model can act on."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from connecta.calls.hints import home_of, meant, nearest_first, open_object, properties, type_advice
from connecta.catalog.references import References
from connecta.catalog.render import render
from connecta.limits import LIMITS
from connecta.text import Json, JsonObject, clamp, compact, dotted

if TYPE_CHECKING:
    import jsonschema_rs

_PATH_BYTES: Final = 128
_EXPECTED_BYTES: Final = 256
_NESTED_UNIONS: Final = 8
_ALTERNATIVES: Final = 40
"""Members of a union looked at for the one that was meant."""
_ALLOWED_VALUES: Final = 12
_IN_PLACE: Final = frozenset(
    {"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"}
)
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
    ``unknown_key``, ``missing_key``, ``wrong_type``, ``extra_level`` or the schema keyword that failed; ``expected``
    comes from the schema, with what to change about the form of what was sent."""

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
            "extra_level": f"{where} is one level too many, expected {self.expected}",
        }.get(self.code, f"{where} must be {self.expected}")
        return f"{problem} ({self.hint})" if self.hint else problem


def extra_level_finding(schema: Json, key: str) -> Finding:
    """All fields were put inside ``key``."""
    return Finding(path_of([key]), "extra_level", f"its fields at the top level: {_text(schema, schema)}")


def unexplained(schema: Json) -> Finding:
    """Arguments that are known to be wrong and too large or too entangled to say where."""
    return Finding("", "mismatch", _text(schema, schema))


def findings(
    errors: Iterable["jsonschema_rs.ValidationError"], schema: Json, args: Mapping[str, Json]
) -> Iterator[Finding]:
    """One for each place, in the order of ``errors``; of the arguments as a whole one for each code."""
    seen: set[str] = set()
    about = _About(schema, References(schema), args)
    for error in errors:
        for one in _of(_Error(error, about), 0):
            place = one.path or one.code
            if place not in seen:
                seen.add(place)
                yield one


@dataclass(frozen=True, slots=True)
class _About:
    """What all errors of one validation are about."""

    schema: Json
    references: References
    args: Mapping[str, Json]


class _Error:
    """One validation error, with what the schema and the arguments hold where it happened."""

    def __init__(self, error: "jsonschema_rs.ValidationError", about: _About) -> None:
        self.raw = error
        self.about = about
        self.at = list(error.instance_path)
        self.keyword = error.kind.name
        self.holder = _follow(about.schema, error.schema_path[:-1])
        self.value = _follow(dict(about.args), self.at)

    @property
    def schema(self) -> Json:
        """The whole schema."""
        return self.about.schema

    @property
    def wanted(self) -> Json:
        """What the failed keyword says."""
        return self.holder.get(self.keyword) if isinstance(self.holder, dict) else None

    @property
    def known(self) -> dict[str, Json]:
        """The fields of the object it is about, by every schema that speaks of that object."""
        return self.fields_of(self.holder, *_enclosing(self.about, self.raw.evaluation_path[:-1]))

    def fields_of(self, *schemas: Json) -> dict[str, Json]:
        """The fields that ``schemas`` name, parts of the whole one."""
        return properties(self.about.references, schemas)

    @property
    def may_be_left_out(self) -> bool:
        path = self.raw.schema_path
        holder = _follow(self.schema, path[:-3])
        required = holder.get("required") if isinstance(holder, dict) else None
        return path[-3:-2] == ["properties"] and path[-2] not in (required if isinstance(required, list) else ())

    def branches(self) -> list[list["_Error"]]:
        """The errors of each member of the union that failed."""
        context: Iterable[Iterable[jsonschema_rs.ValidationError]] = getattr(self.raw.kind, "context", ())
        return [[_Error(each, self.about) for each in branch] for branch in islice(context, _ALTERNATIVES)]


def _of(error: _Error, depth: int) -> Iterator[Finding]:
    if error.keyword in ("anyOf", "oneOf") and depth < _NESTED_UNIONS:
        yield from _of_union(error, depth)
    elif error.keyword == "required":
        yield _missing(error)
    elif error.keyword in ("additionalProperties", "unevaluatedProperties"):
        strays = (key for key in getattr(error.raw.kind, "unexpected", ()) if isinstance(key, str))
        yield from (_unexpected(error, stray) for stray in islice(strays, LIMITS.findings + 1))
    elif error.keyword == "type":
        yield _wrong_type(error, _choices(error) or _kinds(error.wanted))
    else:
        yield Finding(path_of(error.at), error.keyword, clamp(_expected(error), _EXPECTED_BYTES))


def _of_union(error: _Error, depth: int) -> Iterator[Finding]:
    """What is wrong with the member that was meant; with the union itself where no one member stands out."""
    branches = error.branches()
    if any(not branch for branch in branches):
        expected = clamp(f"exactly one of the alternatives {_text(error.holder, error.schema)}", _EXPECTED_BYTES)
        yield Finding(path_of(error.at), error.keyword, expected)
        return
    fitting = [branch for branch in branches if not any(_misfits(each, error.at) for each in branch)]
    if not fitting:
        kinds = [kind for branch in branches for each in branch if _misfits(each, error.at) for kind in _types(each)]
        yield _wrong_type(error, list(dict.fromkeys(kinds)))
        return
    discriminated = _discriminated(fitting)
    if discriminated is not None:
        yield discriminated
        return
    ranked = sorted(fitting, key=_distance)
    if len(ranked) == 1 or _distance(ranked[0]) < _distance(ranked[1]):
        for each in ranked[0]:
            yield from _of(each, depth + 1)
        return
    names = [getattr(each.raw.kind, "property", "") for branch in ranked for each in branch if each.at == error.at]
    if all(names) and len(names) == len(ranked):
        expected = clamp(f"one of {', '.join(dict.fromkeys(names))}", _EXPECTED_BYTES)
        yield Finding(path_of(error.at), "missing_key", expected)
        return
    yield Finding(path_of(error.at), error.keyword, _text(error.holder, error.schema))


def _misfits(error: _Error, at: Sequence[str | int]) -> bool:
    return error.keyword == "type" and error.at == at


def _distance(branch: Sequence[_Error]) -> tuple[bool, int]:
    """How far the arguments are from one member of a union: another literal first, then the number of errors."""
    return any(error.keyword in ("const", "enum") for error in branch), len(branch)


def _discriminated(branches: Sequence[Sequence[_Error]]) -> Finding | None:
    """Every member of the union wants another literal in the same place: that place, and all of the literals."""
    literal = [[each for each in branch if each.keyword in ("const", "enum")] for branch in branches]
    if len(branches) < 2 or not all(literal) or len({tuple(each[0].at) for each in literal}) > 1:
        return None
    first = literal[0][0]
    values = [value for each in literal for value in _literals(each[0])]
    return Finding(path_of(first.at), "enum", _allowed(values, first.value))


def _missing(error: _Error) -> Finding:
    name = str(getattr(error.raw.kind, "property", ""))
    known = error.known
    expected = _text(known[name], error.schema) if name in known else "a value"
    strays = [key for key in error.value if key not in known] if isinstance(error.value, dict) else []
    inner = [key for key in strays if key in error.fields_of(known.get(name))]
    near = meant(strays, name)
    hint = f'did you mean it by "{clamp(near, _PATH_BYTES)}"?' if near else ""
    if inner:
        hint = f"put {', '.join(inner[: LIMITS.suggestions])} inside it"
    return Finding(path_of([*error.at, name]), "missing_key", expected, clamp(hint, _EXPECTED_BYTES))


def _unexpected(error: _Error, stray: str) -> Finding:
    known = error.known
    given = error.value if isinstance(error.value, dict) else {}
    free = {name: schema for name, schema in known.items() if name not in given}
    near, home, arguments = meant(free, stray), home_of(error.about.references, known, stray), open_object(known)
    expected = f"one of {', '.join(known)}" if known else "no fields"
    hint = ""
    if home:
        expected = f'inside "{home}"'
    elif near:
        expected = near
    elif arguments:
        hint = f'a field of the called tool goes inside "{arguments}"'
    return Finding(path_of([*error.at, stray]), "unknown_key", clamp(expected, _EXPECTED_BYTES), hint)


def _wrong_type(error: _Error, kinds: Sequence[str]) -> Finding:
    advice = type_advice(error.value, kinds)
    if error.value is None and error.may_be_left_out:
        advice = "or the key left out"
    expected = clamp(" or ".join(kinds) or _text(error.holder, error.schema), _EXPECTED_BYTES)
    return Finding(path_of(error.at), "wrong_type", f"{expected}, {advice}" if advice else expected)


def _choices(error: _Error) -> Sequence[str]:
    """The values to choose from, where the schema lists a few: they say more than their type."""
    listed = error.holder.get("enum") if isinstance(error.holder, dict) else None
    return [_allowed(listed, error.value)] if isinstance(listed, list) and error.wanted == "string" else []


def _types(error: _Error) -> Sequence[str]:
    return _kinds(error.wanted)


def _kinds(wanted: Json) -> list[str]:
    return [kind for kind in (wanted if isinstance(wanted, list) else [wanted]) if isinstance(kind, str)]


def _expected(error: _Error) -> str:
    """What the schema asks for where a keyword other than the ones above failed."""
    wanted = error.wanted
    if error.keyword in _MESSAGES and isinstance(wanted, int | float | str):
        return _MESSAGES[error.keyword].format(wanted)
    if error.keyword in ("enum", "const"):
        return _allowed(_literals(error), error.value)
    if error.keyword == "falseSchema":
        return "left out"
    if error.keyword == "uniqueItems":
        return "items that differ from one another"
    if error.keyword == "propertyNames":
        return f"keys that are {_text(error.holder, error.schema)}"
    said = {"not": "anything but", "contains": "a list with an item that is"}.get(error.keyword)
    return f"{said} {_text(wanted, error.schema)}" if said else _text(error.holder, error.schema)


def _literals(error: _Error) -> list[Json]:
    wanted = error.wanted
    return wanted if error.keyword == "enum" and isinstance(wanted, list) else [wanted]


def _allowed(values: Sequence[Json], sent: Json) -> str:
    """Some of the allowed values, the one probably meant in front, whole ones only."""
    shown, room = list[str](), _EXPECTED_BYTES - len(" | 10000000 more")
    for value in islice(nearest_first(values, sent), _ALLOWED_VALUES):
        text = compact(value)
        room -= len(text.encode()) + len(" | ")
        if room < 0:
            break
        shown.append(text)
    more = len(values) - len(shown)
    return " | ".join([*shown, *([f"{more} more"] if more else [])])


def _text(schema: Json, root: Json) -> str:
    """``schema`` as compact text; its references are found where ``root`` keeps them."""
    held = {key: root[key] for key in ("$defs", "definitions") if isinstance(root, dict) and key in root}
    return render({**held, **schema} if isinstance(schema, dict) else schema, _EXPECTED_BYTES).text


def _enclosing(about: _About, path: Sequence[str | int]) -> Iterator[Json]:
    """Every schema on ``path`` that speaks of the same value as the one at its end."""
    same: list[Json] = [about.schema]
    here = about.schema
    steps = list(path)
    while steps:
        step = steps.pop(0)
        if step in ("$ref", "$dynamicRef") and isinstance(here, dict):
            here = about.references.target(here.get(str(step)))
        else:
            named = step in ("properties", "patternProperties", "dependentSchemas", "dependencies")
            taken = [step, *([steps.pop(0)] if steps and (named or isinstance(steps[0], int)) else [])]
            here = _follow(here, taken)
            if step not in _IN_PLACE:
                same.clear()
        same.append(here)
    yield from same


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


def path_of(steps: Sequence[str | int]) -> str:
    """``steps`` as one clamped line."""
    return dotted(steps, _PATH_BYTES)
