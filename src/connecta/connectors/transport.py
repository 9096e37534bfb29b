"""HTTP that goes to one origin and nowhere else: the transport under every downstream.

It refuses plain HTTP and addresses that are not public (unless the connector says ``allow_private``), connects to
the very address it checked, ignores proxies, reads bounded bodies, takes no compressed ones, and answers every
network trouble as a ``Failure``.
"""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Callable, Iterable
from functools import cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Final, cast

import httpcore2
import httpx2

from connecta import failures
from connecta.failures import Failure

SocketOption = tuple[int, int, int] | tuple[int, int, bytes | bytearray] | tuple[int, int, None, int]

KEEPALIVE_S: Final = 5.0
CONNECTIONS: Final = 20
"""Per request of ours and downstream: as many as two full batches."""


@cache
def tls() -> ssl.SSLContext:
    """One per process: loading the trust store costs more than a request."""
    return ssl.create_default_context()


_DRESSED_IPV4: Final = tuple(map(IPv6Network, ("::ffff:0:0/96", "::ffff:0:0:0/96", "::/96", "64:ff9b::/96")))
_NOT_PUBLIC: Final = tuple(map(IPv6Network, ("fec0::/10", "2002::/16", "2001::/32", "64:ff9b:1::/48")))
"""Site-local, and tunnels to whatever IPv4 address is written inside (6to4, Teredo, a network's own NAT64), of which
Python's own judgement differs from one patch release to another."""


def is_public(address: str) -> bool:
    """Whether ``address`` is on the public internet; an IPv4 address in IPv6 clothes (mapped, translated, compatible,
    behind NAT64) is judged as IPv4."""
    parsed = ip_address(address.partition("%")[0])
    if isinstance(parsed, IPv6Address):
        if any(parsed in network for network in _NOT_PUBLIC):
            return False
        if any(parsed in network for network in _DRESSED_IPV4):
            parsed = IPv4Address(int(parsed) & 0xFFFF_FFFF)
    return parsed.is_global and not parsed.is_multicast


class _Backend(httpcore2.AsyncNetworkBackend):
    """Resolves once, judges every address, and connects to what it judged (no second look-up to be fooled by)."""

    def __init__(self, who: str, allowed: Callable[[str], bool]) -> None:
        self._inner = cast("httpcore2.AsyncNetworkBackend", httpcore2.AnyIOBackend())
        self._who = who
        self._allowed = allowed

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's own signature
        local_address: str | None = None,
        socket_options: Iterable[SocketOption] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = list(dict.fromkeys(str(info[4][0]) for info in found))
        if not all(self._allowed(address) for address in addresses):
            raise failures.call_failed(
                f'"{self._who}" points at a network address this deployment does not connect to. Its owner allows '
                "private addresses with allow_private=True; plain http stays limited to them."
            )
        trouble: Exception = OSError("no address")
        for address in addresses:
            try:
                return await self._inner.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                trouble = error
        raise trouble

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)


class _BoundedBody(httpx2.AsyncByteStream):
    """A response body of at most ``limit`` bytes, whose troubles are ``Failure``s."""

    def __init__(self, inner: httpx2.AsyncByteStream, limit: int, who: str) -> None:
        self._inner = inner
        self._limit = limit
        self._who = who

    async def __aiter__(self) -> AsyncIterator[bytes]:
        read = 0
        try:
            async for chunk in self._inner:
                read += len(chunk)
                if read > self._limit:
                    raise too_large(self._who, self._limit)
                yield chunk
        except httpx2.TransportError as error:
            raise _trouble(self._who, error) from error

    async def aclose(self) -> None:
        await self._inner.aclose()


class GuardedTransport(httpx2.AsyncHTTPTransport):
    """Requests to the origin of ``url``, for the connector ``who``. Raises ``Failure`` only."""

    def __init__(self, url: str, who: str, *, allow_private: bool, limit: int) -> None:
        super().__init__(verify=tls(), trust_env=False)
        self._origin = _origin(httpx2.URL(url))
        self._who = who
        self._limit = limit
        self._plain_allowed = allow_private
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=tls(),
            max_connections=CONNECTIONS,
            keepalive_expiry=KEEPALIVE_S,
            network_backend=_Backend(who, _judge(httpx2.URL(url).scheme, allow_private)),
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if _origin(request.url) != self._origin or not (request.url.scheme == "https" or self._plain_allowed):
            raise failures.call_failed(f'"{self._who}" may only be reached at its own https address.')
        request.headers["accept-encoding"] = "identity"
        try:
            response = await super().handle_async_request(request)
        except (httpx2.TransportError, OSError, UnicodeError) as error:
            raise _trouble(self._who, error) from error
        refusal = self._refusal(response)
        if refusal is not None:
            await response.aclose()
            raise refusal
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _BoundedBody(response.stream, self._limit, self._who)
        return response

    def _refusal(self, response: httpx2.Response) -> Failure | None:
        """What can be known to be wrong before the body is read."""
        if response.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
            return failures.call_failed(f'"{self._who}" answered with a compressed body nobody asked for.')
        length = response.headers.get("content-length", "0")
        if length.isdigit() and int(length) > self._limit:
            return too_large(self._who, self._limit)
        return None


def guarded_client(url: str, who: str, *, allow_private: bool, limit: int) -> httpx2.AsyncClient:
    """A client for paths under ``url``. It has no timeout of its own: every call runs under its deadline."""
    return httpx2.AsyncClient(
        transport=GuardedTransport(url, who, allow_private=allow_private, limit=limit),
        base_url=url,
        timeout=None,
        trust_env=False,
        follow_redirects=False,
        headers={"user-agent": "connecta", "accept": "application/json"},
    )


def too_large(who: str, limit: int) -> Failure:
    return failures.result_too_large(
        f'"{who}" answered with more than {limit:,} bytes, which is the most read from a downstream. Ask it for less.'
    )


def _judge(scheme: str, allow_private: bool) -> Callable[[str], bool]:
    if not allow_private:
        return is_public
    if scheme == "https":
        return lambda _: True
    return lambda address: not is_public(address)


def _origin(url: httpx2.URL) -> tuple[str, str, int]:
    return url.scheme, url.host, url.port or (443 if url.scheme == "https" else 80)


def _trouble(who: str, error: Exception) -> Failure:
    """A network exception as what a caller may know of it."""
    if isinstance(error, httpx2.TimeoutException):
        return failures.timeout(f'"{who}" did not answer in time.')
    if _refused_tls(error):
        return failures.unavailable(
            f'"{who}" could not be reached securely: its TLS certificate cannot be trusted, or it does not speak TLS. '
            "Its owner has to correct that.",
            retryable=False,
        )
    if isinstance(error, httpx2.ConnectError | OSError | UnicodeError):
        return failures.unheard(f'"{who}" could not be reached.')
    if isinstance(error, httpx2.UnsupportedProtocol | httpx2.LocalProtocolError):
        return failures.call_failed(f'The request to "{who}" could not be sent as HTTP.')
    if isinstance(error, httpx2.RemoteProtocolError) and not str(error).startswith(_CUT_OFF):
        return failures.call_failed(f'"{who}" answered with something that is not HTTP.')
    return failures.unavailable(f'"{who}" broke off in the middle of its answer.')


_CUT_OFF: Final = ("Server disconnected", "peer closed connection")
"""How h11 and httpcore begin what they say of an answer that is HTTP as far as it goes."""


def _refused_tls(error: BaseException) -> bool:
    """Whether what is wrong is in the downstream's TLS, and not that it broke off in the middle of it."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLError):
            return not isinstance(cause, ssl.SSLEOFError | ssl.SSLZeroReturnError | ssl.SSLSyscallError)
        cause = cause.__cause__ or cause.__context__
    return False
