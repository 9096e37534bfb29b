"""Exchanges with strangers, as guarded as any with a downstream: documents, forms for an identity provider, and what
the authorization server of a downstream is asked."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from connecta import failures
from connecta.auth.downstream.exchange import Answer, Exchange, Question
from connecta.auth.fetching import Fetch
from connecta.auth.sign_in.provider import Post

if TYPE_CHECKING:
    import httpx2


@dataclass(frozen=True, slots=True)
class _Words:
    """What is said of a kind of exchange. ``unnamed`` stands for a stranger whose address has no host."""

    unnamed: str
    late: str
    wrong: str


_DOCUMENT: Final = _Words(
    "the document", "A document did not arrive in time.", "That is not the address of a document."
)
_FORM: Final = _Words(
    "the provider", "The identity provider did not answer in time.", "That is no address to send a form to."
)

_AUTHORIZATION: Final = _Words(
    "the authorization server", "The authorization server did not answer in time.", "That is no address to ask."
)


def document_fetch(*, allow_private: bool = False) -> Fetch:
    """Fetches over the guarded transport; from private addresses only if it is told so."""

    async def fetch(url: str, *, limit: int, wait_s: float) -> bytes:
        async with _guarded(_DOCUMENT, url, limit, wait_s, allow_private) as (client, who):
            response = await client.get(url)
            if response.status_code != HTTPStatus.OK:
                raise failures.call_failed(f'"{who}" answered {response.status_code} instead of a document.')
            return response.content

    return fetch


def form_post(*, allow_private: bool = False) -> Post:
    """Sends over the guarded transport; to private addresses only if it is told so."""

    async def post(
        url: str, form: Mapping[str, str], headers: Mapping[str, str], *, limit: int, wait_s: float
    ) -> tuple[int, bytes]:
        async with _guarded(_FORM, url, limit, wait_s, allow_private) as (client, _):
            response = await client.post(url, data=dict(form), headers=dict(headers))
            return response.status_code, response.content

    return post


def exchange(*, allow_private: bool = False) -> Exchange:
    """Asks over the guarded transport; at private addresses only if it is told so."""

    async def ask(asked: Question) -> Answer:
        async with _guarded(_AUTHORIZATION, asked.url, asked.limit, asked.wait_s, allow_private) as (client, _):
            response = await client.request(asked.method, asked.url, headers=dict(asked.headers), content=asked.body)
            challenges = tuple(response.headers.get_list("www-authenticate"))
            return Answer(response.status_code, response.content, challenges)

    return ask


@asynccontextmanager
async def _guarded(
    words: _Words, url: str, limit: int, wait_s: float, allow_private: bool
) -> "AsyncGenerator[tuple[httpx2.AsyncClient, str]]":
    """A client for one exchange with ``url``, within ``wait_s`` seconds, and what its other side is called."""
    # Imported here because a cold start has nothing to ask of strangers, and their transport would cost it 30 ms.
    import httpx2

    from connecta.connectors.transport import guarded_client

    try:
        who = httpx2.URL(url).host or words.unnamed
        async with (
            asyncio.timeout(wait_s),
            guarded_client(url, who, allow_private=allow_private, limit=limit) as client,
        ):
            yield client, who
    except TimeoutError as error:
        raise failures.timeout(words.late) from error
    except httpx2.InvalidURL as error:
        raise failures.call_failed(words.wrong) from error
