"""People who sign in: real processes over TLS, a real browser, a real identity provider."""

import json
import subprocess
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from connecta.auth.sign_in.hashes import hashed
from connecta.auth.sign_in.secret import secret_text
from tests.fixtures.chromium import chromium
from tests.fixtures.node import NodeProject, installed_project
from tests.fixtures.oauth import moto_url
from tests.fixtures.over_tls import SECRET_FILE, START_S, running_over_tls
from tests.fixtures.processes import free_port, wait_for_port
from tests.sign_in.browser import Browser, running_browser

__all__ = ["chromium", "moto_url"]

PASSPHRASE = "correct horse battery staple"
KEY = "k" * 64
CLIENT_SECRET = "the client's & secret"


@dataclass(frozen=True)
class Served:
    """A deployment that is running, and the file its sign-in rests on."""

    origin: str
    secret: Path


@pytest.fixture(scope="session")
def node_project() -> NodeProject:
    return installed_project(Path(__file__).parent)


@pytest.fixture(scope="session")
def browser(node_project: NodeProject, chromium: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with running_browser(node_project, chromium, tmp_path_factory.mktemp("browser")) as browser:
        yield browser


@pytest.fixture(scope="session")
def kept() -> str:
    """What is kept of ``PASSPHRASE``, made once: it takes the time it was made to take."""
    return secret_text(KEY, hashed(PASSPHRASE))


@pytest.fixture(scope="session")
def served(moto_url: str, kept: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A deployment people sign in to with ``PASSPHRASE``."""
    with running_deployment(tmp_path_factory.mktemp("served"), kept, moto_url, "passphrase") as served:
        yield served


@pytest.fixture(scope="session")
def served_with_provider(
    moto_url: str, kept: str, node_project: NodeProject, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """A deployment people sign in to at a provider that is a process of its own."""
    folder, at, port = tmp_path_factory.mktemp("provider"), free_port(), free_port()
    provider: dict[str, Any] = {
        "issuer": f"http://127.0.0.1:{at}",
        "client_id": "connecta",
        "allow": ["ALICE@example.com", "mallory@example.com", "bob"],
        "name": "Example ID",
        "env": "PROVIDER_SECRET",
        "allow_private": True,
    }
    redirect = f"https://127.0.0.1:{port}/oauth/sign-in/callback"
    command = [node_project.node, node_project.folder / "provider.js", str(at), redirect]
    log = folder / "provider.log"
    with log.open("wb") as output, subprocess.Popen(command, stdout=output, stderr=output) as process:
        try:
            wait_for_port(at, process, log, START_S)
            with running_deployment(folder, kept, moto_url, "provider", port, provider) as served:
                yield served
        finally:
            process.terminate()


@contextmanager
def running_deployment(
    folder: Path,
    kept: str,
    table_url: str,
    name: str,
    port: int | None = None,
    provider: dict[str, Any] | None = None,
) -> Generator[Served]:
    environ = {
        "NAME": name,
        "TABLE_URL": table_url,
        "PROVIDER_SECRET": CLIENT_SECRET,
        "PROVIDER": json.dumps(provider) if provider else "",
    }
    with running_over_tls("tests.sign_in.process", folder, kept, environ, port) as origin:
        yield Served(origin, folder / SECRET_FILE)
