"""Clients whose id is the address of a document about them (client-id metadata documents)."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final
from urllib.parse import urlsplit

from connecta.auth.authorization_server.client_metadata import BadMetadata, ClientMetadata, parsed, read_metadata
from connecta.auth.authorization_server.errors import slow_down
from connecta.auth.authorization_server.throttle import Throttle
from connecta.auth.exchange import Exchange, document
from connecta.failures import Failure
from connecta.limits import Limits
from connecta.log import logger
from connecta.state.client_documents import ClientDocuments
from connecta.text import json_object

KNOWN: Final[Mapping[str, ClientMetadata]] = MappingProxyType(
    {
        "https://claude.ai/oauth/mcp-oauth-client-metadata": ClientMetadata(
            "Claude", ("https://claude.ai/api/mcp/auth_callback", "https://claude.com/api/mcp/auth_callback")
        ),
        "https://claude.ai/oauth/claude-code-client-metadata": ClientMetadata(
            "Claude Code", ("http://localhost/callback", "http://127.0.0.1/callback")
        ),
    }
)
"""For when they cannot be fetched: the host of Claude's refuses some addresses of clouds."""
_SECRETS: Final = ("client_secret_basic", "client_secret_post", "client_secret_jwt")
_ADDRESS: Final = re.compile(r"https://[A-Za-z0-9.\[\]:-]+/[A-Za-z0-9._~!$&'()*+,;=:@%/?-]*")


def is_document_id(client_id: str, limits: Limits) -> bool:
    """Whether a client id is the address of a document: https with a path, and nothing in it that reads two ways."""
    if len(client_id) > limits.oauth_parameter_chars or _ADDRESS.fullmatch(client_id) is None:
        return False
    try:
        parts = urlsplit(client_id)
        port = parts.port
    except ValueError:
        return False
    steps = parts.path.lower().replace("%2e", ".").split("/")
    return bool(parts.hostname) and port != 0 and parts.path != "/" and not {".", ".."} & set(steps)


class DocumentClients:
    """Reads documents: the kept one while it is fresh, else the one at the address, else what there is of it."""

    def __init__(self, kept: ClientDocuments, ask: Exchange, throttle: Throttle, limits: Limits) -> None:
        self._kept = kept
        self._ask = ask
        self._throttle = throttle
        self._limits = limits

    async def find(self, client_id: str, address: str) -> ClientMetadata:
        """What the document at ``client_id`` says; ``address`` is whose request it is fetched for.

        Raises ``BadMetadata`` where there is none that can be used, ``OAuthError`` where too many are asked for.
        """
        kept = await self._kept.read(client_id)
        if kept is not None and kept.fresh:
            return self._read(client_id, kept.body)
        fallback = KNOWN.get(client_id) if kept is None else self._read(client_id, kept.body)
        body = await self._fetched(client_id, address, needed=fallback is None)
        if body is not None:
            metadata = self._read(client_id, body)
            await self._kept.keep(client_id, body)
            return metadata
        if fallback is None:
            raise BadMetadata("The document that describes this client could not be fetched.")
        return fallback

    async def _fetched(self, client_id: str, address: str, *, needed: bool) -> bytes | None:
        """What is at ``client_id``; ``None`` when it cannot be fetched now, or could not a moment ago, or when it is no
        JSON object and not ``needed``: a page that wants to see a person, say, takes nothing from what is known.

        Raises ``OAuthError`` for a ``needed`` one when too many are asked for.
        """
        if await self._kept.resting(client_id):
            return None
        wait_s = await self._throttle.wait_s("documents", address)
        if wait_s > 0:
            if needed:
                raise slow_down(wait_s)
            return None
        try:
            limit, wait_s = self._limits.client_document_bytes, self._limits.client_document_wait_s
            body = await document(self._ask, client_id, limit=limit, wait_s=wait_s)
        except Failure as failure:
            logger.warning("A client's document could not be fetched.", extra={"code": failure.code})
            await self._kept.rest(client_id)
            return None
        if needed or json_object(body) is not None:
            return body
        logger.warning("Something that is no document is where a client's document was.")
        await self._kept.rest(client_id)
        return None

    def _read(self, client_id: str, body: bytes) -> ClientMetadata:
        given = parsed(body)
        if given.get("client_id") != client_id:
            raise BadMetadata("The document that describes this client is about another one.")
        # A key is as good as none: the server says it checks neither, and PKCE binds a code to who asked for it.
        if "client_secret" in given or given.get("token_endpoint_auth_method") in _SECRETS:
            raise BadMetadata("The document that describes this client speaks of a secret, and it is public.")
        return read_metadata(given, self._limits)
