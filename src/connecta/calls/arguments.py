"""Arguments against a tool's advertised ``inputSchema``, before anything is sent (E8).

What comes back names fields and what is expected there, never a value that was sent. A schema the validator cannot
compile passes everything through, and so does one that would take too long: the downstream then judges its own
arguments.
"""

import json
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final, NoReturn

from connecta.calls.effort import DEPTH, UNROLLED, shortened, too_much_to_explain, too_much_to_judge, unrolled
from connecta.calls.findings import Finding, extra_level_finding, findings, unexplained
from connecta.calls.hints import extra_level
from connecta.connectors.model import Tool
from connecta.failures import Failure, invalid_args, quote
from connecta.limits import LIMITS
from connecta.text import Json, JsonObject, deeper_than

if TYPE_CHECKING:
    import jsonschema_rs

_COMPILED: Final = 512
"""Schemas kept compiled in one process; the least recently used goes first."""
_BACKTRACKS: Final = 100_000
_LACKS: Final = frozenset({"required", "dependentRequired", "minItems", "minProperties", "contains"})
"""What leaving members out may have caused."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """``schema`` is held so that its identity, the cache's key, cannot be another schema's. Without a ``validator`` it
    judges nothing; ``subschemas`` are what it unrolls to."""

    schema: Json
    validator: "jsonschema_rs.Validator | None"
    subschemas: int


def check_arguments(tool: Tool, args: Mapping[str, Json], address: str | None = None) -> None:
    """Raises ``invalid_args`` with at most ``limits.findings`` findings when ``args`` break the tool's schema."""
    failure = argument_failure(tool.input_schema, args, address or tool.name)
    if failure is not None:
        raise failure


def argument_failure(schema: Json, args: Mapping[str, Json], name: str) -> Failure | None:
    """What is wrong with ``args``, as the ``invalid_args`` of the tool called ``name``; ``None`` when nothing is."""
    entry = _VALIDATORS.get(schema)
    if entry.validator is None:
        return None
    if deeper_than(dict(args), DEPTH):
        return invalid_args(f'The arguments of "{quote(name)}" are nested more than {DEPTH} levels deep.')
    if _passes(entry, entry.validator, args):
        return None
    found = list(islice(_found(entry, entry.validator, _readable(args)), LIMITS.findings + 1))
    shown = found[: LIMITS.findings]
    said = "; ".join(one.sentence for one in shown)
    return invalid_args(
        f'The arguments of "{quote(name)}" do not match its input schema: {said}.',
        [one.public() for one in shown],
        truncated=len(found) > len(shown),
    )


def _found(entry: _Entry, validator: "jsonschema_rs.Validator", given: JsonObject) -> Iterator[Finding]:
    """What is wrong with ``given``; with the fields alone where they were put one level too deep."""
    wrapped = extra_level(entry.schema, given)
    if wrapped is None:
        yield from _explained(validator, entry.schema, given)
        return
    key, fields = wrapped
    yield extra_level_finding(entry.schema, key)
    if not deeper_than(fields, DEPTH) and not _passes(entry, validator, fields):
        yield from _explained(validator, entry.schema, _readable(fields))


def _explained(validator: "jsonschema_rs.Validator", schema: Json, given: JsonObject) -> Iterator[Finding]:
    """The findings of arguments known to be wrong. Each error costs, so that of very many values only the first few
    are looked at."""
    if not too_much_to_explain(schema, given):
        yield from findings(validator.iter_errors(given), schema, given)
        return
    head = {key: shortened(value) for key, value in given.items()}
    if too_much_to_explain(schema, head):
        yield unexplained(schema)
        return
    genuine = (each for each in validator.iter_errors(head) if not each.instance_path or each.kind.name not in _LACKS)
    found = list(islice(findings(genuine, schema, head), LIMITS.findings + 1))
    yield from found or [unexplained(schema)]


class _Validators:
    """Each schema compiled when it is first needed, kept while it is in use: a memo, by identity."""

    def __init__(self) -> None:
        self._entries: OrderedDict[int, _Entry] = OrderedDict()

    def get(self, schema: Json) -> _Entry:
        entry = self._entries.get(id(schema))
        if entry is None:
            entry = self._entries[id(schema)] = _entry(schema)
            if len(self._entries) > _COMPILED:
                self._entries.popitem(last=False)
        self._entries.move_to_end(id(schema))
        return entry


_VALIDATORS: Final = _Validators()


def _entry(schema: Json) -> _Entry:
    if not isinstance(schema, dict | bool) or deeper_than(schema, DEPTH):
        return _Entry(schema, None, 0)
    subschemas = unrolled(schema)
    return _Entry(schema, None if subschemas > UNROLLED else _compile(schema), subschemas)


def _compile(schema: JsonObject | bool) -> "jsonschema_rs.Validator | None":
    """``None`` for a schema that does not compile, one that refers outside itself included: nothing is ever fetched.

    Imported here because it costs 50 ms that a request without a call need not pay.
    """
    import jsonschema_rs

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


def _passes(entry: _Entry, validator: "jsonschema_rs.Validator", args: Mapping[str, Json]) -> bool:
    return too_much_to_judge(entry.subschemas, dict(args)) or _fits(validator, args)


def _fits(validator: "jsonschema_rs.Validator", args: Mapping[str, Json]) -> bool:
    try:
        return validator.is_valid(dict(args))
    except UnicodeEncodeError:
        return validator.is_valid(_readable(args))


def _readable(args: Mapping[str, Json]) -> JsonObject:
    """Lone surrogates may well be sent (P3), but the validator cannot read them: it sees a question mark there."""
    text = json.dumps(dict(args), ensure_ascii=False)
    return dict(args) if text.isascii() else json.loads(text.encode("utf-8", "replace"))
