"""Twenty processes with one grant: the downstream sees one refresh, and every call is made (``auth.md``, "Vault and
downstream OAuth")."""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from connecta.state import state_in
from connecta.state.client import DynamoClient
from connecta.state.table import Table
from tests.auth.downstream.deployments import PATIENT, Notes, oauth_over
from tests.auth.downstream.downstreams import SdkDownstream, asked, connect
from tests.fixtures import dynamodb
from tests.fixtures.sam import ROOT

PROCESSES = 20
NAME = "downstream-fleet"


@asynccontextmanager
async def fleet_process(environ: dict[str, str]) -> AsyncGenerator[asyncio.subprocess.Process]:
    """One process; the end of its input ends it."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.auth.downstream.fleet_process",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env=environ,
    )
    try:
        yield process
    finally:
        await process.communicate()


async def said(process: asyncio.subprocess.Process) -> Any:
    """Its next line that is no line of its log."""
    assert process.stdout is not None
    while line := await process.stdout.readline():
        if not line.startswith(b'{"level"'):
            return json.loads(line)
    raise AssertionError("a process of the fleet ended")


async def all_call(fleet: list[asyncio.subprocess.Process]) -> list[dict[str, Any]]:
    """What came of a call of each, all begun at once."""
    for process in fleet:
        assert process.stdin is not None
        process.stdin.write(b"call\n")
    return await asyncio.gather(*(said(process) for process in fleet))


async def test_twenty_processes_refresh_one_grant_once_and_lose_no_call(
    sdk: SdkDownstream, moto_url: str, tmp_path: Path
):
    state = state_in(Table(dynamodb.TABLE, DynamoClient(moto_url, dynamodb.PATIENT), now=time.time), NAME, PATIENT)
    oauth, notes = oauth_over(state, tmp_path), Notes(f"{sdk.origin}/mcp")
    environ = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT))),
        "DOWNSTREAM": sdk.origin,
        "TABLE": dynamodb.TABLE,
        "TABLE_URL": moto_url,
        "NAME": NAME,
        "FOLDER": str(tmp_path),
    }
    # A token that has ended when it is given.
    await sdk.told(lasts_s=0)
    await connect(oauth, notes, sdk)
    await sdk.told()
    async with AsyncExitStack() as running:
        fleet = [await running.enter_async_context(fleet_process(environ)) for _ in range(PROCESSES)]
        assert await asyncio.gather(*(said(process) for process in fleet)) == PROCESSES * ["ready"]

        before = (await sdk.seen())["refreshes"]
        answers = await all_call(fleet)
        assert answers == PROCESSES * [{"status": 200, "tries": 1, "token": answers[0].get("token")}]
        assert (await sdk.seen())["refreshes"] == before + 1

        await asked(f"{sdk.origin}/forget", what="access")
        again = await all_call(fleet)
        assert {(each["status"], each["token"]) for each in again} == {(200, again[0]["token"])}
        assert again[0]["token"] != answers[0]["token"]
        assert 2 in {each["tries"] for each in again}
        assert (await sdk.seen())["refreshes"] == before + 2

        await asked(f"{sdk.origin}/forget", what="grants")
        assert await all_call(fleet) == PROCESSES * [{"reason": "refused"}]
        assert (await sdk.seen())["refreshes"] == before + 3

        # Whoever connects it again does so for all of them.
        await connect(oauth, notes, sdk)
        anew = await all_call(fleet)
        assert anew == PROCESSES * [{"status": 200, "tries": 1, "token": anew[0].get("token")}]
    await state.close()
