"""The doctor's own HTTP: no redirects, nothing longer than it has to be, and no secret where others could read it."""

import asyncio
import json
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, Final, cast
from urllib.parse import urlencode, urlsplit

import httpx2

from connecta.local.doctor.findings import Problem
from connecta.text import Json, JsonObject
from connecta.version import VERSION

BODY_BYTES: Final = 8 * 1024 * 1024
CONNECT_S: Final = 10.0
ANSWER_S: Final = 40.0
"""A request lasts up to 29 s behind API Gateway, and the first one starts a process."""


@dataclass(frozen=True, slots=True)
class Answer:
    """``headers`` have lower-case names."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Json:
        """Raises ``Problem``."""
        try:
            return cast("Json", json.loads(self.body))
        except (ValueError, RecursionError):
            raise Problem(f"The answer is not JSON (status {self.status}). {WHOSE}") from None

    def object(self) -> JsonObject:
        """Raises ``Problem``."""
        body = self.json()
        if not isinstance(body, dict):
            raise Problem(f"The answer is not a JSON object (status {self.status}). {WHOSE}")
        return body


WHOSE: Final = "Something else may answer at that address: check the URL, and what stands between it and the server."


def is_here(url: str) -> bool:
    """Whether ``url`` leads to this machine, where nobody listens in."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def keeps_secrets(url: str) -> bool:
    return urlsplit(url).scheme == "https" or (urlsplit(url).scheme == "http" and is_here(url))


class Wire:
    """One client for a whole visit. Cookies are the browser's part of it, and are kept only by ``browse``."""

    def __init__(self, tls: ssl.SSLContext) -> None:
        timeout = httpx2.Timeout(ANSWER_S, connect=CONNECT_S)
        # Whoever calls from outside does not go through this machine's proxy.
        self._client = httpx2.AsyncClient(verify=tls, timeout=timeout, follow_redirects=False, trust_env=False)
        self._cookies: dict[str, str] = {}

    async def close(self) -> None:
        await self._client.aclose()

    async def get(self, url: str) -> Answer:
        return await self._send("GET", url, {"accept": "application/json"}, None)

    async def post_json(self, url: str, message: Json, headers: Mapping[str, str], *, token: str | None) -> Answer:
        """``token`` goes along as a bearer token. Raises ``Problem`` rather than send one in the clear."""
        sent = {"accept": "application/json, text/event-stream", "content-type": "application/json", **headers}
        if token is not None:
            refuse_in_the_clear(url)
            sent["authorization"] = f"Bearer {token}"
        return await self._send("POST", url, sent, json.dumps(message).encode())

    async def post_form(self, url: str, form: Mapping[str, str]) -> Answer:
        """``form`` holds codes and tokens. Raises ``Problem`` rather than send them in the clear."""
        refuse_in_the_clear(url)
        sent = {"accept": "application/json", "content-type": "application/x-www-form-urlencoded"}
        return await self._send("POST", url, sent, _encoded(list(form.items())))

    async def browse(
        self, url: str, form: Sequence[tuple[str, str]] | None = None, *, origin: str | None = None
    ) -> Answer:
        """A page as a browser asks for it, with the cookies of the ones before; ``form`` is submitted.

        Raises ``Problem`` rather than send a form in the clear.
        """
        sent = {"accept": "text/html"}
        if self._cookies:
            refuse_in_the_clear(url)
            sent["cookie"] = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        body = None
        if form is not None:
            refuse_in_the_clear(url)
            sent |= {"content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin"}
            sent |= {} if origin is None else {"origin": origin}
            body = _encoded(form)
        return await self._send("GET" if form is None else "POST", url, sent, body, keep_cookies=True)

    async def _send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None, *, keep_cookies: bool = False
    ) -> Answer:
        sent = {"user-agent": f"connecta-doctor/{VERSION}", **headers}
        try:
            async with (
                asyncio.timeout(ANSWER_S),
                self._client.stream(method, url, headers=sent, content=body) as response,
            ):
                chunks: list[bytes] = []
                async for chunk in response.aiter_bytes():
                    chunks.append(chunk)
                    if sum(map(len, chunks)) > BODY_BYTES:
                        raise Problem(f"The answer is longer than {BODY_BYTES:,} bytes. {WHOSE}")
                if keep_cookies:
                    self._cookies |= {cookie.name: cookie.value or "" for cookie in response.cookies.jar}
                return Answer(response.status_code, dict(response.headers.items()), b"".join(chunks))
        except (httpx2.TimeoutException, TimeoutError):
            raise Problem(f"No whole answer came within {ANSWER_S:g} seconds. Look into the function's log.") from None
        except httpx2.InvalidURL:
            raise Problem("The server named an address that is none.") from None
        except httpx2.HTTPError as error:
            raise Problem(f"The connection broke ({type(error).__name__}). Look into the gateway's log.") from None
        finally:
            self._client.cookies.clear()


def refuse_in_the_clear(url: str) -> None:
    if not keeps_secrets(url):
        raise Problem("A secret would have to go over plain HTTP to another machine, so it was not sent. Use https.")


def _encoded(form: Sequence[tuple[str, str]]) -> bytes:
    return urlencode(form).encode()


def text_of(value: Any) -> str:
    return value if isinstance(value, str) else ""
