"""What a tool function's annotations reject although the advertised schema lets it through (a date that is none, a
validator of the author's own), in the same words as what breaks the schema: never with a value (E8)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final

from connecta import failures
from connecta.failures import Failure
from connecta.limits import LIMITS
from connecta.text import Json, JsonObject, clamp, compact, dotted

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

Step = str | int

_PATH_BYTES: Final = 128
_EXPECTED_BYTES: Final = 256
_ALTERNATIVES: Final = 40
_LISTED: Final = 10_000
"""Most errors that are listed, at 10 µs each: one list may hold as many as a request has bytes."""
_LOOKED_AT: Final = 100
"""Most of those that are looked at, at 0.1 ms each."""
_CODES: Final[Mapping[str, str]] = {
    "missing": "missing_key",
    "extra_forbidden": "unknown_key",
    "literal_error": "enum",
    "enum": "enum",
    **dict.fromkeys(("int_parsing", "int_from_float", "float_parsing", "bool_parsing"), "wrong_type"),
}
_HALVES: Final = "well-formed text, without half of a surrogate pair: repair it, for example with toWellFormed()"


def rejection(error: "ValidationError", schema: JsonObject, args: Mapping[str, Json], name: str) -> Failure:
    """The ``invalid_args`` of the tool called ``name``."""
    found: dict[str, JsonObject] = {}
    for finding in _findings(error, schema, dict(args)):
        found.setdefault(str(finding["path"]), finding)
        if len(found) > LIMITS.findings:
            break
    shown = list(islice(found.values(), LIMITS.findings))
    said = "; ".join(_sentence(finding) for finding in shown)
    return failures.invalid_args(
        f'The arguments of "{failures.quote(name)}" do not match its input schema: {said}.',
        shown,
        truncated=len(found) > len(shown),
    )


def _findings(error: "ValidationError", schema: JsonObject, args: JsonObject) -> Iterator[JsonObject]:
    if error.error_count() > _LISTED:
        expected = f"values that the tool accepts, which over {_LISTED:,} are not"
        yield {"path": "", "code": "mismatch", "expected": expected}
        return
    for detail in islice(_own(error.errors(include_input=False, include_url=False, include_context=False)), _LOOKED_AT):
        yield _finding(detail, schema, args)


def _own(details: Sequence["ErrorDetails"]) -> Sequence["ErrorDetails"]:
    """Those the schema cannot have found. It has let one member of each union through, and what the other members say
    of keys, types and literals is beside the point."""
    own = [each for each in details if each["type"] not in _CODES and not each["type"].endswith("_type")]
    return own or details


def _finding(detail: "ErrorDetails", schema: JsonObject, args: JsonObject) -> JsonObject:
    path = list(_place(detail["loc"], args, last_may_lack=detail["type"] == "missing"))
    speaking = _speaking_of(schema, path)
    formats = [f"format {each['format']}" for each in speaking if isinstance(each.get("format"), str)]
    code = _CODES.get(detail["type"], "format" if formats else "mismatch")
    expected = " or ".join(dict.fromkeys(formats or _described(speaking))) or "a value"
    if detail["type"].endswith("_type"):
        code = "wrong_type"
    elif detail["type"] == "string_unicode":
        code, expected = "format", _HALVES
    elif code == "unknown_key":
        expected = f"one of {', '.join(_fields(schema, path[:-1]))}"
    elif code == "mismatch":
        expected += " that the tool accepts"
    return {"path": dotted(path, _PATH_BYTES), "code": code, "expected": clamp(expected, _EXPECTED_BYTES)}


def _sentence(finding: JsonObject) -> str:
    where, expected = f'"{finding["path"]}"' if finding["path"] else "the arguments", finding["expected"]
    problem = {"unknown_key": "is not a field,", "missing_key": "is missing,"}.get(str(finding["code"]))
    return f"{where} {problem} expected {expected}" if problem else f"{where} must be {expected}"


def _place(location: Iterable[Step], value: Json, *, last_may_lack: bool) -> Iterator[Step]:
    """``location`` without the names of union members and the like, which are no part of what was sent."""
    steps = list(location)
    for index, step in enumerate(steps):
        match value, step:
            case dict(), str() if step in value:
                value = value[step]
            case list(), int() if step < len(value):
                value = value[step]
            case _ if not (last_may_lack and index == len(steps) - 1):
                continue
            case _:
                pass
        yield step


def _speaking_of(schema: JsonObject, path: Sequence[Step]) -> list[JsonObject]:
    """Every schema that speaks of the value at ``path``."""
    here = _parts(schema, [schema])
    for step in path:
        here = _parts(schema, [inner for each in here for inner in _inside(each, step)])
    return here


def _inside(schema: JsonObject, step: Step) -> Iterator[Json]:
    if isinstance(step, int):
        first = schema.get("prefixItems")
        yield first[step] if isinstance(first, list) and step < len(first) else schema.get("items")
    else:
        named = schema.get("properties")
        yield named[step] if isinstance(named, dict) and step in named else schema.get("additionalProperties")


def _parts(root: JsonObject, schemas: Iterable[Json]) -> list[JsonObject]:
    """``schemas`` with what they reference, join and choose from, each once."""
    found: list[JsonObject] = []
    waiting = list(schemas)
    while waiting and len(found) < _ALTERNATIVES:
        each = waiting.pop(0)
        if not isinstance(each, dict) or any(each is known for known in found):
            continue
        found.append(each)
        waiting.append(_referenced(root, each.get("$ref")))
        for keyword in ("allOf", "anyOf", "oneOf"):
            members = each.get(keyword)
            waiting.extend(members if isinstance(members, list) else ())
    return found


def _referenced(root: JsonObject, reference: Json) -> Json:
    definitions = root.get("$defs")
    if not isinstance(reference, str) or not isinstance(definitions, dict):
        return None
    return definitions.get(reference.removeprefix("#/$defs/"))


def _described(schemas: Iterable[JsonObject]) -> Iterator[str]:
    for each in schemas:
        if "enum" in each or "const" in each:
            values = each.get("enum", [each.get("const")])
            yield " | ".join(compact(value) for value in (values if isinstance(values, list) else [values]))
        elif isinstance(each.get("type"), str):
            yield str(each["type"])


def _fields(schema: JsonObject, path: Sequence[Step]) -> list[str]:
    named = (each.get("properties") for each in _speaking_of(schema, path))
    return [name for each in named if isinstance(each, dict) for name in each]
