"""Which bucket a request takes from, and the answer where that is empty.

The address is the gateway's own field (``requestContext.http.sourceIp``, which Mangum makes the ASGI client), never a
header: those are the client's to choose.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from ipaddress import ip_address, ip_network
from math import ceil
from typing import Final, TypeAlias

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from connecta.auth.authenticator import LOCAL, bearer_token, is_this_machine
from connecta.auth.authorization_server.errors import slow_down
from connecta.auth.authorization_server.metadata import AUTHORIZE_PATH
from connecta.auth.authorization_server.throttle import source_of
from connecta.auth.buckets import Buckets, Size
from connecta.auth.callers import Caller
from connecta.auth.downstream.model import CALLBACK_PATH
from connecta.auth.sign_in.provider import CALLBACK_PATH as SIGNED_IN_PATH
from connecta.failures import rate_limited
from connecta.limits import Limits
from connecta.protocol.wire import RATE_LIMITED, RequestId, RpcError, read_body
from connecta.web.bodies import body_within
from connecta.web.operator.places import is_operator_place

CLAUDE: Final = "claude"
_CLAUDE_NETWORKS: Final = (ip_network("160.79.104.0/21"), ip_network("2607:6bc0::/48"))
"""Where Claude's own servers call from, for all their users."""
_OAUTH_PAGES: Final = "/oauth/"


def tier_of(address: str) -> str:
    """Whose bucket an address takes from: ``claude``, all its servers' together, or its own; IPv6 by network of 64
    bits."""
    source = source_of(address)
    try:
        first = ip_address(source.partition("/")[0])
    except ValueError:
        return source
    return CLAUDE if any(first in network for network in _CLAUDE_NETWORKS) else source


class Throttle:
    """Decides for one deployment. Shared by all requests."""

    def __init__(self, buckets: Buckets, limits: Limits, *, local: bool) -> None:
        self._buckets = buckets
        self._local = local
        self._limits = limits
        self._good: OrderedDict[bytes, None] = OrderedDict()

    async def caller_wait_s(self, caller: Caller, address: str) -> float:
        """Takes one request of a caller that was identified: by subject, or where everybody comes in by address.
        Returns the seconds until there is one, 0 when there was: always, where a machine serves itself."""
        limits = self._limits
        if caller.kind == LOCAL.kind:
            return 0
        if caller.kind != "open":
            size = Size(limits.caller_burst, limits.caller_per_s)
            return await self._buckets.take(f"caller {caller.kind} {_digest(caller.subject).hex()}", size)
        if self._local and is_this_machine(address):
            return 0
        claude = Size(limits.claude_burst, limits.claude_per_s)
        other = Size(limits.stranger_burst, limits.stranger_per_s)
        return await self._buckets.take(*_of_address("open", address, claude, other))

    def token_wait_s(self, headers: Mapping[str, str], address: str) -> float:
        """Seconds until a token from this address is looked at again, after too many nobody knows. A token this
        process has found good does not wait for what its neighbours try."""
        token = bearer_token(headers.get("authorization"))
        if token is None or _digest(token) in self._good:
            return 0
        return self._buckets.wait_s(*self._failed(address))

    async def token_failed(self, headers: Mapping[str, str], address: str) -> float:
        """Notes a token that was not good; the same seconds as above."""
        token = bearer_token(headers.get("authorization"))
        if token is None:
            return 0
        self._good.pop(_digest(token), None)
        return await self._buckets.take(*self._failed(address))

    def token_was_good(self, caller: Caller, headers: Mapping[str, str]) -> None:
        token = bearer_token(headers.get("authorization"))
        if token is not None and caller.kind != "open":
            self._good[_digest(token)] = None
            self._good.move_to_end(_digest(token))
            while len(self._good) > self._limits.tokens_remembered:
                self._good.popitem(last=False)

    async def page_wait_s(self, address: str) -> float:
        """Takes one request for a page or an endpoint of signing in; the seconds until there is one."""
        limits = self._limits
        claude = Size(limits.page_claude_burst, limits.page_claude_per_s)
        other = Size(limits.page_burst, limits.page_per_s)
        return await self._buckets.take(*_of_address("page", address, claude, other))

    def _failed(self, address: str) -> tuple[str, Size]:
        limits = self._limits
        claude = Size(limits.failed_claude_burst, limits.failed_claude_per_s)
        return _of_address("failed", address, claude, Size(limits.failed_burst, limits.failed_per_s))


def _of_address(kind: str, address: str, claude: Size, other: Size) -> tuple[str, Size]:
    """The bucket of this ``kind`` that an address takes from."""
    tier = tier_of(address)
    return f"{kind} {tier}", claude if tier == CLAUDE else other


ThrottledPage: TypeAlias = Callable[[Request, str, int], Awaitable[Response]]
"""The page that says ``message`` under a status."""


class PageThrottle:
    """Answers 429 to an address that asks for too much of ``/oauth/`` and of the operator's pages; ``page`` makes the
    one for a person."""

    def __init__(self, app: ASGIApp, *, throttle: Throttle, page: ThrottledPage) -> None:
        self._app = app
        self._throttle = throttle
        self._page = page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _is_page(scope["path"]):
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        wait_s = await self._throttle.page_wait_s(request.client.host if request.client else "")
        answer = self._app if wait_s == 0 else await self._refusal(request, wait_s)
        await answer(scope, receive, send)

    async def _refusal(self, request: Request, wait_s: float) -> Response:
        if _is_for_people(request.url.path):
            message = f"Too many requests came from your network. Try again in {_seconds(wait_s)}."
            answer = await self._page(request, message, HTTPStatus.TOO_MANY_REQUESTS)
            answer.headers["retry-after"] = str(ceil(wait_s))
            return answer
        error = slow_down(wait_s)
        return JSONResponse(error.body(), error.status, _headers(wait_s))


def _is_page(path: str) -> bool:
    return path.startswith(_OAUTH_PAGES) or is_operator_place(path)


def _is_for_people(path: str) -> bool:
    """Whether a browser is there; at the others of these places programs are, which read JSON."""
    places = (AUTHORIZE_PATH, SIGNED_IN_PATH)
    return path in places or path.startswith(CALLBACK_PATH) or is_operator_place(path)


async def too_many(request: Request, wait_s: float, limits: Limits, *, of_tokens: bool = False) -> Response:
    """429 to an MCP client, as the JSON-RPC error it shows its agent: what to do, and when (RFC 6585 4).

    Raises ``ClientDisconnect``.
    """
    why = "Too many tokens from this address were not valid" if of_tokens else "Too many requests at once"
    failure = rate_limited(f"{why}. Wait {_seconds(wait_s)}, then try the same again.", ceil(wait_s))
    data = {name: value for name, value in failure.envelope().items() if name != "message"}
    error = RpcError(RATE_LIMITED, failure.message, data, status=HTTPStatus.TOO_MANY_REQUESTS)
    return JSONResponse(error.reply(await _id_of(request, limits)).body, error.status, _headers(wait_s))


async def _id_of(request: Request, limits: Limits) -> RequestId | None:
    """The id an answer has to name; ``None`` for what is long or cannot be read."""
    body = await body_within(request, limits.refused_bytes)
    try:
        return None if body is None else read_body(body, limits).id
    except RpcError:
        return None


def _headers(wait_s: float) -> dict[str, str]:
    return {"retry-after": str(ceil(wait_s)), "cache-control": "no-store", "x-content-type-options": "nosniff"}


def _seconds(wait_s: float) -> str:
    return "1 second" if ceil(wait_s) == 1 else f"{ceil(wait_s)} seconds"


def _digest(text: str) -> bytes:
    """Neither tokens nor who holds them lie about in memory, or in the table, longer than they must."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
