"""What a downstream's 401 or 403 says of the token it wants: RFC 6750 section 3, RFC 9728 section 5.1."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

_CHALLENGE_CHARS: Final = 8_192
"""Most looked at of all such headers together; what is longer is cut."""
_VALUE_CHARS: Final = 2_048
_TOKEN: Final = r"[A-Za-z0-9!#$%&'*+.^_`|~-]++"  # noqa: S105 - a word of a header
_GAP: Final = re.compile(r"[\s,]*+")
_PART: Final = re.compile(
    rf"""(?P<name>{_TOKEN})[ \t]*+=[ \t]*+(?:"(?P<quoted>(?:[^"\\]|\\.)*+)"|(?P<plain>[^\s,"]++))(?=[\s,]|$)
    |(?P<scheme>{_TOKEN})(?=[\s,]|$)
    |[^\s,]++""",
    re.VERBOSE | re.DOTALL,
)
_ACTED_ON: Final = frozenset({"error", "scope", "resource_metadata"})


@dataclass(frozen=True, slots=True)
class Challenge:
    """The fields of one Bearer challenge that a client acts on; ``None`` where they are not said."""

    error: str | None = None
    scope: str | None = None
    resource_metadata: str | None = None

    @property
    def wants_scope(self) -> bool:
        """Whether a token is good but not for this (RFC 6750 section 3.1)."""
        return self.error == "insufficient_scope"


def challenge_in(headers: Iterable[str]) -> Challenge | None:
    """The first Bearer challenge in the values of ``WWW-Authenticate``, of which there may be several with several
    challenges each (RFC 9110 11.6.1). ``None`` where there is none; what cannot be read of it is not said."""
    said: dict[str, str] | None = None
    for scheme, name, value in _parts(", ".join(headers)[:_CHALLENGE_CHARS]):
        if scheme is not None:
            if said is not None:
                break
            said = {} if scheme.lower() == "bearer" else None
        elif said is not None and name in _ACTED_ON and 0 < len(value) <= _VALUE_CHARS and value.isprintable():
            said.setdefault(name, value)
    return None if said is None else Challenge(**said)


def _parts(text: str) -> Iterator[tuple[str | None, str, str]]:
    """``(scheme, "", "")`` where a challenge begins, ``(None, name, value)`` for each parameter; the credentials of
    other schemes are passed over."""
    at = _end_of(_GAP.match(text))
    while (part := _PART.match(text, at)) is not None:
        if part["scheme"] is not None:
            yield part["scheme"], "", ""
        elif part["name"] is not None:
            quoted = part["quoted"]
            yield None, part["name"].lower(), part["plain"] if quoted is None else re.sub(r"\\(.)", r"\1", quoted)
        at = _end_of(_GAP.match(text, part.end()))


def _end_of(gap: re.Match[str] | None) -> int:
    assert gap is not None, "it matches nothing as well"
    return gap.end()
