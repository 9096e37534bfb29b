"""Every secret there is, every text that came out, and where one is in the other."""

import base64
import binascii
import gzip
import json
import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from html import escape, unescape
from typing import Final, cast
from urllib.parse import quote, unquote

_RUN: Final = re.compile(rb"[A-Za-z0-9+/_-]{16,}")
"""What may be base64."""
_ESCAPE: Final = re.compile(r"\\u([0-9a-fA-F]{4})")
_SHORTEST_RUN: Final = 14
"""Base64 characters that still say which text they are of."""


@dataclass(frozen=True)
class Secret:
    """``allowed`` begins the places that have to have it."""

    name: str
    text: str
    allowed: tuple[str, ...] = ()


@dataclass
class Ledger:
    """``came`` are the places, each with all that came out there."""

    secrets: dict[str, Secret] = field(default_factory=dict[str, Secret])
    came: list[tuple[str, bytes]] = field(default_factory=list[tuple[str, bytes]])

    def plant(self, name: str, text: str, *allowed: str) -> str:
        assert len(text) >= 12, f"{name} is too short to be recognized"
        self.secrets.setdefault(text, Secret(name, text, allowed))
        return text

    def note(self, place: str, text: str | bytes) -> None:
        self.came.append((place, text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text))

    def has(self, *words: str) -> bool:
        """Whether one text has all of ``words``."""
        return any(all(word.encode() in text for word in words) for _, text in self.came)

    def leaks(self) -> list[str]:
        """Each secret at each place, with what stands around it."""
        forms = {text: forms_of(text) for text in self.secrets}
        at: dict[str, dict[bytes, None]] = {}
        for place, text in self.came:
            at.setdefault(place, {})[text] = None
        found: list[str] = []
        for place, texts in at.items():
            read = b"\n".join(reading for text in texts for reading in readings_of(text))
            for secret in self.secrets.values():
                if not (secret.allowed and place.startswith(secret.allowed)):
                    found += [
                        f"{secret.name} at {place}: {_near(read, form)}" for form in forms[secret.text] if form in read
                    ][:1]
        return found


def forms_of(text: str) -> set[bytes]:
    """``text`` in each way it may be written that a reading does not undo."""
    once = json.dumps(text)[1:-1]
    written = {text, once, json.dumps(once)[1:-1], quote(text), quote(text, safe=""), escape(text), text.encode().hex()}
    raw = text.encode()
    for lead in range(3):
        run = base64.b64encode(b"\0" * lead + raw)
        # The first characters hold what stood before, the last ones what comes after.
        inner = run[(0, 2, 3)[lead] : len(run) - (4 if (lead + len(raw)) % 3 else 0)]
        if len(inner) >= _SHORTEST_RUN:
            written |= {inner.decode(), inner.decode().replace("+", "-").replace("/", "_")}
    return {each.encode() for each in written}


def readings_of(text: bytes) -> Iterator[bytes]:
    """``text``, and what somebody who looks closer reads in it."""
    yield text
    yield text.replace(b"\0", b"").replace(b"\\u0000", b"")
    words = text.decode("utf-8", "replace")
    plain = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), words.replace("\\\\", "\\"))
    yield from {unquote(words).encode(), unescape(words).encode(), plain.encode("utf-8", "surrogatepass")}
    decoded = [_decoded(run) for run in set(_RUN.findall(text))]
    yield b"\n".join((*decoded, *map(_unpacked, decoded)))


def _decoded(run: bytes) -> bytes:
    usual = run.replace(b"-", b"+").replace(b"_", b"/")
    with suppress(binascii.Error):
        return base64.b64decode(usual + b"=" * (-len(usual) % 4))
    return b""


def _unpacked(data: bytes) -> bytes:
    with suppress(OSError, EOFError, zlib.error):
        return gzip.decompress(data)
    return b""


def _near(text: bytes, form: bytes) -> str:
    at = text.index(form)
    return text[max(0, at - 120) : at + len(form) + 40].decode("utf-8", "backslashreplace")


def item_bytes(value: object) -> Iterator[bytes]:
    """All that an item of the table says, unpacked where it is packed."""
    if isinstance(value, dict):
        for name, inner in cast("dict[str, object]", value).items():
            yield name.encode()
            yield from item_bytes(inner)
    elif isinstance(value, list | set):
        for inner in cast("Iterable[object]", value):
            yield from item_bytes(inner)
    elif isinstance(value, bytes):
        yield value
        yield _unpacked(value)
    else:
        yield str(value).encode()
