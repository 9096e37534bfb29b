from collections.abc import AsyncIterator

import pytest

from tests.fixtures.misbehaving_server import MisbehavingServer, misbehaving_server


@pytest.fixture
async def server() -> AsyncIterator[MisbehavingServer]:
    async with misbehaving_server() as running:
        yield running
