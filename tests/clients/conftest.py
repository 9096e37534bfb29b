"""A deployment people sign in to on the local server, and what other people's clients need to find it."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients.person import Person, person_at
from tests.fixtures.chromium import chromium
from tests.fixtures.local_server import LocalServer, running_local_server
from tests.fixtures.node import NodeProject, installed_project
from tests.fixtures.sam import ROOT, require
from tests.local.doctor.conftest import DEPLOYMENT, set_passphrase
from tests.sign_in.browser import running_browser

__all__ = ["chromium"]

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    data = tmp_path_factory.mktemp("clients")
    set_passphrase(data)
    with running_local_server(data, DEPLOYMENT, {"DOCTORED_TOKEN": "unused"}) as server:
        yield server


@pytest.fixture(scope="session")
def npm_clients() -> NodeProject:
    return installed_project(HERE)


@pytest.fixture(scope="session")
def fastmcp_python() -> Path:
    """The interpreter of the environment that holds ``fastmcp``."""
    return require(ROOT / ".venv-clients" / "bin" / "python")


@pytest.fixture(scope="session")
def person(npm_clients: NodeProject, chromium: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Person]:
    folder = tmp_path_factory.mktemp("person")
    path = os.pathsep.join((str(npm_clients.node.parent), os.environ.get("PATH", os.defpath)))
    with (
        running_browser(installed_project(HERE.parent / "sign_in"), chromium, folder) as browser,
        person_at(browser, folder, path) as person,
    ):
        yield person
