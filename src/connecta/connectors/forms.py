"""Forms sent to an identity provider, as guardedly as anything to a downstream."""

import asyncio
from collections.abc import Mapping

import httpx2

from connecta import failures
from connecta.auth.sign_in.provider import Post
from connecta.connectors.transport import guarded_client


def form_post(*, allow_private: bool = False) -> Post:
    """Sends over the guarded transport; to private addresses only if it is told so."""

    async def post(
        url: str, form: Mapping[str, str], headers: Mapping[str, str], *, limit: int, wait_s: float
    ) -> tuple[int, bytes]:
        try:
            who = httpx2.URL(url).host or "the provider"
            async with (
                asyncio.timeout(wait_s),
                guarded_client(url, who, allow_private=allow_private, limit=limit) as client,
            ):
                response = await client.post(url, data=dict(form), headers=dict(headers))
                return response.status_code, response.content
        except TimeoutError as error:
            raise failures.timeout("The identity provider did not answer in time.") from error
        except httpx2.InvalidURL as error:
            raise failures.call_failed("That is no address to send a form to.") from error

    return post
