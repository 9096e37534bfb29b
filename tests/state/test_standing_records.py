"""When tools were last listed and when that last failed, for a whole fleet ("Operator pages": last errors and catalog
age)."""

import asyncio

from connecta.limits import LIMITS
from connecta.state.standings import Failed, Listed, Noted, Subject
from tests.fixtures.dynamodb import Clock, StateOpener

NOTES = Subject("notes", "v1")
DOCS = Subject("docs", "v1")
NOW = Clock().seconds


async def test_what_was_noted_of_each_comes_back_in_the_order_asked_for(open_here: StateOpener) -> None:
    records = open_here().standings
    listed = Listed(NOW - 5, 12, {"added": 1, "removed": 0}, "a digest")
    failed, plain = Failed(NOW - 3, "auth_required"), Listed(NOW - 7.5, 0)
    await records.note_listed(NOTES, listed)
    await records.note_failed(NOTES, failed)
    await records.note_listed(DOCS, plain)

    noted = await records.noted([DOCS, Subject("other", "v1"), NOTES])

    assert noted == [Noted(plain), Noted(), Noted(listed, failed)]


async def test_a_connector_configured_anew_begins_anew(open_here: StateOpener) -> None:
    records = open_here("one").standings
    await records.note_failed(NOTES, Failed(NOW, "timeout"))

    assert await records.noted([Subject("notes", "v2")]) == [Noted()]
    assert await open_here("two").standings.noted([NOTES]) == [Noted()]


async def test_who_comes_late_replaces_nothing_that_is_newer(open_here: StateOpener) -> None:
    """A hundred processes that note at once leave what happened last."""
    records = open_here().standings
    times = [NOW + number for number in (3, 0, 5, 1, 4, 2)]

    await asyncio.gather(
        *(records.note_listed(NOTES, Listed(at, int(at - NOW))) for at in times),
        *(records.note_failed(NOTES, Failed(at, f"code_{int(at - NOW)}")) for at in times),
    )
    await records.note_listed(NOTES, Listed(NOW, 99))

    assert await records.noted([NOTES]) == [Noted(Listed(NOW + 5, 5), Failed(NOW + 5, "code_5"))]


async def test_it_is_known_for_thirty_days(open_here: StateOpener) -> None:
    clock = Clock()
    records = open_here(now=clock).standings
    await records.note_listed(NOTES, Listed(clock.seconds, 1))
    clock.seconds += LIMITS.standing_s - 1
    assert await records.noted([NOTES]) == [Noted(Listed(NOW, 1))]
    clock.seconds += 3
    assert await records.noted([NOTES]) == [Noted()]
