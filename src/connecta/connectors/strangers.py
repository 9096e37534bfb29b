"""Exchanges with strangers, as guarded as any with a downstream: clients' documents, identity providers, and the
authorization servers of downstreams."""

import asyncio

from connecta import failures
from connecta.auth.exchange import Answer, Exchange, Question


def exchange(*, allow_private: bool = False) -> Exchange:
    """Asks over the guarded transport; at private addresses only if it is told so."""

    async def ask(asked: Question) -> Answer:
        # Imported here because a cold start has nothing to ask of strangers, and their transport would cost it 30 ms.
        import httpx2

        from connecta.connectors.transport import guarded_client

        who = "the other side"
        try:
            who = httpx2.URL(asked.url).host or who
            async with (
                asyncio.timeout(asked.wait_s),
                guarded_client(asked.url, who, allow_private=allow_private, limit=asked.limit) as client,
            ):
                response = await client.request(
                    asked.method, asked.url, headers=dict(asked.headers), content=asked.body
                )
        except TimeoutError as error:
            raise failures.timeout(f'"{who}" did not answer in time.') from error
        except httpx2.InvalidURL as error:
            raise failures.call_failed("That is no address to ask.") from error
        challenges = tuple(response.headers.get_list("www-authenticate"))
        return Answer(response.status_code, response.content, challenges)

    return ask
