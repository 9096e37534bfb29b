import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from connecta.limits import LIMITS
from connecta.state import State, state_in
from connecta.state.client import DynamoClient
from connecta.state.table import Table
from tests.fixtures.dynamodb import TABLE, Clock
from tests.fixtures.endpoint import client, service
from tests.fixtures.oauth import moto_url

__all__ = ["client", "clock", "moto_url", "oauth_state", "service"]


@pytest.fixture
def event_loop_of_mangum() -> Iterator[None]:
    """Mangum runs every request on the thread's event loop and makes one where there is none, for good."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    asyncio.set_event_loop(None)
    loop.close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def oauth_state(moto_url: str, clock: Clock, request: pytest.FixtureRequest) -> AsyncIterator[State]:
    """State under a deployment no other test uses, by ``clock``."""
    state = state_in(Table(TABLE, DynamoClient(moto_url, LIMITS), now=clock), request.node.name, LIMITS)
    yield state
    await state.close()
