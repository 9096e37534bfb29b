"""How much work a validation would be, found before it is done: schemas and arguments are both written by others."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Final

from connecta.catalog.references import References
from connecta.text import Json, JsonObject

DEPTH: Final = 100
"""A deeper schema or argument is not handed to the validator, whose own stack it could exhaust."""
UNROLLED: Final = 1_000_000
"""Most subschemas with every reference written out: one yes or no takes a validator 10 ns for each."""
ASKED: Final = 50_000_000
"""Most subschemas times values. Each value may be asked about all of them, and so is every item of a list."""
VISITS: Final = 5_000
"""Most pairs of a subschema and a value that are explained: each may be an error, which costs 10 to 40 µs."""
_COPIED: Final = 64
_MEMBERS: Final = 40
_ITEMS: Final = 5

_REFERENCES: Final = ("$ref", "$dynamicRef")
_UNREMEMBERED: Final = "$recursiveRef"
"""Of 2019-09 only. The validator does not remember what it found behind one, so that two of them double at each level
of a value."""
_SAME_VALUE: Final = ("not", "if", "then", "else")
_SAME_VALUE_LISTS: Final = ("allOf", "anyOf", "oneOf")
_SAME_VALUE_NAMED: Final = ("dependentSchemas", "dependencies")
_NAMED: Final = ("properties", "patternProperties")
_OTHER_MEMBERS: Final = ("additionalProperties", "unevaluatedProperties")
_EACH_ITEM: Final = ("items", "additionalItems", "unevaluatedItems", "contains")
_EACH_KEY: Final = "propertyNames"
_ITEM_LISTS: Final = ("prefixItems", "items")


def unrolled(schema: Json) -> int:
    """How many subschemas writing out every reference of ``schema`` gives; one that leads back to where it stands
    counts once. References that double one another grow by powers of two.

    A schema with a reference that cannot be followed here counts more than ``UNROLLED``.
    """
    return _Unrolling(schema).size(schema, 0)


def too_much_to_judge(subschemas: int, value: Json) -> bool:
    """Whether a yes or no on ``value`` by a schema that unrolls to ``subschemas`` may ask more than ``ASKED``."""
    room = ASKED // subschemas
    level = [value]
    while level and room >= 0:
        room -= len(level)
        level = [member for each in level for member in (*_members(each), *_elements(each))]
    return room < 0


def too_much_to_explain(schema: Json, value: Json) -> bool:
    """Whether validating ``value`` would visit more pairs of a subschema and a value than ``VISITS``; a large value
    counts as several, since every error holds a copy of it."""
    total = 0
    for cost in _Visits(schema).of(schema, value, 0):
        total += cost
        if total > VISITS:
            return True
    return False


def shortened(value: Json) -> Json:
    """The head of ``value``: few items of each list, few members of each object, so that it can be explained."""
    if isinstance(value, dict):
        return {key: shortened(member) for key, member in islice(value.items(), _MEMBERS)}
    return [shortened(item) for item in value[:_ITEMS]] if isinstance(value, list) else value


class _Unrolling:
    """One count over one schema; each subschema is counted once and its size remembered."""

    def __init__(self, root: Json) -> None:
        self._references = References(root)
        self._sizes: dict[int, int] = {}

    def size(self, schema: Json, depth: int) -> int:
        if not isinstance(schema, dict):
            return 1
        if depth > DEPTH or self._lost(schema):
            return UNROLLED + 1
        if id(schema) not in self._sizes:
            self._sizes[id(schema)] = 1
            inner = sum(self.size(each, depth + 1) for each in _subschemas(self._references, schema))
            self._sizes[id(schema)] = 1 + inner
        return self._sizes[id(schema)]

    def _lost(self, schema: JsonObject) -> bool:
        """Whether the validator would follow a reference of ``schema`` to where it is not followed here."""
        followed = (self._references.target(schema[keyword]) for keyword in _REFERENCES if keyword in schema)
        return _UNREMEMBERED in schema or self._references.has_own_base(schema) or None in followed


def _subschemas(references: References, schema: JsonObject) -> Iterator[Json]:
    yield from _in_place(references, schema)
    for keyword in _NAMED:
        yield from _members(schema.get(keyword))
    for keyword in (*_OTHER_MEMBERS, *_EACH_ITEM, _EACH_KEY):
        if keyword in schema:
            yield schema[keyword]
    for keyword in _ITEM_LISTS:
        yield from _elements(schema.get(keyword))


def _in_place(references: References, schema: JsonObject) -> Iterator[Json]:
    """The subschemas that speak of the same value as ``schema``."""
    for keyword in _REFERENCES:
        if keyword in schema:
            yield references.target(schema[keyword])
    for keyword in _SAME_VALUE:
        if keyword in schema:
            yield schema[keyword]
    for keyword in _SAME_VALUE_LISTS:
        yield from _elements(schema.get(keyword))
    for keyword in _SAME_VALUE_NAMED:
        yield from _members(schema.get(keyword))


class _Visits:
    """The visits of one validation, found by walking as it would."""

    def __init__(self, root: Json) -> None:
        self._references = References(root)
        self._weights: dict[int, int] = {}

    def of(self, schema: Json, value: Json, depth: int) -> Iterator[int]:
        """What each visit costs, in no order that matters; whoever adds them up may stop."""
        cost = 1 + self._weight(value) // _COPIED
        yield cost
        if not isinstance(schema, dict) or depth > 3 * DEPTH:
            return
        for each in _in_place(self._references, schema):
            yield from self.of(each, value, depth + 1)
        if isinstance(value, dict):
            yield cost * sum(1 for _ in _elements(schema.get("required")))
            known = schema.get("properties")
            named: Mapping[str, Json] = known if isinstance(known, dict) else {}
            for key, member in value.items():
                if _EACH_KEY in schema:
                    yield from self.of(schema[_EACH_KEY], key, depth + 1)
                for each in _for_key(schema, named, key):
                    yield from self.of(each, member, depth + 1)
        elif isinstance(value, list):
            for index, item in enumerate(value):
                for each in _for_index(schema, index):
                    yield from self.of(each, item, depth + 1)

    def _weight(self, value: Json) -> int:
        """Members at every level; 64 characters of text count as one."""
        if isinstance(value, str):
            return 1 + len(value) // 64
        if not isinstance(value, dict | list):
            return 1
        if id(value) not in self._weights:
            members = value.values() if isinstance(value, dict) else value
            self._weights[id(value)] = 1 + sum(self._weight(member) for member in members)
        return self._weights[id(value)]


def _for_key(schema: JsonObject, named: Mapping[str, Json], key: str) -> Iterator[Json]:
    if key in named:
        yield named[key]
    else:
        yield from (schema[keyword] for keyword in _OTHER_MEMBERS if keyword in schema)
    yield from _members(schema.get("patternProperties"))


def _for_index(schema: JsonObject, index: int) -> Iterator[Json]:
    for keyword in _ITEM_LISTS:
        yield from islice(_elements(schema.get(keyword)), index, index + 1)
    yield from (schema[keyword] for keyword in _EACH_ITEM if isinstance(schema.get(keyword), dict))


def _members(value: Json) -> Iterable[Json]:
    return value.values() if isinstance(value, dict) else ()


def _elements(value: Json) -> Iterable[Json]:
    return value if isinstance(value, list) else ()
