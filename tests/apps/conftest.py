"""Node's side of the tests: its packages, a browser, and a host driven in it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.apps.driver import Driver, running_driver
from tests.fixtures.chromium import chromium
from tests.fixtures.node import NodeProject, installed_project

__all__ = ["chromium"]


@pytest.fixture(scope="session")
def node_project() -> NodeProject:
    """This folder's scripts, with the packages they import."""
    return installed_project(Path(__file__).parent)


@pytest.fixture(scope="session")
def host(node_project: NodeProject, chromium: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    """An MCP Apps host in Chromium, one for the whole session."""
    with running_driver(node_project, chromium, tmp_path_factory.mktemp("apps")) as driver:
        yield driver
