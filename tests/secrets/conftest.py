"""Downstreams that say everything back, and what is heard on the way to them."""

import json
from collections.abc import Iterator
from contextlib import closing, suppress
from http.client import HTTPConnection
from urllib.parse import parse_qsl, urlsplit

import pytest

from tests.auth.downstream.downstreams import sdk_downstream
from tests.fixtures.faulty_proxy import Asked, Forward, Proxy, Told, running_proxy
from tests.secrets.echo import running_echo
from tests.secrets.ledger import Ledger
from tests.web.conftest import moto_url

__all__ = ["moto_url"]

TOKENS = ("access_token", "refresh_token", "client_secret", "code_verifier", "code", "token")


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


@pytest.fixture
def echo() -> Iterator[str]:
    with running_echo() as url:
        yield url


@pytest.fixture
def notes(ledger: Ledger, echo: str) -> Iterator[Proxy]:
    """An MCP server that says back, with the SDK's authorization server under the same origin. Whatever is secret
    between it and us is in ``ledger``."""
    with sdk_downstream() as sdk, running_proxy(sdk.origin) as proxy:

        def heard(said: dict[str, str]) -> None:
            for name in TOKENS:
                if isinstance(said.get(name), str) and said[name]:
                    ledger.plant(f"downstream {name}", said[name])

        def fault(asked: Asked, forward: Forward) -> Told:
            if asked.place.startswith("/mcp"):
                return _echoed(asked, proxy, echo)
            heard(dict(parse_qsl(asked.body.decode("utf-8", "replace"))))
            told = forward(asked)
            body = told.body.replace(sdk.origin.encode(), proxy.origin.encode())
            with suppress(ValueError):
                heard(json.loads(body))
            if asked.place == "/token" and told.status >= 400:
                body = json.dumps({"error": "invalid_grant", "error_description": asked.body.decode()}).encode()
            return Told(told.status, told.headers, body)

        proxy.fault = fault
        yield proxy


def _echoed(asked: Asked, proxy: Proxy, echo: str) -> Told:
    """Only whoever has a token is said anything back to."""
    if "authorization" not in asked.headers:
        named = f'Bearer resource_metadata="{proxy.origin}/.well-known/oauth-protected-resource/mcp"'
        return Told(401, [("www-authenticate", named)])
    there = urlsplit(echo)
    with closing(HTTPConnection(there.hostname or "", there.port, timeout=60)) as connection:
        connection.request(asked.method, asked.path, asked.body, dict(asked.headers))
        answer = connection.getresponse()
        kept = [pair for pair in answer.getheaders() if pair[0].lower() not in ("content-length", "date", "server")]
        return Told(answer.status, kept, answer.read())
