"""``ctx.http``: the HTTP client of an ``api`` tool, confined to its connector's ``base_url``."""

import codecs
import json
import re
from collections.abc import Callable, Mapping
from typing import Final, NoReturn
from urllib.parse import unquote

import httpx2

from connecta import failures
from connecta.auth.presented import Presented
from connecta.connectors.answers import failure_of
from connecta.connectors.identity import REFUSALS, Identity
from connecta.text import Json

Param = str | int | float | bool | None
Params = Mapping[str, "Param | list[Param]"]
Headers = Mapping[str, str]

_HEADER_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_OURS: Final = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "accept-encoding", "upgrade", "te", "trailer"}
)
"""Headers that say how a request is sent and not what it asks for."""
_ANYTHING: Final = {"accept": "*/*"}
_NO_CHARSETS: Final = frozenset({"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"})
"""Codecs Python has for text that no server writes; punycode's takes quadratic time."""
_DECODINGS: Final = 4
"""How often a path may be percent-encoded: each proxy on its way may undo one layer."""


class Http:
    """One call's client. Every method takes a path under ``base_url`` and raises ``Failure`` for whatever is not a
    success: 401/403 ``auth_required``, 404 ``not_found``, 429 ``rate_limited``, 5xx and network ``unavailable``,
    anything else ``connector_call_failed``. Redirects are never followed."""

    def __init__(
        self,
        client: Callable[[], httpx2.AsyncClient],
        connector: str,
        operation: str,
        identity: Identity,
        presented: Presented,
    ) -> None:
        self._client = client
        self._connector = connector
        self._operation = operation
        self._identity = identity
        self._presented = presented

    async def get(self, path: str, *, params: Params | None = None, headers: Headers | None = None) -> Json:
        """The parsed JSON of the answer; ``None`` for an empty one."""
        return self._parsed(await self._send("GET", path, params, headers, None))

    async def post(
        self, path: str, *, params: Params | None = None, json: Json = None, headers: Headers | None = None
    ) -> Json:
        return self._parsed(await self._send("POST", path, params, headers, json))

    async def put(
        self, path: str, *, params: Params | None = None, json: Json = None, headers: Headers | None = None
    ) -> Json:
        return self._parsed(await self._send("PUT", path, params, headers, json))

    async def patch(
        self, path: str, *, params: Params | None = None, json: Json = None, headers: Headers | None = None
    ) -> Json:
        return self._parsed(await self._send("PATCH", path, params, headers, json))

    async def delete(
        self, path: str, *, params: Params | None = None, json: Json = None, headers: Headers | None = None
    ) -> Json:
        return self._parsed(await self._send("DELETE", path, params, headers, json))

    async def get_text(self, path: str, *, params: Params | None = None, headers: Headers | None = None) -> str:
        """The body as text, in the charset the answer names, else UTF-8; what is not in it is replaced."""
        return _text(await self._send("GET", path, params, {**_ANYTHING, **(headers or {})}, None))

    async def get_bytes(self, path: str, *, params: Params | None = None, headers: Headers | None = None) -> bytes:
        """The body as it came, for images and files."""
        return (await self._send("GET", path, params, {**_ANYTHING, **(headers or {})}, None)).content

    async def _send(
        self, method: str, path: str, params: Params | None, headers: Headers | None, body: Json
    ) -> httpx2.Response:
        sent = {name: value for name, value in (params or {}).items() if value is not None}
        proper, target = self._proper(headers or {}), self._confined(path)

        async def answer() -> httpx2.Response:
            asked = {**proper, **self._presented.headers}
            return await self._client().request(
                method, target, params=sent, json=body, headers=asked, follow_redirects=False
            )

        try:
            response = await answer()
            if response.status_code in REFUSALS:
                # Whatever was refused was not done, so that a write may be sent again as well.
                self._presented = await self._identity.renewed(self._operation, self._presented, response)
                response = await answer()
        except (httpx2.InvalidURL, UnicodeEncodeError):
            raise failures.invalid_args(
                f'The arguments make a request that cannot be sent to "{self._connector}": a URL that is too long or '
                "none, or text that is no UTF-8."
            ) from None
        failure = failure_of(
            response.status_code,
            response.headers,
            self._connector,
            lambda: self._identity.refused(self._operation),
        )
        if failure is not None:
            raise failure
        return response

    def _confined(self, path: str) -> str:
        """``path`` under ``base_url``. Arguments end up in it, so it may not climb, branch off or carry a query."""
        if not path.startswith("/") or path.startswith("//") or set("?#\\") & set(path) or _climbs(path):
            raise failures.invalid_args(
                f'The arguments make a path "{self._connector}" cannot have: it must stay inside its base URL, '
                "without '?', '#', '\\' or '..'."
            )
        if not unquote(path).isprintable():
            raise failures.invalid_args(f'The arguments make a path for "{self._connector}" with control characters.')
        return path

    def _proper(self, headers: Headers) -> dict[str, str]:
        """``headers`` in lower case, so that none doubles one of the connector's own. Arguments end up in them."""
        proper = {name.lower(): value for name, value in headers.items()}
        for name, value in proper.items():
            if not _HEADER_NAME.fullmatch(name) or name in _OURS or not (value.isascii() and value.isprintable()):
                raise failures.invalid_args(
                    f'The arguments make a header "{self._connector}" cannot be sent: one line of printable ASCII, '
                    "and none of those that frame a request."
                )
        return proper

    def _parsed(self, response: httpx2.Response) -> Json:
        if not response.content:
            return None
        try:
            return json.loads(response.content, parse_constant=_not_json)
        except (ValueError, RecursionError):
            raise failures.call_failed(f'"{self._connector}" answered with something that is not JSON.') from None


def _text(response: httpx2.Response) -> str:
    try:
        charset = codecs.lookup(response.charset_encoding or "utf-8").name
        if charset.replace("_", "-") not in _NO_CHARSETS:
            return response.content.decode(charset, "replace")
    except (LookupError, ValueError):
        pass
    return response.content.decode("utf-8", "replace")


def _climbs(path: str) -> bool:
    """Whether any reading of ``path`` leads upwards: of a proxy that decodes it again, or of a server that takes a
    backslash for a slash or cuts off what follows a semicolon."""
    for _ in range(_DECODINGS):
        parts = path.replace("\\", "/").split("/")
        if any(part.partition(";")[0].strip() in (".", "..") for part in parts):
            return True
        plain = unquote(path)
        if plain == path:
            return False
        path = plain
    return True


def _not_json(constant: str) -> NoReturn:
    raise ValueError(constant)
