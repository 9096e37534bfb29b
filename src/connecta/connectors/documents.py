"""Documents of strangers, fetched as guardedly as anything from a downstream."""

import asyncio
from http import HTTPStatus

import httpx2

from connecta import failures
from connecta.auth.fetching import Fetch
from connecta.connectors.transport import guarded_client


def document_fetch(*, allow_private: bool = False) -> Fetch:
    """Fetches over the guarded transport; from private addresses only if it is told so."""

    async def fetch(url: str, *, limit: int, wait_s: float) -> bytes:
        try:
            who = httpx2.URL(url).host or "the document"
            async with (
                asyncio.timeout(wait_s),
                guarded_client(url, who, allow_private=allow_private, limit=limit) as client,
            ):
                response = await client.get(url)
                if response.status_code != HTTPStatus.OK:
                    raise failures.call_failed(f'"{who}" answered {response.status_code} instead of a document.')
                return response.content
        except TimeoutError as error:
            raise failures.timeout("A document did not arrive in time.") from error
        except httpx2.InvalidURL as error:
            raise failures.call_failed("That is not the address of a document.") from error

    return fetch
