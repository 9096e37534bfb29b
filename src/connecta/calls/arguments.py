"""Arguments against a tool's advertised ``inputSchema``, before anything is sent (E8).

What comes back names fields and what is expected there, never a value that was sent. A schema the validator cannot
compile passes everything through: the downstream then judges its own arguments.
"""

import json
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final, NoReturn

from connecta.calls.findings import finding
from connecta.connectors.model import Tool
from connecta.failures import Failure, invalid_args, quote
from connecta.limits import LIMITS
from connecta.text import Json, JsonObject

if TYPE_CHECKING:
    import jsonschema_rs

_COMPILED: Final = 512
"""Schemas kept compiled in one process; the least recently used goes first."""
_DEPTH: Final = 100
"""A deeper schema or argument is not handed to the validator, whose own stack it could exhaust."""
_BACKTRACKS: Final = 100_000


@dataclass(frozen=True, slots=True)
class _Entry:
    """``schema`` is held so that its identity, the cache's key, cannot be another schema's."""

    schema: Json
    validator: "jsonschema_rs.Validator | None"


def check_arguments(tool: Tool, args: Mapping[str, Json]) -> None:
    """Raises ``invalid_args`` with at most ``limits.findings`` findings when ``args`` break the tool's schema."""
    failure = argument_failure(tool.input_schema, args, tool.name)
    if failure is not None:
        raise failure


def argument_failure(schema: Json, args: Mapping[str, Json], name: str) -> Failure | None:
    """What is wrong with ``args``, as the ``invalid_args`` of the tool called ``name``; ``None`` when nothing is."""
    validator = _VALIDATORS.get(schema)
    if validator is None:
        return None
    given = dict(args)
    if _deeper_than(given, _DEPTH):
        return invalid_args(f'The arguments of "{quote(name)}" are nested more than {_DEPTH} levels deep.')
    found = list(islice(_errors(validator, given), LIMITS.findings + 1))
    if not found:
        return None
    shown = [finding(error, schema, given) for error in found[: LIMITS.findings]]
    said = "; ".join(one.sentence for one in shown)
    return invalid_args(
        f'The arguments of "{quote(name)}" do not match its input schema: {said}.',
        [one.public() for one in shown],
        truncated=len(found) > len(shown),
    )


class _Validators:
    """Each schema compiled when it is first needed, kept while it is in use: a memo, by identity."""

    def __init__(self) -> None:
        self._entries: OrderedDict[int, _Entry] = OrderedDict()

    def get(self, schema: Json) -> "jsonschema_rs.Validator | None":
        entry = self._entries.get(id(schema))
        if entry is None:
            entry = self._entries[id(schema)] = _Entry(schema, _compile(schema))
            if len(self._entries) > _COMPILED:
                self._entries.popitem(last=False)
        self._entries.move_to_end(id(schema))
        return entry.validator


_VALIDATORS: Final = _Validators()


def _compile(schema: Json) -> "jsonschema_rs.Validator | None":
    """``None`` for a schema that does not compile, one that refers outside itself included: nothing is ever fetched.

    Imported here because it costs 50 ms that a request without a call need not pay.
    """
    import jsonschema_rs

    if not isinstance(schema, dict | bool) or _deeper_than(schema, _DEPTH):
        return None
    try:
        return jsonschema_rs.validator_for(
            schema,
            retriever=_refuse_to_fetch,
            pattern_options=jsonschema_rs.FancyRegexOptions(backtrack_limit=_BACKTRACKS),
        )
    except (ValueError, TypeError, jsonschema_rs.ReferencingError):
        return None


def _refuse_to_fetch(uri: str) -> NoReturn:
    del uri
    raise ValueError("references outside the schema are not followed")


def _errors(validator: "jsonschema_rs.Validator", args: JsonObject) -> "Iterator[jsonschema_rs.ValidationError]":
    """Lone surrogates may well be sent (P3), but the validator cannot read them: it sees a question mark there."""
    try:
        return validator.iter_errors(args)
    except UnicodeEncodeError:
        return validator.iter_errors(json.loads(json.dumps(args, ensure_ascii=False).encode("utf-8", "replace")))


def _deeper_than(value: Json, depth: int) -> bool:
    """Whether ``value`` nests more than ``depth`` levels, found without recursion."""
    level: list[Json] = [value]
    for _ in range(depth):
        level = [inner for outer in level for inner in _inside(outer)]
        if not level:
            return False
    return any(isinstance(outer, dict | list) for outer in level)


def _inside(value: Json) -> Iterable[Json]:
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [member for member in members if isinstance(member, dict | list)]
