"""The seven tools over real services: an in-process connector, state on both emulators, real child processes."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from connecta.auth.callers import Caller
from connecta.limits import LIMITS, Limits
from connecta.program.admission import RunAdmission
from connecta.program.run import Programs
from connecta.sandbox.config import installed_config
from connecta.sandbox.sandbox import Sandbox
from connecta.text import JsonObject
from connecta.tools.definition import Answer, ToolRequest
from connecta.tools.toolset import Tools
from tests.fixtures.desk import Desk
from tests.fixtures.dynamodb import dynamodb
from tests.fixtures.odd_fleet import OddFleet, running_odd_fleet
from tests.fixtures.scopes import CALLER, Bench, bench

__all__ = ["dynamodb"]


@dataclass(frozen=True)
class House:
    """The tools, what they record, and the connector behind them."""

    tools: Tools
    place: Bench
    desk: Desk

    async def call(self, name: str, arguments: JsonObject, caller: Caller = CALLER) -> Answer:
        return await self.tools.call(name, arguments, ToolRequest(caller, "request-1", 29.0))

    async def value(self, name: str, arguments: JsonObject) -> dict[str, Any]:
        """The structured content of an answer that has to be a success."""
        answer = await self.call(name, arguments)
        assert not answer.is_error, answer
        assert isinstance(answer.structured, dict)
        return answer.structured

    async def error(self, name: str, arguments: JsonObject) -> dict[str, Any]:
        """The ``error`` of an answer that has to be a failure."""
        answer = await self.call(name, arguments)
        assert answer.is_error, answer
        assert isinstance(answer.structured, dict)
        error = answer.structured["error"]
        assert isinstance(error, dict)
        return error


async def house_of(limits: Limits = LIMITS, endpoint_url: str | None = None) -> AsyncIterator[House]:
    """One house; without an endpoint nothing listens where the table should be."""
    desk = Desk()
    place = bench([desk.connector], limits=limits, endpoint_url=endpoint_url)
    sandbox = Sandbox(installed_config(shortcuts=place.services.deployment.shortcuts, limits=limits))
    yield House(Tools(place.services, Programs(sandbox, RunAdmission(limits))), place, desk)
    await sandbox.close()


@pytest.fixture
async def house(dynamodb: str) -> AsyncIterator[House]:
    async for each in house_of(endpoint_url=dynamodb):
        yield each


@pytest.fixture
async def stateless_house() -> AsyncIterator[House]:
    """The same with nothing listening where the table should be."""
    async for each in house_of():
        yield each


@pytest.fixture(scope="session")
def odd_fleet() -> Iterator[OddFleet]:
    with running_odd_fleet() as fleet:
        yield fleet
