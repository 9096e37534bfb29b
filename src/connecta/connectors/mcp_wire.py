"""HTTP under the MCP client: every trouble becomes an answer the client hands to the one request it belongs to.

The SDK's transport ends a whole session, and every call in flight on it, when one request raises. So nothing is
raised here: a ``Failure`` travels as a JSON-RPC error whose message is a ticket nobody else can write, and is
redeemed on the other side.
"""

import asyncio
import json
import re
import secrets
from collections.abc import AsyncIterator, Callable
from typing import Final

import httpx2

from connecta import failures
from connecta.connectors.answers import failure_of
from connecta.connectors.identity import REFUSALS, Identity
from connecta.connectors.transport import GuardedTransport
from connecta.failures import Failure
from connecta.limits import Limits
from connecta.text import Json, compact, json_object

SESSION_HEADER: Final = "mcp-session-id"
INITIALIZED: Final = "notifications/initialized"
"""The one notification an older server acts on: until it has it, it may refuse every call."""
EVENTS: Final = "text/event-stream"
MOVES: Final = 5
"""Requests made for one, each of the others moved by the server."""
NOTIFICATION_BYTES: Final = 4_096
"""The client's notifications are far smaller; a larger body is not parsed to see whether it is one."""
_ESCAPE: Final = re.compile(
    rb"\\(?:\\|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2}))"
)
"""In a JSON text, an escaped backslash, which makes no escape of what follows, a surrogate pair, or ``half`` of one."""


class Tickets:
    """Failures on their way through the SDK."""

    def __init__(self) -> None:
        self._held: dict[str, Failure] = {}

    def issue(self, failure: Failure) -> str:
        ticket = secrets.token_hex(16)
        self._held[ticket] = failure
        return ticket

    def redeem(self, ticket: str) -> Failure | None:
        return self._held.pop(ticket, None)


class Wire(httpx2.AsyncBaseTransport):
    """The transport of one MCP session. ``session_lost`` turns true when the downstream has forgotten the session."""

    def __init__(
        self,
        guarded: GuardedTransport,
        who: str,
        identity: Identity,
        *,
        tickets: Tickets,
        limits: Limits,
    ) -> None:
        self._guarded = guarded
        self._who = who
        self._identity = identity
        self._tickets = tickets
        self._limits = limits
        self.session_lost = False

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if request.method == "GET" and "last-event-id" not in request.headers:
            # A stream of server-initiated messages: nobody here would read them.
            return httpx2.Response(405)
        notification = _notification(request)
        courtesy = request.method == "DELETE" or notification not in (None, INITIALIZED)
        waited_for_s = self._limits.initialized_s if notification == INITIALIZED else None
        try:
            async with asyncio.timeout(self._limits.courtesy_s if courtesy else waited_for_s):
                return await self._answer(request, courtesy=courtesy)
        except Failure as failure:
            return _heard(request) if courtesy else self._carrying(failure)
        except TimeoutError:
            return _heard(request)

    async def aclose(self) -> None:
        await self._guarded.aclose()

    async def _answer(self, request: httpx2.Request, *, courtesy: bool) -> httpx2.Response:
        used = self._identity.shown
        response = await self._sent(request)
        # Not for a courtesy: its few tenths of a second are too short for a token to be refreshed in.
        if response.status_code in REFUSALS and not courtesy:
            await response.aclose()
            # Whatever was refused was not done, so that a write may be sent again as well.
            await self._identity.renewed(self._who, used, response)
            response = await self._sent(request)
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        refusal = self._refusal(request, response)
        if refusal is not None:
            await response.aclose()
            raise refusal
        if _media_type(response) == EVENTS:
            # Events are UTF-8. The client would go by any charset named beside, and Python has some that are none.
            response.headers["content-type"] = EVENTS
            response.stream = _TypedEvents(response.stream, self._event)
            return response
        try:
            body = b"".join([chunk async for chunk in response.stream])
        finally:
            await response.aclose()
        if request.method == "POST" and _notification(request) is None:
            self._check(response, body)
        return httpx2.Response(response.status_code, headers=response.headers, content=well_formed(body))

    async def _sent(self, request: httpx2.Request) -> httpx2.Response:
        """The answer to ``request``, also where the server moved it within its own origin. Too many moves would end
        the client's whole session, so that it sees none of them."""
        for name, value in self._identity.shown.headers.items():
            request.headers[name] = value
        for _ in range(MOVES):
            response = await self._guarded.handle_async_request(request)
            target = _moved_to(request, response)
            if target is None:
                return response
            await response.aclose()
            request = httpx2.Request(request.method, target, headers=request.headers, content=request.content)
        raise failures.call_failed(f'"{self._who}" redirects in circles.')

    def _refusal(self, request: httpx2.Request, response: httpx2.Response) -> Failure | None:
        """A status that says it all. A 4xx left over may come with a JSON-RPC error, which says more."""
        status = response.status_code
        if status == 404 and SESSION_HEADER in request.headers:
            self.session_lost = True
            return failures.unheard(f'"{self._who}" has ended the session; the same call starts another.')
        if 300 <= status < 400 or status in (401, 403, 408, 429) or status >= 500:
            return failure_of(status, response.headers, self._who, self._unauthorized)
        return None

    def _unauthorized(self) -> Failure:
        return self._identity.refused(self._who)

    def _check(self, response: httpx2.Response, body: bytes) -> None:
        """A JSON-RPC answer is one under any status, and without one a status stands for itself."""
        if response.status_code == 202 or _is_answer(response, body):
            return
        raise failure_of(response.status_code, response.headers, self._who, self._unauthorized) or not_mcp(self._who)

    def _carrying(self, failure: Failure) -> httpx2.Response:
        content = compact(self._error(failure)).encode()
        return httpx2.Response(400, headers={"content-type": "application/json"}, content=content)

    def _event(self, failure: Failure) -> bytes:
        """``failure`` as a server-sent event; what was begun before it becomes an event of a kind nobody reads."""
        return f"event: broken\n\nevent: message\ndata: {compact(self._error(failure))}\n\n".encode()

    def _error(self, failure: Failure) -> dict[str, Json]:
        # The client puts the id of the request it belongs to.
        return {"jsonrpc": "2.0", "id": None, "error": {"code": -32603, "message": self._tickets.issue(failure)}}


class _TypedEvents(httpx2.AsyncByteStream):
    """An event stream of well-formed text that ends with its failure as an event, where it fails."""

    def __init__(self, inner: httpx2.AsyncByteStream, event: Callable[[Failure], bytes]) -> None:
        self._inner = inner
        self._event = event

    async def __aiter__(self) -> AsyncIterator[bytes]:
        begun: list[bytes] = []
        try:
            async for chunk in self._inner:
                end = max(chunk.rfind(b"\n"), chunk.rfind(b"\r")) + 1
                if end:
                    # Whole lines: an escape is never cut in two.
                    yield well_formed(b"".join((*begun, chunk[:end])))
                    begun.clear()
                begun.append(chunk[end:])
        except Failure as failure:
            yield self._event(failure)

    async def aclose(self) -> None:
        await self._inner.aclose()


def well_formed(text: bytes) -> bytes:
    """JSON with a replacement character for each half of a surrogate pair, which the client's parser refuses with all
    that stands around it."""
    return _ESCAPE.sub(lambda escape: rb"\ufffd" if escape["half"] else escape[0], text)


def not_mcp(who: str) -> Failure:
    return failures.call_failed(f'"{who}" answered with something that is not MCP.')


def _is_answer(response: httpx2.Response, body: bytes) -> bool:
    """Whether ``body`` is a JSON-RPC response. The client would tell our caller what is wrong with any other."""
    if _media_type(response) != "application/json":
        return False
    try:
        message: Json = json.loads(body)
    except (ValueError, RecursionError):
        return False
    match message:
        case {"jsonrpc": "2.0", "id": str() | int(), "result": dict()}:
            return "error" not in message
        case {"jsonrpc": "2.0", "error": {"code": int(), "message": str()}}:
            return "result" not in message
        case _:
            return False


def _media_type(response: httpx2.Response) -> str:
    return response.headers.get("content-type", "").partition(";")[0].strip().lower()


def _notification(request: httpx2.Request) -> str | None:
    """The method of a notification, ``None`` for every other request."""
    if request.method != "POST" or len(request.content) > NOTIFICATION_BYTES:
        return None
    message = json_object(request.content)
    if message is None or "id" in message:
        return None
    return str(message.get("method"))


def _moved_to(request: httpx2.Request, response: httpx2.Response) -> httpx2.URL | None:
    """Where a redirect that keeps the method and the origin leads."""
    if response.status_code not in (307, 308) or not response.has_redirect_location:
        return None
    try:
        target = request.url.join(response.headers["location"])
    except httpx2.InvalidURL:
        return None
    same = (target.scheme, target.host, target.port) == (request.url.scheme, request.url.host, request.url.port)
    return target if same and not target.userinfo else None


def _heard(request: httpx2.Request) -> httpx2.Response:
    """What a server that listens says to a courtesy: nothing here depends on whether it did."""
    return httpx2.Response(204 if request.method == "DELETE" else 202)
