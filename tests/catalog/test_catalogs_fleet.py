"""Processes of their own that share one table and real downstreams ("Catalogs")."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import pytest

from examples.shop.servers import serving_process
from tests.fixtures.dynamodb import running_moto
from tests.fixtures.gated_mcp import GatedMcp, gated_mcp
from tests.fixtures.local_server import call_tool
from tools.events import TOKEN

Start = Callable[[], str]
FOUND = ["gated.look"]
CLIENTS = 10


@pytest.fixture
def downstream() -> Iterator[GatedMcp]:
    with gated_mcp() as running:
        yield running


@pytest.fixture
def start(downstream: GatedMcp, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Starts one more process of a fleet with a table of its own; gives the URL of its endpoint."""
    with ExitStack() as running:
        monkeypatch.setenv("FLEET_TABLE_URL", running.enter_context(running_moto()))
        monkeypatch.setenv("FLEET_MCP_URL", downstream.url)
        monkeypatch.setenv("FLEET_FRESH_S", "300")
        monkeypatch.setenv("CONNECTA_TOKEN", TOKEN)

        def one_more() -> str:
            return f"{running.enter_context(serving_process('tests.fixtures.fleet_process', 0))}/mcp"

        yield one_more


def search(url: str, connector: str | None = "gated") -> dict[str, Any]:
    arguments = {} if connector is None else {"connector": connector}
    return call_tool(url, "search_tools", {"limit": 100, **arguments}, token=TOKEN)["structuredContent"]


def addresses(page: dict[str, Any]) -> list[str]:
    return [tool["address"] for connector in page["connectors"] for tool in connector["tools"]]


def test_many_cold_loads_in_two_processes_ask_the_downstream_once(downstream: GatedMcp, start: Start) -> None:
    """One refresh per connector across the whole fleet, by lease; then a cold process asks nobody."""
    processes = [start(), start()]
    with ThreadPoolExecutor(2 * CLIENTS) as clients:
        pages = [clients.submit(search, url) for _ in range(CLIENTS) for url in processes]
        assert downstream.arrived.wait(30)
        downstream.gate.set()
        found = [addresses(page.result()) for page in pages]
    assert found == [FOUND] * 2 * CLIENTS
    assert downstream.listings() == 1
    before = list(downstream.asked)
    assert addresses(search(start())) == FOUND
    assert downstream.asked == before


def test_a_stale_catalog_is_answered_at_once_while_one_process_refreshes_it(
    downstream: GatedMcp, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The downstream does not answer again before both processes have answered."""
    downstream.gate.set()
    assert addresses(search(start())) == FOUND
    downstream.gate.clear()
    downstream.arrived.clear()
    monkeypatch.setenv("FLEET_FRESH_S", "0.001")
    processes = [start(), start()]
    with ThreadPoolExecutor(2 * CLIENTS) as clients:
        pages = [clients.submit(search, url) for _ in range(CLIENTS) for url in processes]
        found = [addresses(page.result()) for page in pages]
    assert found == [FOUND] * 2 * CLIENTS
    assert downstream.arrived.wait(30)
    assert downstream.listings() == 2


def test_a_connector_that_hangs_or_breaks_degrades_alone(
    downstream: GatedMcp, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    downstream.gate.set()
    monkeypatch.setenv("FLEET_LOAD_S", "4")
    page = search(start(), None)
    assert addresses(page) == FOUND
    assert page["queryAnalysis"]["unavailableConnectorCount"] == 2
