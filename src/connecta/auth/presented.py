"""What one request shows a downstream of us, and how to tell that the downstream says it back."""

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html import unescape
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from connecta.auth.credentials import Credential

if TYPE_CHECKING:
    from connecta.auth.downstream.model import Granted

_SHORTEST: Final = 4
"""Characters. A shorter text is found in words that have nothing to do with it, and keeps nobody out."""
_SHORTEST_RUN: Final = 12
"""The same for base64, of which any image has plenty."""
_ESCAPED: Final = re.compile(r"(?<!\\)\\++u([0-9a-fA-F]{4})")
"""Each run of backslashes is looked at once, and not again from each of them."""
_QUOTED: Final = re.compile(r"(?:%[0-9a-fA-F]{2})+")
_NO_CHARACTER: Final = re.compile(r"&#[0-9]{8,}")
"""More digits than any character has; Python turns no number of thousands of them into one."""


@dataclass(frozen=True, slots=True)
class Presented:
    """``headers`` go with every request; ``fields`` are for whoever frames them otherwise. Neither is ever shown."""

    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    fields: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    secrets: frozenset[str] = field(default=frozenset(), repr=False)
    """Texts that stand in nothing a downstream has answered, in each way they may be written."""
    names: frozenset[str] = field(default=frozenset(), repr=False)
    """The same for what identifies and opens nothing: it stands in no error, and in answers as it comes."""
    granted: "Granted | None" = None

    def together(self, others: Iterable["Presented"]) -> "Presented":
        """This one, guarding what ``others`` guard as well."""
        every = [self, *others]
        return Presented(
            self.headers,
            self.fields,
            frozenset[str]().union(*(each.secrets for each in every)),
            frozenset[str]().union(*(each.names for each in every)),
            self.granted,
        )

    @property
    def guards(self) -> bool:
        """Whether there is anything to look for."""
        return bool(self.secrets)

    def in_answer(self, text: str) -> bool:
        """Whether ``text``, plain or JSON, repeats a secret."""
        return _stands(self.secrets, text)

    def in_error(self, text: str) -> bool:
        """The same for what somebody says of a failure, where nothing of a credential belongs."""
        return self.in_answer(text) or _stands(self.names, text)


NOTHING: Final = Presented()


def bearer(token: str, granted: "Granted | None" = None) -> Presented:
    return Presented({"authorization": f"Bearer {token}"}, {"value": token}, _forms([token]), granted=granted)


def credential(auth: Credential, values: Mapping[str, str]) -> Presented | None:
    """``values`` as ``auth`` frames them, ``None`` where they fit in no header (RFC 9110 5.5, RFC 7617 2)."""
    fields = {name: values[name] for name in auth.names}
    if not auth.is_sent:
        return Presented({}, fields, _forms(fields.values()))
    if not auth.is_basic:
        (value,) = fields.values()
        framed = f"{auth.scheme} {value}" if auth.scheme else value
        return Presented({auth.header.lower(): framed}, fields, _forms([value])) if sendable(value) else None
    user, password = fields.values()
    if ":" in user:
        return None
    pair = b64encode(f"{user}:{password}".encode()).decode()
    header = {auth.header.lower(): f"{auth.scheme} {pair}"}
    return Presented(header, fields, _forms([password, pair]), _forms([user]))


def sendable(secret: str) -> bool:
    """Whether ``secret`` fits in a header: a line break in it would start another one."""
    return bool(secret) and secret.isascii() and secret.isprintable()


def _forms(texts: Iterable[str]) -> frozenset[str]:
    """Each text as it is, inside a URL, and inside what is base64, as they are in what ``_readings`` gives."""
    found: set[str] = set()
    for text in texts:
        if len(text) >= _SHORTEST:
            found |= {_plain(text), quote(text, safe=""), *_runs(text.encode())}
    return frozenset(found)


def _runs(text: bytes) -> Iterator[str]:
    """What any base64 has in it that has ``text`` in it, in both alphabets (RFC 4648 4, 5)."""
    for before, shared in ((0, 0), (1, 2), (2, 3)):
        # The characters at either end hold bits of what stands beside the text.
        run = b64encode(bytes(before) + text).decode()[shared : (before + len(text)) // 3 * 4]
        if len(run) >= _SHORTEST_RUN:
            yield from (run, run.replace("+", "-").replace("/", "_"))


def _stands(wanted: Iterable[str], text: str) -> bool:
    return any(each in reading for reading in _readings(text) for each in wanted)


def _readings(text: str) -> Iterator[str]:
    """What somebody finds in ``text`` who knows how JSON, URLs and HTML escape characters."""
    plain = _plain(text)
    yield plain
    if "%" in plain:
        yield _plain(_unquoted(plain))
        if "+" in plain:
            yield _plain(_unquoted(plain.replace("+", " ")))
    if "&" in plain:
        yield _plain(unescape(_NO_CHARACTER.sub("", plain)))


def _unquoted(text: str) -> str:
    """As URLs escape it; a run of escapes at a time, because a downstream can send millions."""
    return _QUOTED.sub(lambda found: bytes.fromhex(found[0].replace("%", "")).decode("utf-8", "replace"), text)


def _plain(text: str) -> str:
    """``text`` without JSON's escapes, however many strings of JSON are inside each other; and without NUL, which is
    every other character of UTF-16 that is read as UTF-8."""
    if "\\" not in text:
        return text.replace("\0", "")
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text).replace("\0", "").replace("\\", "")
