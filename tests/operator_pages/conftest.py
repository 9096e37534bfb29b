"""The owner at the pages: a real process over TLS, a real browser, a table and a vault."""

import asyncio
import subprocess
from collections.abc import AsyncGenerator, Generator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from connecta.auth.sign_in.hashes import hashed
from connecta.auth.sign_in.secret import secret_text
from connecta.auth.vault.keys import FILE_VARIABLE as KEY_FILE_VARIABLE
from connecta.auth.vault.keys import keys_in
from connecta.auth.vault.slots import Slots
from connecta.auth.vault.vault import Vault
from connecta.state import State, open_state
from tests.fixtures.chromium import chromium
from tests.fixtures.dynamodb import TABLE
from tests.fixtures.keyed_mcp import KeyedMcp, keyed_mcp
from tests.fixtures.node import NodeProject, installed_project
from tests.fixtures.oauth import moto_url
from tests.fixtures.operated import KEY
from tests.fixtures.over_tls import START_S, running_over_tls
from tests.fixtures.processes import free_port, wait_for_port
from tests.fixtures.sam import ROOT
from tests.sign_in.browser import Browser, running_browser

__all__ = ["chromium", "moto_url"]

PASSPHRASE: Final = "correct horse battery staple"


@dataclass(frozen=True)
class House:
    """A deployment that is running at ``origin``, whose table and vault can be looked into from here."""

    origin: str
    name: str
    table_url: str
    key_file: Path

    @asynccontextmanager
    async def state(self) -> AsyncGenerator[State]:
        state = open_state(TABLE, self.name, endpoint_url=self.table_url)
        yield state
        await state.close()

    def values(self, connector: str) -> dict[str, str] | None:
        """What the connector would read of its slot."""

        async def read() -> dict[str, str] | None:
            vault = Vault(keys_in({KEY_FILE_VARIABLE: str(self.key_file)}), self.name)
            async with self.state() as state:
                found = await Slots(state.credentials, vault).values(connector)
            await vault.close()
            return None if found is None else dict(found)

        return asyncio.run(read())


@pytest.fixture(scope="session")
def node_project() -> NodeProject:
    """The one of the sign-in pages: the same browser, the same ways to use it."""
    return installed_project(ROOT / "tests" / "sign_in")


@pytest.fixture(scope="session")
def browser(node_project: NodeProject, chromium: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with running_browser(node_project, chromium, tmp_path_factory.mktemp("browser")) as browser:
        yield browser


@pytest.fixture(scope="session")
def shelf() -> Iterator[KeyedMcp]:
    with keyed_mcp(f"Bearer {KEY}") as served:
        yield served


@pytest.fixture(scope="session")
def calendar_url(node_project: NodeProject, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A downstream with an authorization server of its own."""
    port, log = free_port(), tmp_path_factory.mktemp("calendar") / "server.log"
    command = [node_project.node, node_project.folder / "authorization_server.js", str(port)]
    with log.open("wb") as output, subprocess.Popen(command, stdout=output, stderr=output) as process:
        try:
            wait_for_port(port, process, log, START_S)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.terminate()


@pytest.fixture(scope="session")
def kept() -> str:
    """What is kept of ``PASSPHRASE``, made once: it takes the time it was made to take."""
    return secret_text("k" * 64, hashed(PASSPHRASE))


@pytest.fixture(scope="session")
def house(
    moto_url: str, kept: str, shelf: KeyedMcp, calendar_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[House]:
    with running_house(tmp_path_factory.mktemp("house"), kept, moto_url, "house", shelf.url, calendar_url) as house:
        yield house


@contextmanager
def running_house(
    folder: Path, kept: str, table_url: str, name: str, shelf_url: str, calendar_url: str
) -> Generator[House]:
    key_file = folder / "vault-key"
    environ = {
        "NAME": name,
        "TABLE_URL": table_url,
        "SHELF_URL": shelf_url,
        "CALENDAR_URL": calendar_url,
        KEY_FILE_VARIABLE: str(key_file),
    }
    with running_over_tls("tests.operator_pages.process", folder, kept, environ) as origin:
        yield House(origin, name, table_url, key_file)
