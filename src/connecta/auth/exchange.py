"""What this floor needs of the network, given to it from above: one guarded request, and its answer."""

from base64 import b64encode
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Literal, Protocol, TypeAlias
from urllib.parse import quote, urlencode, urlsplit

from connecta import failures
from connecta.text import JsonObject, json_object


@dataclass(frozen=True, slots=True)
class Answer:
    """``challenges`` are the values of ``WWW-Authenticate``. The body may hold tokens, so it is not shown."""

    status: int
    body: bytes
    challenges: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Answer(status={self.status})"

    def json(self) -> JsonObject | None:
        return json_object(self.body)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, and that the answer has at most ``limit`` bytes and comes within ``wait_s`` seconds. Headers and
    body may hold secrets, so they are not shown."""

    method: Literal["GET", "POST"]
    url: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    body: bytes | None = field(default=None, repr=False)
    limit: int
    wait_s: float


Exchange: TypeAlias = Callable[[Question], Awaitable[Answer]]
"""Asks over https and at public addresses only (unless who asks allows private ones), following no redirect. Gives
the answer, whatever its status; raises ``Failure`` where there is none."""


class Exchanges(Protocol):
    """The exchange of who allows private addresses, or does not."""

    def __call__(self, *, allow_private: bool) -> Exchange: ...


async def document(ask: Exchange, url: str, *, limit: int, wait_s: float) -> bytes:
    """The body of a 200 from ``url``, at most ``limit`` bytes, within ``wait_s`` seconds.

    Raises ``Failure`` for anything else.
    """
    answer = await ask(Question(method="GET", url=url, limit=limit, wait_s=wait_s))
    if answer.status != HTTPStatus.OK:
        raise failures.call_failed(f'"{urlsplit(url).hostname}" answered {answer.status} instead of a document.')
    return answer.body


def form(url: str, fields: Mapping[str, str], headers: Mapping[str, str], *, limit: int, wait_s: float) -> Question:
    """A form for a token or revocation endpoint, which is asked to answer in JSON."""
    told = {"content-type": "application/x-www-form-urlencoded", "accept": "application/json", **headers}
    return Question(method="POST", url=url, headers=told, body=urlencode(fields).encode(), limit=limit, wait_s=wait_s)


def basic(client_id: str, secret: str) -> dict[str, str]:
    """The header of a client that shows its secret (RFC 6749 section 2.3.1), both form-encoded first: a space as %20,
    which those who decode a form and those who decode a URL read alike."""
    pair = f"{quote(client_id, safe='')}:{quote(secret, safe='')}"
    return {"authorization": f"Basic {b64encode(pair.encode()).decode()}"}
