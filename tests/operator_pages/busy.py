"""A deployment that has been used for a while: what its table holds then."""

import asyncio
import time

from connecta import Connecta
from connecta.auth.sign_in.passphrases import OWNER
from connecta.auth.vault.keys import FILE_VARIABLE, keys_in
from connecta.auth.vault.slots import Slots
from connecta.auth.vault.vault import Vault
from connecta.state import State, open_state
from connecta.state.activity import Entry
from connecta.state.codes import PREFIX, Authorization
from connecta.state.downstream_grants import KeptGrant, new_version
from connecta.state.standings import Failed, Listed, Subject
from connecta.state.tickets import new_ticket
from tests.fixtures.dynamodb import TABLE
from tests.fixtures.operated import KEY
from tests.operator_pages.conftest import House

HOUR_S = 3_600
DAY_S = 24 * HOUR_S
CALLS = (
    ("shelf", "find_book", "success", None, "token:cursor", 212),
    ("calendar", "list_events", "success", None, "oauth:owner", 480),
    ("shelf", "lend_book", "error", "destructive_tool_requires_approval", "oauth:owner", 0),
    ("calendar", "list_events", "timeout", "timeout", "oauth:owner", 15_000),
    ("front-desk", "guests", "error", "auth_required", "token:cursor", 3),
    ("shelf", "look", "cancelled", "cancelled", "token:cursor", 1_204),
)


def furnish_house(house: House, deployment: Connecta, *, calls: int = len(CALLS)) -> None:
    """Fill the table of ``house``, which serves ``deployment``, with some days of use."""

    async def furnished() -> None:
        vault = Vault(keys_in({FILE_VARIABLE: str(house.key_file)}), house.name)
        await _furnish(deployment, house.table_url, vault, calls)
        await vault.close()

    asyncio.run(furnished())


async def _furnish(deployment: Connecta, table_url: str, vault: Vault, calls: int) -> None:
    now = time.time()

    def at(seconds_ago: float) -> State:
        return open_state(TABLE, deployment.name, endpoint_url=table_url, now=lambda: now - seconds_ago)

    here, before, long_before = at(0), at(3 * HOUR_S), at(12 * DAY_S)
    await long_before.access_tokens.issue("Cursor on my laptop")
    await before.access_tokens.issue("Nightly report", life_s=90 * DAY_S)
    for state, client in ((long_before, "Claude"), (before, "ChatGPT")):
        agreed = Authorization(client.lower(), client, "owner", "https://claude.ai/callback", "c" * 43, "mcp", "r")
        await state.grants.begin(new_ticket(PREFIX), agreed)
    await Slots(long_before.credentials, vault).put("shelf", {"value": KEY}, OWNER.name)
    calendar, shelf = deployment.by_id["calendar"], deployment.by_id["shelf"]
    grant = KeptGrant(
        version=new_version(),
        issuer="https://login.calendar.example",
        url=calendar.url,
        scope="events.read events.write",
        expires_at=now + 40 * 60,
        lasts_s=HOUR_S,
        connected_at=now - 5 * DAY_S,
        by=OWNER.name,
        sealed=b"sealed",
        renewable=True,
    )
    await here.downstream_grants.put("calendar", grant)
    drift = {"added": 2, "removed": 0, "schema_changed": 1, "annotation_changed": 0}
    await here.standings.note_listed(Subject("calendar", calendar.fingerprint), Listed(now - 140, 12))
    await here.standings.note_listed(Subject("shelf", shelf.fingerprint), Listed(now - 2 * HOUR_S, 31, drift))
    await here.standings.note_failed(Subject("shelf", shelf.fingerprint), Failed(now - 400, "timeout"))
    await here.activity.write([_entry(number, now, deployment.name) for number in range(calls)], 30.0)
    for state in (here, before, long_before):
        await state.close()


def _entry(number: int, now: float, deployment: str) -> Entry:
    connector, tool, outcome, code, actor, took_ms = CALLS[number % len(CALLS)]
    source = "execute_code" if number % 3 else "call_tool"
    return Entry(
        now - 90 * (number + 1), connector, tool, source, outcome, took_ms, 1, f"r{number}", actor, deployment, code
    )
