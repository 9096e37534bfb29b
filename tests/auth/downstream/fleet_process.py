"""One process of a deployment with one connector. For each line of its input it makes a call of that connector, and
says in a line what came of it."""

import asyncio
import json
import os
import sys
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from connecta.auth.downstream.model import NotGranted
from connecta.auth.downstream.oauth import DownstreamOAuth
from connecta.failures import Failure
from connecta.state import state_in
from connecta.state.client import DynamoClient
from connecta.state.table import Table
from tests.auth.downstream.deployments import PATIENT, Notes, oauth_over, using

BUSY = replace(
    PATIENT,
    state_read_s=30.0,
    state_call_s=60.0,
    downstream_patience_s=60.0,
    downstream_lease_s=50.0,
    downstream_again_s=0.0,
)
"""Twenty processes on two cores: what takes milliseconds elsewhere takes seconds here."""


async def call(oauth: DownstreamOAuth, notes: Notes, origin: str) -> dict[str, object]:
    """As a connection makes one: with the token there is, and once more with another where that is refused."""
    try:
        granted, tries = await oauth.token(notes), 1
        status, challenge = await using(origin, granted)
        if status == 401:
            granted, tries = await oauth.renewed(notes, granted, challenge), 2
            status, _ = await using(origin, granted)
    except NotGranted as missing:
        return {"reason": missing.reason}
    except Failure as failure:
        return {"code": failure.code}
    return {"status": status, "tries": tries, "token": sha256(granted.token.encode()).hexdigest()}


async def main() -> None:
    origin = os.environ["DOWNSTREAM"]
    table = Table(os.environ["TABLE"], DynamoClient(os.environ["TABLE_URL"], BUSY))
    state = state_in(table, os.environ["NAME"], BUSY)
    oauth = oauth_over(state, Path(os.environ["FOLDER"]), BUSY)
    await oauth.standing(Notes(f"{origin}/mcp"))
    print(json.dumps("ready"), flush=True)
    while await asyncio.to_thread(sys.stdin.readline):
        print(json.dumps(await call(oauth, Notes(f"{origin}/mcp"), origin)), flush=True)
    await state.close()


if __name__ == "__main__":
    asyncio.run(main())
