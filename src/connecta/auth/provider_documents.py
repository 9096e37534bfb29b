"""What an identity provider says of itself."""

from connecta.auth.exchange import Exchange, document
from connecta.limits import Limits
from connecta.text import JsonObject, json_object


async def openid_configuration(issuer: str, ask: Exchange, limits: Limits) -> JsonObject:
    """The discovery document of ``issuer`` (OpenID Connect Discovery 1.0 section 4).

    Raises ``Failure`` where there is none, ``ValueError`` for what is not this issuer's.
    """
    found = await provider_document(f"{issuer.rstrip('/')}/.well-known/openid-configuration", ask, limits)
    if found.get("issuer") != issuer:
        raise ValueError("the discovery document is another issuer's")
    return found


async def provider_document(url: str, ask: Exchange, limits: Limits) -> JsonObject:
    """A JSON document of an identity provider. Raises as above."""
    found = json_object(await document(ask, url, limit=limits.keys_bytes, wait_s=limits.keys_wait_s))
    if found is None:
        raise ValueError("the document is no JSON object")
    return found
