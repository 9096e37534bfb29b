"""What one request loads of the catalogs: a few at once, each for itself ("Catalogs")."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from connecta.connectors.model import Connection
from connecta.limits import LIMITS, Limits
from tests.fixtures.scopes import bench
from tests.fixtures.shelf import Downstream, ShelfConnector, tool

ONE = (tool("one"),)


@dataclass(frozen=True)
class Shelf(ShelfConnector):
    """A connector whose requests reach ``downstream``."""

    cacheable_catalog: bool = False
    downstream: Downstream = field(default_factory=Downstream)

    def open(self, values: object = None, authorizations: object = None) -> Connection:
        return self.downstream


def ids(shelves: Sequence[Shelf]) -> list[str]:
    return [shelf.id for shelf in shelves]


async def test_four_catalogs_load_at_once_and_the_others_as_soon_as_one_is_there() -> None:
    gates = [asyncio.Event() for _ in range(7)]
    shelves = [Shelf(f"c{number}", downstream=Downstream(ONE, let_go=gate)) for number, gate in enumerate(gates)]
    async with bench(shelves).scope() as scope:
        loading = asyncio.create_task(scope.available(ids(shelves)))
        await asyncio.gather(*(shelf.downstream.arrived.wait() for shelf in shelves[: LIMITS.catalog_loads]))
        for _ in range(50):
            await asyncio.sleep(0)
        assert [shelf.downstream.asked for shelf in shelves] == [1, 1, 1, 1, 0, 0, 0]
        gates[2].set()
        await shelves[4].downstream.arrived.wait()
        assert [shelf.downstream.asked for shelf in shelves] == [1, 1, 1, 1, 1, 0, 0]
        for gate in gates:
            gate.set()
        loaded, failed = await loading
    assert ([catalog.connector.id for catalog in loaded], failed) == (ids(shelves), {})


async def test_a_catalog_s_deadline_is_its_own_and_begins_when_it_is_asked_for() -> None:
    """Five that never answer, of which only four find room at first, and one behind them that does."""
    hanging = [Shelf(f"hangs{number}", downstream=Downstream(let_go=asyncio.Event())) for number in range(5)]
    well = Shelf("well", downstream=Downstream(ONE))
    async with bench([*hanging, well], limits=Limits(catalog_load_s=0.4)).scope() as scope:
        loaded, failed = await scope.available(ids([*hanging, well]))
    assert [catalog.connector.id for catalog in loaded] == ["well"]
    assert {name: failure.envelope() for name, failure in failed.items()} == {
        name: {
            "code": "catalog_lookup_failed",
            "message": f'"{name}" did not list its tools within 0.4 s.',
            "retryable": True,
        }
        for name in ids(hanging)
    }
    assert [shelf.downstream.asked for shelf in hanging] == [1] * 5


async def test_without_a_table_a_request_still_has_its_catalogs() -> None:
    shelf = Shelf("notes", cacheable_catalog=True, downstream=Downstream(ONE))
    async with bench([shelf]).scope() as scope:
        assert (await scope.catalog("notes")).tools == ONE
