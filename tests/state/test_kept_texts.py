"""Results and views: text under an unguessable id, for one caller, for a while."""

import asyncio
import json
import re
import secrets
from dataclasses import dataclass, replace

import pytest

from connecta.failures import Failure
from connecta.limits import LIMITS
from connecta.state import State, open_state
from connecta.state.owners import Owner
from connecta.state.results import Results
from connecta.state.views import Views
from tests.fixtures.dynamodb import TABLE, Clock, StateOpener, delete_one_chunk

ALICE = Owner("shop", "token", "alice")
UNKNOWN = "A" * 22


@dataclass(frozen=True)
class Kind:
    """One kind of kept text, as the tests below know both."""

    name: str
    prefix: str
    life_s: int

    def of(self, state: State) -> Results | Views:
        return state.results if self.name == "results" else state.views


KINDS = [Kind("results", "r_", LIMITS.result_s), Kind("views", "v_", LIMITS.view_s)]
each_kind = pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])


@each_kind
@pytest.mark.parametrize(
    "text",
    ["", "x", json.dumps({"n": list(range(1_000))}), "žluťoučký 日本語 🦊\u0000\r\n", "a lone \ud83e surrogate"],
    ids=["empty", "short", "json", "unicode", "surrogate"],
)
async def test_a_text_comes_back_as_it_was_kept(open_here: StateOpener, kind: Kind, text: str) -> None:
    texts = kind.of(open_here())

    assert await texts.read(await texts.keep(text, ALICE), ALICE) == text


@each_kind
async def test_eight_megabytes_that_do_not_compress_come_back(open_here: StateOpener, kind: Kind) -> None:
    texts = kind.of(open_here())
    text = secrets.token_urlsafe(6_300_000) + "日本語"

    assert await texts.read(await texts.keep(text, ALICE), ALICE) == text


@each_kind
async def test_an_id_is_its_prefix_and_128_random_bits(open_here: StateOpener, kind: Kind) -> None:
    texts = kind.of(open_here())

    ids = {await texts.keep("same", ALICE) for _ in range(3)}

    assert len(ids) == 3
    assert all(re.fullmatch(kind.prefix + "[A-Za-z0-9_-]{22}", id) for id in ids)


@each_kind
@pytest.mark.parametrize(
    "owner",
    [Owner("shop", "token", "bob"), Owner("shop", "oauth", "alice"), Owner("other", "token", "alice")],
    ids=["subject", "kind", "deployment"],
)
async def test_a_text_is_unknown_to_every_other_owner(open_here: StateOpener, kind: Kind, owner: Owner) -> None:
    texts = kind.of(open_here())

    assert await texts.read(await texts.keep("alice's", ALICE), owner) is None


@each_kind
async def test_a_text_lasts_its_time_and_no_longer(open_here: StateOpener, kind: Kind) -> None:
    """15 minutes for a result, 24 hours for a view (U3)."""
    clock = Clock()
    texts = kind.of(open_here(now=clock))
    id = await texts.keep("soon gone", ALICE)

    clock.seconds += kind.life_s
    assert await texts.read(id, ALICE) == "soon gone"

    clock.seconds += 1
    assert await texts.read(id, ALICE) is None


async def test_a_deployment_says_how_long_its_views_are_kept(open_here: StateOpener) -> None:
    """U3: 24 hours are a default."""
    clock = Clock()
    views = open_here(now=clock, limits=replace(LIMITS, view_s=60)).views
    id = await views.keep("soon gone", ALICE)

    clock.seconds += 61
    assert await views.read(id, ALICE) is None


@each_kind
@pytest.mark.parametrize(
    "id",
    [
        "",
        "{}",
        "{}short",
        "x_" + UNKNOWN,
        "{}" + UNKNOWN,
        "{}" + UNKNOWN + "\n",
        "{}" + "é" * 22,
        "{}" + "#" * 22,
        "{}" + "A" * 5_000,
    ],
)
async def test_a_malformed_or_unknown_id_reads_as_none(open_here: StateOpener, kind: Kind, id: str) -> None:
    texts = kind.of(open_here())

    assert await texts.read(id.format(kind.prefix), ALICE) is None


async def test_a_result_is_not_a_view_and_a_view_is_not_a_result(open_here: StateOpener) -> None:
    state = open_here()
    result, view = await state.results.keep("result", ALICE), await state.views.keep("view", ALICE)

    assert [await state.views.read(result, ALICE), await state.views.read("v_" + result[2:], ALICE)] == [None, None]
    assert [await state.results.read(view, ALICE), await state.results.read("r_" + view[2:], ALICE)] == [None, None]


@each_kind
async def test_a_text_with_a_chunk_missing_reads_as_none(open_here: StateOpener, dynamodb: str, kind: Kind) -> None:
    texts = kind.of(open_here())
    id = await texts.keep(secrets.token_urlsafe(1_000_000), ALICE)

    delete_one_chunk(dynamodb, id)

    assert await texts.read(id, ALICE) is None


async def test_twenty_texts_kept_at_once_are_twenty_texts(open_here: StateOpener) -> None:
    results = open_here().results
    texts = [secrets.token_urlsafe(400_000) for _ in range(20)]

    ids = await asyncio.gather(*(results.keep(text, ALICE) for text in texts))

    assert await asyncio.gather(*(results.read(id, ALICE) for id in ids)) == texts


async def test_a_second_process_reads_what_the_first_kept(dynamodb: str) -> None:
    first, second = (open_state(TABLE, "shop", endpoint_url=dynamodb) for _ in range(2))

    assert await second.results.read(await first.results.keep("shared", ALICE), ALICE) == "shared"

    for state in (first, second):
        await state.close()


async def test_a_text_above_the_bound_is_refused(open_here: StateOpener) -> None:
    results = open_here(limits=replace(LIMITS, state_payload_bytes=100)).results

    with pytest.raises(Failure) as refused:
        await results.keep("é" * 51, ALICE)

    assert refused.value.envelope() == {
        "code": "result_too_large",
        "message": "This is too large to be kept. Ask for less of it.",
        "retryable": False,
    }
