"""Fixtures every folder shares. The plugins bring the built artifact and refuse skipped tests under CI."""

from collections.abc import Iterator

import pytest

from tests.fixtures.local_server import LocalServer, running_local_server

pytest_plugins = ["tests.fixtures.no_skips", "tests.fixtures.served"]


@pytest.fixture(scope="session")
def shop_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    """The example shop on the local server, one for the whole session."""
    with running_local_server(tmp_path_factory.mktemp("shop")) as server:
        yield server


@pytest.fixture(scope="session")
def shop_endpoint(shop_server: LocalServer) -> str:
    """The URL an MCP client is given; open, as on a developer's machine."""
    return shop_server.url
