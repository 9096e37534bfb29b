"""Text and JSON at the bounds: clamping to bytes, the one compact serialization, depth."""

import json
from collections.abc import Iterable
from typing import Final, TypeAlias, Union, cast

Json: TypeAlias = Union[bool, int, float, str, "list[Json]", "dict[str, Json]", None]
JsonObject: TypeAlias = dict[str, Json]


class Missing:
    """The type of ``MISSING``: no value at all, which is not JSON's null."""


MISSING: Final = Missing()


def clamp(text: str, limit: int) -> str:
    """``text`` cut to at most ``limit`` UTF-8 bytes, ending in an ellipsis when anything was cut."""
    encoded = text.encode("utf-8", "replace")
    if len(encoded) <= limit:
        return encoded.decode("utf-8")
    return encoded[: limit - 3].decode("utf-8", "ignore") + "…"


# Made once: ``json.dumps`` with options makes an encoder for every value, which costs more than a small value.
_UNICODE: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_ASCII: Final = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"), allow_nan=False)


def compact(value: object) -> str:
    """``value`` as compact JSON: no spaces, non-ASCII kept, lone surrogates escaped so it always encodes.

    Raises ``TypeError`` or ``ValueError`` for what JSON cannot hold (NaN and infinities included).
    """
    text = _UNICODE.encode(value)
    return text if _encodes(text) else _ASCII.encode(value)


def ascii_json(value: object) -> str:
    """``value`` as compact JSON in ASCII: every code point, lone surrogates and NUL included, crosses any pipe.

    Raises as ``compact`` does.
    """
    return _ASCII.encode(value)


def _encodes(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def size(text: str) -> int:
    """UTF-8 bytes of ``text``."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def json_object(text: bytes) -> JsonObject | None:
    """The object that ``text`` is in JSON, ``None`` where it is anything else."""
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return cast(JsonObject, value) if isinstance(value, dict) else None


def printable(text: str) -> str:
    """``text`` with a replacement character for each that is not to be shown, line breaks among them."""
    return "".join(character if character.isprintable() else "\ufffd" for character in text)


def deeper_than(value: Json, depth: int) -> bool:
    """Whether ``value`` nests more than ``depth`` levels, found without recursion. Every list and every object is a
    level, an empty one too: ``1`` has none, ``[]`` one, ``{"a": []}`` two."""
    level = _containers([value])
    for _ in range(depth):
        if not level:
            return False
        members = (each.values() if isinstance(each, dict) else each for each in level)
        level = [inner for values in members for inner in _containers(values)]
    return bool(level)


def _containers(values: Iterable[Json]) -> list["list[Json] | JsonObject"]:
    return [value for value in values if isinstance(value, list | dict)]


def dotted(steps: Iterable[str | int], limit: int) -> str:
    """A place inside a value as one line of at most ``limit`` bytes: names with dots between, ``[n]`` for positions."""
    said = (f"[{step}]" if isinstance(step, int) else f".{printable(step[: limit + 1])}" for step in steps)
    return clamp("".join(said).removeprefix("."), limit)


def kind_of(value: Json) -> str:
    """What ``value`` is, for a message that says what was given; never the value itself."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a string"
    return "an array" if isinstance(value, list) else "an object"
