"""What one request shows a downstream of us, and how to tell that the downstream says it back."""

import json
from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from connecta.auth.credentials import Credential

if TYPE_CHECKING:
    from connecta.auth.downstream.model import Granted

_SHORTEST: Final = 4
"""Characters. A shorter text is found in words that have nothing to do with it, and keeps nobody out."""


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
        return any(each in text for each in self.secrets)

    def in_error(self, text: str) -> bool:
        """The same for what somebody says of a failure, where nothing of a credential belongs."""
        return self.in_answer(text) or any(each in text for each in self.names)


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
    """Each text as it is, inside JSON, inside JSON inside JSON, and inside a URL."""
    found: set[str] = set()
    for text in texts:
        if len(text) < _SHORTEST:
            continue
        once = {text, *_escaped(text)}
        found |= once.union(*map(_escaped, once), {quote(text, safe="")})
    return frozenset(found)


def _escaped(text: str) -> set[str]:
    return {json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]}
