"""What parent and child say to each other: length-prefixed frames, and JSON at their edges.

The child is hostile once a program runs in it: lengths are checked before anything is read, and every payload
is parsed as a stranger's. Frame types are listed in ``layers/quickjs/child.py``.
"""

import json
from dataclasses import dataclass
from struct import Struct
from typing import Final

from connecta.text import Json, deeper_than

HEADER: Final = Struct(">IB")


class ProtocolError(Exception):
    """The child said what no child of ours says. Its message never reaches a caller."""


class TooDeep(Exception):
    """A value is nested deeper than the bound."""


@dataclass(frozen=True, slots=True)
class Frame:
    kind: str
    payload: bytes


def encode(kind: str, payload: bytes) -> bytes:
    return HEADER.pack(len(payload), ord(kind)) + payload


class Decoder:
    """Cuts a byte stream into frames of at most ``limit`` bytes of payload."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._buffer = bytearray()

    def feed(self, data: bytes) -> None:
        self._buffer += data

    def next(self) -> Frame | None:
        """The next whole frame, ``None`` when there is none yet. Raises ``ProtocolError`` on an oversized one."""
        if len(self._buffer) < HEADER.size:
            return None
        length, kind = HEADER.unpack_from(self._buffer)
        if length > self._limit:
            raise ProtocolError("oversized frame")
        end = HEADER.size + length
        if len(self._buffer) < end:
            return None
        payload = bytes(self._buffer[HEADER.size : end])
        del self._buffer[:end]
        return Frame(chr(kind), payload)


def fields(payload: bytes, separator: bytes, count: int) -> list[bytes]:
    parts = payload.split(separator, count - 1)
    if len(parts) != count:
        raise ProtocolError("missing field")
    return parts


def number(text: bytes) -> int:
    """A count the child reports: plain digits, and few enough of them to be one."""
    if not text.isdigit() or len(text) > 15:
        raise ProtocolError("not a number")
    return int(text)


def _refuse_constant(name: str) -> float:
    raise ValueError(name)


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse_constant)


def parse(payload: bytes, depth: int) -> Json:
    """``payload`` as JSON. Raises ``TooDeep`` beyond ``depth`` levels and ``ProtocolError`` if it is no JSON."""
    try:
        value: Json = _DECODER.decode(payload.decode())
    except RecursionError as error:
        raise TooDeep from error
    except ValueError as error:
        raise ProtocolError("not JSON") from error
    # Counting brackets first keeps the walk, which visits every value, off all but unusual payloads.
    if payload.count(b"[") + payload.count(b"{") > depth and deeper_than(value, depth):
        raise TooDeep
    return value
