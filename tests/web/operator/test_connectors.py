"""What ``/`` says of each connector, and what connects and disconnects one (auth.md "Operator pages")."""

import re
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Final, NoReturn

import pytest

from connecta import Connecta, remote_mcp
from connecta.composition import Application, compose
from connecta.failures import unavailable
from connecta.state.activity import Activity, Entry
from connecta.state.downstream_grants import KeptGrant
from connecta.state.standings import Failed, Listed, Subject
from tests.fixtures.dynamodb import TABLE
from tests.fixtures.operated import AUTH, KEY
from tests.web.operator.conftest import ORIGIN, Person, alert_in, browsing


async def test_a_connector_says_what_is_missing_and_what_to_do(person: Person):
    page = (await person.get("/")).text
    states = re.findall(r'<h2><bdi>([^<]*)</bdi></h2>\s*<span class="state \w+">([^<]*)</span>', page)
    assert states == [
        ("Front desk", "Credential missing"),
        ("Book shelf", "Credential missing"),
        ("Calendar", "Not connected"),
        ("Weather", "Not configured"),
    ]
    assert '<a href="/credentials#shelf">Fill it in</a>' in page
    assert "WEATHER_TOKEN" in page
    assert "0 of 4 connectors ready." in page


async def test_a_connector_says_how_its_last_listing_went(deployment: Connecta, house: Application, person: Person):
    standings, now = house.state.standings, house.state.table.now()
    shelf = Subject("shelf", deployment.by_id["shelf"].fingerprint)
    await person.told("/credentials/shelf/set", "/credentials", **{"value-value": KEY})
    assert await _state_of(person, "shelf") == (
        "Not asked yet",
        "Its tools are listed when an agent first looks for one.",
    )
    drift = {"added": 1, "removed": 0, "schema_changed": 2, "annotation_changed": 0}
    await standings.note_listed(shelf, Listed(now - 60, 3, drift))
    assert await _state_of(person, "shelf") == ("Ready", "")
    await standings.note_failed(shelf, Failed(now, "timeout"))
    failing = await _state_of(person, "shelf")
    assert failing == (
        "Failing",
        "Its tools were asked for just now: it did not answer in time. It is asked again on demand.",
    )
    await standings.note_failed(shelf, Failed(house.state.table.now(), "auth_required"))
    assert (await _state_of(person, "shelf"))[0] == "Refused"
    await person.told("/credentials/shelf/set", "/credentials", **{"value-value": "another"})
    assert (await _state_of(person, "shelf"))[0] == "Not asked since"


FILLED: Final = {
    "shelf": {"value-value": KEY},
    "front-desk": {"value-user": "ada", "value-password": "a password of the desk"},
}


@pytest.mark.parametrize("id", ["shelf", "front-desk"])
async def test_a_connector_whose_last_call_was_refused_says_so_until_something_tells_otherwise(
    deployment: Connecta, house: Application, person: Person, id: str
):
    """An MCP server whose tools were listed all the same, and an API, whose are never listed."""
    await person.told(f"/credentials/{id}/set", "/credentials", **FILLED[id])
    if id == "shelf":
        shelf = Subject(id, deployment.by_id[id].fingerprint)
        await house.state.standings.note_listed(shelf, Listed(house.state.table.now(), 3, None))
    assert await _state_of(person, id) == ("Ready", "")
    await _called(house, id, "error", "auth_required")
    why = "its credential was missing, was not taken, or does not cover that"
    assert await _state_of(person, id) == ("Refused", f"Its last call, just now, was refused: {why}.")
    await _called(house, id, "timeout", "timeout")
    await _called(house, "calendar", "success")
    assert (await _state_of(person, id))[0] == "Refused"
    await _called(house, id, "success")
    assert await _state_of(person, id) == ("Ready", "")
    await _called(house, id, "error", "auth_required")
    assert (await _state_of(person, id))[0] == "Refused"
    await person.told(f"/credentials/{id}/set", "/credentials", **FILLED[id])
    assert await _state_of(person, id) == ("Ready", "")


async def test_a_listing_after_a_refused_call_says_that_the_credential_is_taken(
    deployment: Connecta, house: Application, person: Person
):
    await person.told("/credentials/shelf/set", "/credentials", **FILLED["shelf"])
    await _called(house, "shelf", "error", "auth_required")
    shelf = Subject("shelf", deployment.by_id["shelf"].fingerprint)
    await house.state.standings.note_listed(shelf, Listed(house.state.table.now(), 3, None))
    assert await _state_of(person, "shelf") == ("Ready", "")


async def test_the_page_does_without_the_calls_where_they_cannot_be_read(
    house: Application, person: Person, monkeypatch: pytest.MonkeyPatch
):
    async def unreachable(*_: object) -> NoReturn:
        raise unavailable("The table is out of reach.")

    monkeypatch.setattr(Activity, "page", unreachable)
    await person.told("/credentials/front-desk/set", "/credentials", **FILLED["front-desk"])
    assert await _state_of(person, "front-desk") == ("Ready", "")


async def test_a_server_that_is_given_no_credential_is_not_said_to_refuse_one(
    moto_url: str, environ: Mapping[str, str]
):
    bare = remote_mcp("bare", url="https://bare.example/mcp")
    deployment = Connecta(connectors=[bare], auth=AUTH, name="bare-house", public_url=ORIGIN)
    house = compose(deployment, table=TABLE, endpoint_url=moto_url, environ=environ)
    subject, now = Subject("bare", bare.fingerprint), house.state.table.now
    why = "was refused: it asks for a credential and is given none."
    async with browsing(house) as person:
        person.sign_in(deployment.name)
        await house.state.standings.note_listed(subject, Listed(now() - 60, 3, None))
        await _called(house, "bare", "error", "auth_required")
        assert await _state_of(person, "bare") == ("Refused", f"Its last call, just now, {why}")
        await house.state.standings.note_failed(subject, Failed(now(), "auth_required"))
        assert await _state_of(person, "bare") == ("Refused", f"Its last listing, just now, {why}")
    await house.close()


async def _called(house: Application, id: str, outcome: str, code: str | None = None) -> None:
    """Notes a call that ended now."""
    entry = Entry(house.state.table.now(), id, "look", "call_tool", outcome, 5, 1, "r", "token:a", "d", code)
    assert await house.state.activity.write([entry], 30.0) == 0


async def _state_of(person: Person, id: str) -> tuple[str, str]:
    page = (await person.get("/")).text
    [panel] = re.findall(rf'<li class="panel" id="{id}">(.*?)</li>', page, re.DOTALL)
    [word] = re.findall(r'<span class="state \w+">([^<]*)</span>', panel)
    details = re.findall(r'<p class="detail">(.*?)</p>', panel)
    return word, details[0].strip() if details else ""


async def test_a_connected_connector_says_by_whom_and_can_be_disconnected(house: Application, person: Person):
    url = "http://127.0.0.1:9/mcp"
    kept = KeptGrant("v", "https://issuer.example", url, "read write", None, 0.0, 1.0, "ada", b"sealed-secret")
    await house.state.downstream_grants.put("calendar", kept)
    page = (await person.get("/")).text
    for told in ("https://issuer.example", "read write", "<bdi>ada</bdi>"):
        assert told in page
    assert "sealed-secret" not in page
    told = await person.told("/connectors/calendar/disconnect", "/")
    assert told == "Calendar is disconnected, and its tokens are forgotten."
    assert await house.state.downstream_grants.read("calendar") is None


async def test_only_a_grant_that_still_holds_says_when_it_is_renewed(house: Application, person: Person):
    """Or that nobody can renew it."""
    kept = KeptGrant(
        "v", "https://issuer.example", "http://127.0.0.1:9/mcp", "read", time.time() + 900, 0.0, 1.0, "ada", b"sealed"
    )
    shown: list[tuple[bool, bool]] = []
    for grant in (replace(kept, renewable=True), kept, replace(kept, refused="refused")):
        await house.state.downstream_grants.put("calendar", grant)
        text = (await person.get("/")).text
        shown.append(("renewed before" in text, "connect it again then" in text))
    assert shown == [(True, False), (False, True), (False, False)]


async def test_a_connector_that_cannot_be_connected_says_why(person: Person):
    """Nothing answers where its authorization server should be."""
    answer = await person.send("/connectors/calendar/connect", "/")
    assert answer.status_code == 503
    assert alert_in(answer).startswith("Not done. ")
