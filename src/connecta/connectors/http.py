"""``ctx.http``: the HTTP client of an ``api`` tool, confined to its connector's ``base_url``."""

import json
from collections.abc import Mapping
from typing import NoReturn
from urllib.parse import unquote

import httpx2

from connecta import failures
from connecta.auth.credentials import DownstreamAuth, headers_for, missing
from connecta.connectors.answers import failure_of
from connecta.text import Json

Param = str | int | float | bool | None
Params = Mapping[str, "Param | list[Param]"]


class Http:
    """One call's client. Every method takes a path under ``base_url`` and raises ``Failure`` for whatever is not a
    success: 401/403 ``auth_required``, 404 ``not_found``, 429 ``rate_limited``, 5xx and network ``unavailable``,
    anything else ``connector_call_failed``. Redirects are never followed."""

    def __init__(
        self,
        client: httpx2.AsyncClient,
        connector: str,
        operation: str,
        auth: DownstreamAuth | None,
        secret: str | None,
    ) -> None:
        self._client = client
        self._connector = connector
        self._operation = operation
        self._auth = auth
        self._headers = headers_for(auth, secret)

    async def get(self, path: str, *, params: Params | None = None) -> Json:
        """The parsed JSON of the answer; ``None`` for an empty one."""
        return self._parsed(await self._send("GET", path, params, None))

    async def post(self, path: str, *, params: Params | None = None, json: Json = None) -> Json:
        return self._parsed(await self._send("POST", path, params, json))

    async def put(self, path: str, *, params: Params | None = None, json: Json = None) -> Json:
        return self._parsed(await self._send("PUT", path, params, json))

    async def patch(self, path: str, *, params: Params | None = None, json: Json = None) -> Json:
        return self._parsed(await self._send("PATCH", path, params, json))

    async def delete(self, path: str, *, params: Params | None = None, json: Json = None) -> Json:
        return self._parsed(await self._send("DELETE", path, params, json))

    async def get_bytes(self, path: str, *, params: Params | None = None) -> bytes:
        """The body as it came, for images and files."""
        return await self._send("GET", path, params, None)

    async def _send(self, method: str, path: str, params: Params | None, body: Json) -> bytes:
        sent = {name: value for name, value in (params or {}).items() if value is not None}
        try:
            response = await self._client.request(
                method, self._confined(path), params=sent, json=body, headers=self._headers, follow_redirects=False
            )
        except (httpx2.InvalidURL, UnicodeEncodeError):
            raise failures.invalid_args(
                f'The arguments make a request that cannot be sent to "{self._connector}": a URL that is too long or '
                "none, or text that is no UTF-8."
            ) from None
        failure = failure_of(
            response.status_code,
            response.headers,
            self._connector,
            lambda: missing(self._auth, self._connector, self._operation),
        )
        if failure is not None:
            raise failure
        return response.content

    def _confined(self, path: str) -> str:
        """``path`` under ``base_url``. Arguments end up in it, so it may not climb, branch off or carry a query."""
        plain = unquote(path)
        climbs = any(part in (".", "..") for part in plain.replace("\\", "/").split("/"))
        if not path.startswith("/") or path.startswith("//") or climbs or set("?#\\") & set(path):
            raise failures.invalid_args(
                f'The arguments make a path "{self._connector}" cannot have: it must stay inside its base URL, '
                "without '?', '#', '\\' or '..'."
            )
        if not plain.isprintable():
            raise failures.invalid_args(f'The arguments make a path for "{self._connector}" with control characters.')
        return path

    def _parsed(self, body: bytes) -> Json:
        if not body:
            return None
        try:
            return json.loads(body, parse_constant=_not_json)
        except (ValueError, RecursionError):
            raise failures.call_failed(f'"{self._connector}" answered with something that is not JSON.') from None


def _not_json(constant: str) -> NoReturn:
    raise ValueError(constant)
