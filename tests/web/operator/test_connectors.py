"""What ``/`` says of each connector, and what connects and disconnects one (auth.md "Operator pages")."""

import re
import time
from dataclasses import replace

from connecta import Connecta
from connecta.composition import Application
from connecta.state.downstream_grants import KeptGrant
from connecta.state.standings import Failed, Listed, Subject
from tests.fixtures.operated import KEY
from tests.web.operator.conftest import Person, alert_in


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
    assert told == "Calendar is disconnected, and what was kept for it is forgotten."
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
