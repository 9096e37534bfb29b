"""How much work a validation would be, found before it is done: schemas and arguments are both written by others."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Final
from urllib.parse import unquote

from connecta.text import Json, JsonObject

DEPTH: Final = 100
"""A deeper schema or argument is not handed to the validator, whose own stack it could exhaust."""
UNROLLED: Final = 1_000_000
"""Most subschemas with every reference written out: one yes or no takes a validator 10 ns for each."""
VISITS: Final = 5_000
"""Most pairs of a subschema and a value that are explained: each may be an error, which costs 10 to 40 µs."""
_COPIED: Final = 64
_MEMBERS: Final = 40
_ITEMS: Final = 5

_REFERENCES: Final = ("$ref", "$dynamicRef")
_SAME_VALUE: Final = ("not", "if", "then", "else")
_SAME_VALUE_LISTS: Final = ("allOf", "anyOf", "oneOf")
_SAME_VALUE_NAMED: Final = ("dependentSchemas", "dependencies")
_NAMED: Final = ("properties", "patternProperties")
_OTHER_MEMBERS: Final = ("additionalProperties", "unevaluatedProperties")
_EACH_ITEM: Final = ("items", "additionalItems", "unevaluatedItems", "contains")
_ITEM_LISTS: Final = ("prefixItems", "items")


def deeper_than(value: Json, depth: int = DEPTH) -> bool:
    """Whether ``value`` nests more than ``depth`` levels, found without recursion."""
    level: list[Json] = [value]
    for _ in range(depth):
        level = [inner for outer in level for inner in _inside(outer)]
        if not level:
            return False
    return any(isinstance(outer, dict | list) for outer in level)


def unrolls_beyond(schema: Json, limit: int = UNROLLED) -> bool:
    """Whether writing out every reference of ``schema`` gives more than ``limit`` subschemas; one that leads back to
    where it stands counts once. References that double one another grow by powers of two."""
    return _Unrolling(schema).size(schema, 0) > limit


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


def referenced(root: Json, reference: Json) -> Json:
    """What a reference by JSON pointer leads to inside ``root``, or ``None``."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    steps = [step.replace("~1", "/").replace("~0", "~") for step in unquote(reference[1:]).split("/")[1:]]
    found = root
    for step in steps:
        if isinstance(found, dict):
            found = found.get(step)
        elif isinstance(found, list) and step.isdecimal() and len(step) < 6 and int(step) < len(found):
            found = found[int(step)]
        else:
            return None
    return found


class _Unrolling:
    """One count over one schema; each subschema is counted once and its size remembered."""

    def __init__(self, root: Json) -> None:
        self._root = root
        self._sizes: dict[int, int] = {}

    def size(self, schema: Json, depth: int) -> int:
        if not isinstance(schema, dict):
            return 1
        if depth > DEPTH:
            return UNROLLED + 1
        if id(schema) not in self._sizes:
            self._sizes[id(schema)] = 1
            inner = sum(self.size(each, depth + 1) for each in _subschemas(self._root, schema))
            self._sizes[id(schema)] = 1 + inner
        return self._sizes[id(schema)]


def _subschemas(root: Json, schema: JsonObject) -> Iterator[Json]:
    yield from _in_place(root, schema)
    for keyword in _NAMED:
        yield from _members(schema.get(keyword))
    for keyword in (*_OTHER_MEMBERS, *_EACH_ITEM):
        if keyword in schema:
            yield schema[keyword]
    for keyword in _ITEM_LISTS:
        yield from _elements(schema.get(keyword))


def _in_place(root: Json, schema: JsonObject) -> Iterator[Json]:
    """The subschemas that speak of the same value as ``schema``."""
    for keyword in _REFERENCES:
        if keyword in schema:
            yield referenced(root, schema[keyword])
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
        self._root = root
        self._weights: dict[int, int] = {}

    def of(self, schema: Json, value: Json, depth: int) -> Iterator[int]:
        """What each visit costs, in no order that matters; whoever adds them up may stop."""
        cost = 1 + self._weight(value) // _COPIED
        yield cost
        if not isinstance(schema, dict) or depth > 3 * DEPTH:
            return
        for each in _in_place(self._root, schema):
            yield from self.of(each, value, depth + 1)
        if isinstance(value, dict):
            yield cost * sum(1 for _ in _elements(schema.get("required")))
            known = schema.get("properties")
            named: Mapping[str, Json] = known if isinstance(known, dict) else {}
            for key, member in value.items():
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


def _inside(value: Json) -> Iterable[Json]:
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [member for member in members if isinstance(member, dict | list)]
