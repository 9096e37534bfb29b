"""A connection that fetches the ``ui://`` resources its calls name, to pin what a host would have shown."""

import asyncio
from contextlib import suppress
from typing import Protocol

from connecta.auth.authorizations import Authorizations
from connecta.connectors.mcp_connection import McpConnection, Server
from connecta.connectors.mcp_ui import content_hash, contents_of
from connecta.failures import Failure
from connecta.state.values import Values
from connecta.text import compact


class PinnedServer(Server, Protocol):
    """``fingerprint`` is another one once the connector points elsewhere."""

    @property
    def fingerprint(self) -> str: ...


class PinningMcpConnection(McpConnection):
    """Each resource is fetched once for the whole fleet and kept to for ``ui_pinned_s``; one that could not be had is
    not asked for again for ``ui_unpinned_s``."""

    def __init__(
        self, server: PinnedServer, values: Values | None, authorizations: Authorizations | None = None
    ) -> None:
        super().__init__(server, authorizations)
        self._pinned = server
        self._values = values
        self._turn = asyncio.Lock()

    async def ui_hash(self, uri: str) -> str | None:
        limits = self._pinned.limits
        # A program's parallel calls name the same resource: the first asks, the others then know.
        async with self._turn:
            known = None if self._values is None else await self._values.read(self._pinned.id, self._key(uri))
            if known is not None:
                return known[0] if isinstance(known[0], str) else None
            found = None
            with suppress(Failure, TimeoutError):
                async with asyncio.timeout(limits.ui_read_s):
                    found = await self._fetched(uri)
            if self._values is not None:
                kept_s = limits.ui_unpinned_s if found is None else limits.ui_pinned_s
                await self._values.write(self._pinned.id, self._key(uri), found, kept_s)
            return found

    async def _fetched(self, uri: str) -> str | None:
        session = await self._session()
        answer = await session.read(uri)
        return content_hash(contents_of(uri, answer.get("contents")))

    def _key(self, uri: str) -> str:
        return compact(["ui", self._pinned.fingerprint, uri])
