"""What this floor needs of the network, given to it from above: a document from a public address."""

from collections.abc import Awaitable
from typing import Protocol

from connecta.limits import Limits
from connecta.text import JsonObject, json_object


class Fetch(Protocol):
    """Fetches documents of strangers: from public addresses over https only, without following redirects."""

    def __call__(self, url: str, *, limit: int, wait_s: float) -> Awaitable[bytes]:
        """The body of a 200 from ``url``, at most ``limit`` bytes, within ``wait_s`` seconds.

        Raises ``Failure`` for anything else.
        """
        ...


async def openid_configuration(issuer: str, fetch: Fetch, limits: Limits) -> JsonObject:
    """What a provider says of itself (OpenID Connect Discovery 1.0 section 4). Raises ``Failure`` where it says
    nothing, ``ValueError`` for what is not this issuer's."""
    document = await provider_document(f"{issuer.rstrip('/')}/.well-known/openid-configuration", fetch, limits)
    if document.get("issuer") != issuer:
        raise ValueError("the discovery document is another issuer's")
    return document


async def provider_document(url: str, fetch: Fetch, limits: Limits) -> JsonObject:
    """A JSON document of an identity provider. Raises as above."""
    document = json_object(await fetch(url, limit=limits.keys_bytes, wait_s=limits.keys_wait_s))
    if document is None:
        raise ValueError("the document is no JSON object")
    return document
