"""Where the references of a schema lead: JSON pointers and anchors inside it. Nothing outside is ever read."""

from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote

from connecta.text import Json, JsonObject

_ANCHORS: Final = ("$anchor", "$dynamicAnchor")
_IDENTIFIERS: Final = ("$id", "id")
"""Also an anchor where it begins with ``#``, as it may up to draft-07."""
_INDEX_DIGITS: Final = 5


class References:
    """The references of one schema. Its anchors are collected when the first one is asked for."""

    def __init__(self, root: Json) -> None:
        self._root = root
        old = isinstance(root, dict) and "draft-04" in str(root.get("$schema"))
        self._identifier = "id" if old else "$id"
        self._base = self._identity(root)
        self._anchors: dict[str, Json] | None = None

    def target(self, reference: Json) -> Json:
        """What ``reference`` leads to; ``None`` for nowhere, outside the schema, into a part of it with a base of its
        own, and for an anchor that stands in two places."""
        if not isinstance(reference, str):
            return None
        base, _, fragment = reference.partition("#")
        if base not in ("", self._base):
            return None
        place = unquote(fragment)
        return self._pointed(place) if place[:1] in ("", "/") else self._anchored(place)

    def has_own_base(self, schema: Json) -> bool:
        """Whether references inside ``schema`` are relative to it and not to the whole."""
        return schema is not self._root and self._identity(schema) != ""

    def _identity(self, schema: Json) -> str:
        said = schema.get(self._identifier) if isinstance(schema, dict) else None
        return said.partition("#")[0] if isinstance(said, str) else ""

    def _pointed(self, pointer: str) -> Json:
        found = self._root
        for step in pointer.split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            if isinstance(found, dict):
                found = found.get(key)
            elif isinstance(found, list) and key.isdecimal() and len(key) <= _INDEX_DIGITS and int(key) < len(found):
                found = found[int(key)]
            else:
                return None
            if self.has_own_base(found):
                return None
        return found

    def _anchored(self, name: str) -> Json:
        if self._anchors is None:
            self._anchors = {}
            for schema in self._objects():
                for anchor in set(_named(schema)):
                    self._anchors[anchor] = None if anchor in self._anchors else schema
        return self._anchors.get(name)

    def _objects(self) -> Iterator[JsonObject]:
        """Every object of the schema, data inside it included, but for the parts with a base of their own."""
        waiting, seen = [self._root], set[int]()
        while waiting:
            here = waiting.pop()
            if not isinstance(here, dict | list) or id(here) in seen or self.has_own_base(here):
                continue
            seen.add(id(here))
            if isinstance(here, dict):
                yield here
            waiting += here.values() if isinstance(here, dict) else here


def _named(schema: JsonObject) -> Iterator[str]:
    for keyword in _ANCHORS:
        name = schema.get(keyword)
        if isinstance(name, str):
            yield name
    for keyword in _IDENTIFIERS:
        name = schema.get(keyword)
        if isinstance(name, str) and name.startswith("#"):
            yield name[1:]
