"""Values that connectors keep: here, for other processes, and not longer than they are good for (tools.md)."""

import pytest

from connecta.limits import LIMITS
from connecta.state import open_state
from connecta.text import Json
from tests.fixtures.dynamodb import Clock, StateOpener


@pytest.mark.parametrize("value", [None, 0, "é\ud800\0", [1, {"a": None}], {}, "x" * 400_000])
async def test_a_value_is_found_by_this_process_and_by_another(open_here: StateOpener, value: Json) -> None:
    one, other = open_here("found").values, open_here("found").values
    await one.write("crm", "key", value, 60)
    assert [await each.read("crm", "key") for each in (one, other, one)] == [(value,)] * 3


async def test_a_value_ends_everywhere_at_once(open_here: StateOpener) -> None:
    """Expiry is checked on read."""
    clock = Clock()
    one, other = open_here("ends", now=clock).values, open_here("ends", now=clock).values
    await one.write("crm", "key", 1, 60)
    assert await other.read("crm", "key") == (1,)
    clock.seconds += 60.5
    assert [await each.read("crm", "key") for each in (one, other)] == [None, None]


async def test_keys_of_any_text_and_other_connectors_are_their_own(open_here: StateOpener) -> None:
    values = open_here("own").values
    keys = ["", "k" * 5_000, "k" * 5_001, "\ud800#", "a#b"]
    for number, key in enumerate(keys):
        await values.write("crm", key, number, 60)
    assert [await values.read("crm", key) for key in keys] == [(number,) for number in range(len(keys))]
    assert await values.read("erp", "a#b") is None


async def test_the_last_value_written_is_the_one_found(open_here: StateOpener) -> None:
    one, other = open_here("last").values, open_here("last").values
    await one.write("crm", "key", 1, 60)
    await other.write("crm", "key", 2, 60)
    assert await open_here("last").values.read("crm", "key") == (2,)


async def test_a_value_another_process_replaced_is_believed_for_a_few_seconds_only(open_here: StateOpener) -> None:
    clock = Clock()
    one, other = open_here("replaced", now=clock).values, open_here("replaced", now=clock).values
    await one.write("crm", "key", 1, 3_600)
    await other.write("crm", "key", 2, 3_600)
    clock.seconds += LIMITS.value_here_s
    assert [await each.read("crm", "key") for each in (one, other)] == [(2,)] * 2


async def test_a_table_that_is_down_is_a_miss_and_costs_nobody_the_call() -> None:
    state = open_state("none", "down", endpoint_url="http://127.0.0.1:9")
    assert await state.values.read("crm", "key") is None
    await state.values.write("crm", "key", 7, 60)
    assert await state.values.read("crm", "key") == (7,)
    await state.close()
