"""One request's connection to a remote MCP server, kept by a task of its own.

The SDK's session lives in cancel scopes that must be entered and left in one task, while calls come from many tasks
and the end from yet another.
"""

import asyncio
import json
import logging
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from traceback import format_exception
from typing import TYPE_CHECKING, Final, Protocol

from connecta import failures
from connecta.auth.authorizations import Authorizations
from connecta.auth.credentials import DownstreamAuth
from connecta.connectors.identity import Identity
from connecta.connectors.mcp_tools import Era, Review, result_of, tools_of
from connecta.connectors.model import Tool, ToolResult
from connecta.failures import Failure
from connecta.limits import Limits
from connecta.text import Json

if TYPE_CHECKING:
    from connecta.connectors.mcp_client import McpSession
    from connecta.connectors.mcp_wire import Wire

LOG: Final = logging.getLogger("connecta.connectors.mcp")


class Server(Protocol):
    """What a connection needs to know of its connector."""

    id: str
    title: str | None
    url: str
    auth: DownstreamAuth | None
    allow_private: bool
    limits: Limits
    review: Review
    era: Era


@dataclass(slots=True)
class _Opening:
    """A session being opened or open, the task that owns it, and the sign for that task to end it."""

    wire: "Wire"
    ready: "asyncio.Future[McpSession]"
    end: asyncio.Event
    owner: "asyncio.Task[None]"
    waiting: int = 0

    @property
    def usable(self) -> bool:
        if self.wire.session_lost or self.owner.done():
            return False
        return not self.ready.done() or self.ready.exception() is None


class McpConnection:
    """Opens a session at the first need, again when it was lost, and ends every one it opened."""

    def __init__(self, server: Server, authorizations: Authorizations | None = None) -> None:
        self._server = server
        self._identity = Identity(server, authorizations)
        self._opening: _Opening | None = None
        self._owners: set[asyncio.Task[None]] = set()

    async def list_tools(self) -> Sequence[Tool]:
        limits = self._server.limits
        try:
            async with asyncio.timeout(limits.catalog_load_s):
                return tools_of(await self._entries(), self._server.review)
        except TimeoutError:
            raise failures.timeout(
                f'"{self._server.id}" did not list its tools within {limits.catalog_load_s:g} s.'
            ) from None

    async def call(self, tool: Tool, args: Mapping[str, Json], deadline_s: float) -> ToolResult:
        operation = failures.quote(f"{self._server.id}.{tool.name}")
        if not _encodable(args):
            raise failures.invalid_args(
                f"The arguments of {operation} hold half of a surrogate pair, which cannot be sent as UTF-8. Repair "
                "the text, for example with toWellFormed()."
            )
        try:
            async with asyncio.timeout(deadline_s):
                session = await self._session()
                raw = await session.call(tool.name, args, tool.input_schema)
        except TimeoutError:
            raise failures.timeout(f"{operation} did not answer within {failures.span(deadline_s)}.") from None
        except Failure as failure:
            # The session knows only whose credential it is, not which call wants it.
            raise failures.of_operation(failure, operation) from failure
        result = result_of(raw, operation)
        if self._identity.is_repeated(raw, in_error=result.is_error):
            raise failures.repeats_credential(operation, failed=result.is_error)
        return result

    async def close(self) -> None:
        """End every session, giving a stateful server the time of a courtesy to hear of it."""
        if self._opening is not None:
            self._opening.end.set()
        owners = list(self._owners)
        if owners:
            _, late = await asyncio.wait(owners, timeout=2 * self._server.limits.courtesy_s)
            for owner in late:
                owner.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    async def _entries(self) -> list[Json]:
        """Every page, in order; complete or a ``Failure``."""
        server = self._server
        session = await self._session()
        entries: list[Json] = []
        cursor: str | None = None
        for _ in range(server.limits.catalog_pages):
            page = await session.list_page(cursor)
            if self._identity.is_repeated(page):
                raise failures.catalog_failed(f'"{server.id}" repeats its credential in a tool.', retryable=False)
            listed, following = page.get("tools"), page.get("nextCursor")
            if not isinstance(listed, list):
                raise failures.catalog_failed(f'"{server.id}" answered without a list of tools.', retryable=False)
            entries.extend(listed)
            if len(entries) > server.limits.catalog_tools:
                break
            if not isinstance(following, str) or not following:
                return entries
            cursor = following
        raise failures.catalog_failed(
            f'"{server.id}" lists more than {server.limits.catalog_tools:,} tools or '
            f"{server.limits.catalog_pages} pages, and no part of a catalog is used.",
            retryable=False,
        )

    async def _session(self) -> "McpSession":
        """Raises ``auth_required`` where there is no credential to open one with."""
        # Ahead of the SDK, which takes longer to load than it takes to see that there is none.
        await self._identity.presented(self._server.id)
        opening = self._opening
        if opening is None or not opening.usable:
            if opening is not None:
                opening.end.set()
            opening = self._opening = self._open()
        opening.waiting += 1
        try:
            return await asyncio.shield(opening.ready)
        finally:
            opening.waiting -= 1
            # The last to give up on a session that does not come up must not leave it to the next call.
            if opening.waiting == 0 and not opening.ready.done():
                opening.owner.cancel()
                self._opening = None

    def _open(self) -> _Opening:
        from connecta.connectors.mcp_client import mcp_session, translator
        from connecta.connectors.mcp_wire import Tickets, Wire
        from connecta.connectors.transport import GuardedTransport

        server, limit = self._server, self._server.limits.downstream_bytes
        tickets = Tickets()
        wire = Wire(
            GuardedTransport(server.url, server.id, allow_private=server.allow_private, limit=limit),
            server.id,
            self._identity,
            tickets=tickets,
            limits=server.limits,
        )
        session = mcp_session(
            server.url,
            wire,
            server.era,
            translator(server.id, server.era, tickets, self._identity),
            limit,
        )
        ready: asyncio.Future[McpSession] = asyncio.get_running_loop().create_future()
        end = asyncio.Event()
        owner = asyncio.create_task(_own(server.id, session, ready, end, self._identity))
        self._owners.add(owner)
        owner.add_done_callback(self._owners.discard)
        return _Opening(wire, ready, end, owner)


async def _own(
    who: str,
    opened: "AbstractAsyncContextManager[McpSession]",
    ready: "asyncio.Future[McpSession]",
    end: asyncio.Event,
    identity: Identity,
) -> None:
    """Hold the session open until ``end``; ``ready`` hears how opening it went, whatever that was."""
    trouble = failures.unheard(f'The connection to "{who}" did not come up.')
    try:
        async with opened as session:
            ready.set_result(session)
            await end.wait()
    except Failure as failure:
        trouble = failure
    except Exception as error:
        if identity.is_repeated("".join(format_exception(error)), in_error=True):
            words = "the session with %s ended with %s, in words that repeat a credential and are left out"
            LOG.error(words, who, type(error).__name__)
        else:
            LOG.exception("the session with %s ended", who)
    finally:
        if not ready.done():
            ready.set_exception(trouble)
            ready.exception()  # Seen, even if every caller has gone.


def _encodable(args: Mapping[str, Json]) -> bool:
    """Whether ``args`` can be sent: the SDK writes JSON as plain UTF-8, which has no lone surrogates."""
    try:
        json.dumps(args, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True
