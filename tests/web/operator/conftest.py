"""The whole application in this process, with its table, its vault and a person at a browser."""

import re
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest

from connecta import Connecta
from connecta.auth.sign_in.hashes import hashed
from connecta.auth.sign_in.passphrases import OWNER
from connecta.auth.sign_in.seals import Seals
from connecta.auth.sign_in.secret import FILE_VARIABLE, secret_text
from connecta.auth.sign_in.sessions import Sessions, new_session
from connecta.auth.vault.keys import FILE_VARIABLE as KEY_FILE_VARIABLE
from connecta.composition import Application, compose
from connecta.limits import LIMITS
from connecta.state.owners import digest
from tests.fixtures.dynamodb import TABLE
from tests.fixtures.keyed_mcp import KeyedMcp, keyed_mcp
from tests.fixtures.oauth import ORIGIN, moto_url
from tests.fixtures.operated import KEY, operated

__all__ = ["moto_url"]

PASSPHRASE: Final = "correct horse battery staple"
SIGNING_KEY: Final = "k" * 64
KEPT: Final = secret_text(SIGNING_KEY, hashed(PASSPHRASE))
COOKIE: Final = "__Host-connecta-session"
HERE: Final = {"origin": ORIGIN, "sec-fetch-site": "same-origin"}


@dataclass
class Person:
    """Somebody at a browser, which keeps their cookies."""

    http: httpx2.AsyncClient

    async def get(self, path: str) -> httpx2.Response:
        return await self.http.get(path)

    async def token(self, path: str, page: str) -> str:
        """What makes the form on ``page`` that goes to ``path`` one of that page."""
        return token_in((await self.get(page)).text, path)

    async def send(self, path: str, page: str, /, **fields: str) -> httpx2.Response:
        """Sends the form on ``page`` that goes to ``path``."""
        unseen = unseen_in((await self.get(page)).text, path)
        return await self.http.post(path, data={**unseen, **fields}, headers=HERE)

    async def told(self, path: str, page: str, /, **fields: str) -> str:
        """The notice on the page that comes after a form that was taken."""
        answer = await self.send(path, page, **fields)
        assert (answer.status_code, answer.headers["location"]) == (303, page), answer.text
        return notice_in(await self.get(page))

    def sign_in(self, deployment: str) -> None:
        """Has the session that the passphrase gives, without its cost."""
        sessions = Sessions(Seals(SIGNING_KEY.encode(), deployment), LIMITS, time.time(), lambda _: True)
        self.http.cookies.set(COOKIE, sessions.text(new_session(OWNER)), domain=self.http.base_url.host, path="/")


def token_in(page: str, path: str) -> str:
    return unseen_in(page, path)["token"]


def unseen_in(page: str, path: str) -> dict[str, str]:
    """The fields that the form on ``page`` that goes to ``path`` carries unseen."""
    form = re.search(rf'<form[^>]* action="{re.escape(path)}(?:\?[^"]*)?"[^>]*>(.*?)</form>', page, re.DOTALL)
    assert form is not None, f"no form goes to {path}"
    found: list[tuple[str, str]] = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', form[1])
    return {name: unescape(value) for name, value in found}


def notice_in(page: httpx2.Response) -> str:
    [notice] = re.findall(r'<p class="note good" role="status">(.*?)</p>', page.text)
    return unescape(notice)


def alert_in(page: httpx2.Response) -> str:
    [alert] = re.findall(r'role="alert">(.*?)</p>', page.text)
    return unescape(re.sub(r"<[^>]*>", "", alert))


@pytest.fixture
def shelf() -> Iterator[KeyedMcp]:
    with keyed_mcp(f"Bearer {KEY}") as served:
        yield served


@pytest.fixture
def environ(tmp_path: Path) -> Mapping[str, str]:
    secret = tmp_path / "sign-in.json"
    secret.write_text(KEPT)
    return {FILE_VARIABLE: str(secret), KEY_FILE_VARIABLE: str(tmp_path / "key")}


@pytest.fixture
def deployment(shelf: KeyedMcp, request: pytest.FixtureRequest) -> Connecta:
    """Under a name no other test uses; ``request.param`` are options of it."""
    options: dict[str, Any] = getattr(request, "param", {})
    name = f"h{digest(request.node.nodeid)[:24].lower()}"
    usual: dict[str, Any] = {"name": name, "public_url": ORIGIN}
    return operated(shelf.url, **{**usual, **options})


@pytest.fixture
async def house(moto_url: str, deployment: Connecta, environ: Mapping[str, str]) -> AsyncIterator[Application]:
    application = compose(deployment, table=TABLE, endpoint_url=moto_url, environ=environ)
    yield application
    await application.close()


@asynccontextmanager
async def browsing(house: Application, *, origin: str = ORIGIN, address: str = "203.0.113.9") -> AsyncGenerator[Person]:
    transport = httpx2.ASGITransport(app=house.asgi, client=(address, 50_000))
    async with httpx2.AsyncClient(transport=transport, base_url=origin) as http:
        yield Person(http)


@pytest.fixture
async def person(house: Application, deployment: Connecta) -> AsyncIterator[Person]:
    """Somebody who has signed in."""
    async with browsing(house) as person:
        person.sign_in(deployment.name)
        yield person
