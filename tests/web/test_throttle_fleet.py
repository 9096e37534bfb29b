"""Two real processes over one table: their callers' buckets are the same."""

from contextlib import ExitStack

import httpx2
import pytest

from examples.shop.servers import serving_process
from tests.fixtures.limited_deployment import BURST, SHARE, TOKEN
from tests.fixtures.mcp_messages import modern


async def test_two_processes_together_give_out_one_bucket(moto_url: str, monkeypatch: pytest.MonkeyPatch):
    """No more than the bucket and, for each process, one share less one; and an answer that says what to do."""
    monkeypatch.setenv("FLEET_TABLE_URL", moto_url)
    monkeypatch.setenv("FLEET_DEPLOYMENT", "tests.fixtures.limited_deployment:deployment")
    monkeypatch.setenv("LIMITED_TOKEN", TOKEN)
    listing = modern("tools/list").having(authorization=f"Bearer {TOKEN}")
    with ExitStack() as running:
        origins = [running.enter_context(serving_process("tests.fixtures.fleet_process", 0)) for _ in range(2)]
        async with httpx2.AsyncClient(timeout=60) as http:
            answers = [
                await http.post(f"{origin}/mcp", content=listing.body, headers=listing.headers)
                for _ in range(BURST)
                for origin in origins
            ]
    statuses = [answer.status_code for answer in answers]
    assert set(statuses) == {200, 429}
    assert BURST <= statuses.count(200) <= BURST + 2 * (SHARE - 1)
    assert statuses[-2:] == [429, 429]
    assert 0 < int(answers[-1].headers["retry-after"]) <= 1_000 * 2 * BURST
