"""Fixtures every folder shares. The plugins bring the built artifact and refuse skipped tests under CI."""

import asyncio
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.fixtures import scopes
from tests.fixtures.local_server import LocalServer, running_local_server

# A property is tried with the same examples in every run of the same tests, however slow the machine is.
settings.register_profile("same", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("same")

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


@pytest.fixture(autouse=True)
def benches_are_closed() -> Iterator[None]:
    yield
    while scopes.OPENED:
        asyncio.run(scopes.OPENED.pop().close())
