"""Credential slots: only the operator fills them, nothing is shown of what is in them, and a change holds at the next
call of every process (auth.md, "Vault and downstream OAuth")."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from connecta.auth.vault.keys import Unreadable
from connecta.auth.vault.slots import BadValue, Slot, Slots
from connecta.auth.vault.vault import Vault
from connecta.failures import Failure
from connecta.limits import LIMITS
from connecta.state import State
from connecta.state.client import open_client
from tests.auth.vault.conftest import PATIENT, Keyed
from tests.fixtures.dynamodb import TABLE, Clock
from tests.fixtures.kms import AS_SOMEBODY, Kms
from tests.fixtures.vault_process import vault_process

BOTH = {"user": "owner@example.com", "password": "recognisable secret ü€"}


@pytest.fixture
async def vault(keyed: Keyed) -> AsyncIterator[Vault]:
    vault = Vault(keyed.open(), "here", PATIENT)
    yield vault
    await vault.close()


@pytest.fixture
def slots(oauth_state: State, vault: Vault) -> Slots:
    return Slots(oauth_state.credentials, vault)


def dump(endpoint_url: str) -> str:
    """Everything in the table."""
    with closing(open_client(endpoint_url, LIMITS)) as client:
        pages = client.get_paginator("scan").paginate(TableName=TABLE)
        return repr([item for page in pages for item in page["Items"]])


async def test_a_slot_is_empty_until_it_is_filled_and_after_it_is_emptied(slots: Slots, clock: Clock):
    assert (await slots.values("shop"), await slots.standing("shop"), await slots.remove("shop")) == (None, None, False)
    await slots.put("shop", BOTH, "owner")
    assert await slots.values("shop") == BOTH
    assert await slots.standing("shop") == Slot(("password", "user"), clock.seconds, "owner")
    assert await slots.values("bank") is None
    assert [await slots.remove("shop"), await slots.remove("shop")] == [True, False]
    assert (await slots.values("shop"), await slots.standing("shop")) == (None, None)


async def test_what_is_filled_in_replaces_all_that_was_there(slots: Slots, clock: Clock):
    """Fields that are no longer declared do not stay behind."""
    await slots.put("shop", BOTH, "owner")
    clock.seconds += 5
    await slots.put("shop", {"token": "new"}, "another")
    assert await slots.values("shop") == {"token": "new"}
    assert await slots.standing("shop") == Slot(("token",), clock.seconds, "another")


async def test_the_table_holds_no_value(slots: Slots, moto_url: str):
    await slots.put("shop", BOTH, "owner")
    held = dump(moto_url)
    assert "field:password" in held
    for text in ("recognisable", "owner@example.com"):
        assert text not in held


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "There is nothing to keep."),
        ({"key": ""}, '"key" is empty: fill it in.'),
        ({"key": "   "}, '"key" is empty: fill it in.'),
        ({"key": "\n"}, '"key" is empty: fill it in.'),
        ({"user": "a", "key": ""}, '"key" is empty: fill it in.'),
        ({"key": "canary "}, '"key" begins or ends with a space: paste it without.'),
        ({"key": "\u00a0canary"}, '"key" begins or ends with a space: paste it without.'),
        ({"key": "c" * 8_193}, '"key" is longer than 8,192 bytes.'),
        ({"key": "€" * 2_731}, '"key" is longer than 8,192 bytes.'),
        *(
            ({"key": f"can{odd}ary"}, '"key" holds a line break or another control character: paste it without.')
            for odd in ("\n", "\r", "\0", "\t", "\x1b", "\x7f", "\x85", "\u2028", "\u2029", "\ud800")
        ),
        ({"key": "canary\r\n"}, '"key" holds a line break or another control character: paste it without.'),
    ],
)
async def test_a_value_that_could_not_be_sent_is_refused_and_nothing_changes(
    slots: Slots, values: dict[str, str], message: str
):
    """Control characters are refused before framing; no value is echoed."""
    await slots.put("shop", BOTH, "owner")
    with pytest.raises(BadValue) as refused:
        await slots.put("shop", values, "owner")
    assert refused.value.message == str(refused.value) == message
    assert await slots.values("shop") == BOTH


@pytest.mark.parametrize("value", ["x", "c" * 8_192, "two words", "ü€𝄞", '{"a": "b"}', "a:b\\c"])
async def test_anything_else_is_kept_as_it_was_typed(slots: Slots, value: str):
    await slots.put("shop", {"key": value}, "owner")
    assert await slots.values("shop") == {"key": value}


async def test_nobody_reads_half_of_two_credentials(oauth_state: State, file_keyed: Keyed):
    vault = Vault(file_keyed.open(), "here", PATIENT)
    slots = Slots(oauth_state.credentials, vault)
    await slots.put("shop", {"user": "0", "password": "0"}, "owner")
    done = asyncio.Event()

    async def write() -> None:
        await asyncio.gather(*(slots.put("shop", {"user": f"{n}", "password": f"{n}"}, "owner") for n in range(20)))
        done.set()

    async def read() -> None:
        while not done.is_set():
            found = await slots.values("shop")
            assert found is not None
            assert found["user"] == found["password"]

    await asyncio.gather(write(), read(), read())
    await vault.close()


async def test_a_slot_that_cannot_be_read_stays_and_can_be_filled_anew(slots: Slots, keyed: Keyed, clock: Clock):
    """Nothing lost: once the key is back, it is as it was."""
    await slots.put("shop", BOTH, "owner")
    keyed.lose()
    for _ in range(2):
        with pytest.raises(Unreadable) as refused:
            await slots.values("shop")
        assert refused.value.reason == "missing_key"
    assert await slots.standing("shop") == Slot(("password", "user"), clock.seconds, "owner")
    keyed.find()
    assert await slots.values("shop") == BOTH


async def test_what_cannot_be_sealed_leaves_what_was_there(oauth_state: State, kms: Kms, kms_keyed: Keyed):
    vault = Vault(kms_keyed.open(), "here", PATIENT)
    slots = Slots(oauth_state.credentials, vault)
    await slots.put("shop", BOTH, "owner")
    kms.answer = ("DisabledException", 400)
    with pytest.raises(Failure) as refused:
        await slots.put("shop", {"token": "new"}, "owner")
    assert (refused.value.code, refused.value.retryable) == ("unavailable", False)
    kms.answer = None
    assert await slots.values("shop") == BOTH
    await vault.close()


async def test_fields_and_items_that_were_swapped_in_the_table_are_refused_and_stay(
    oauth_state: State, slots: Slots, clock: Clock
):
    """Whoever can write the table cannot have one connector's secret sent to another's downstream."""
    records = oauth_state.credentials
    await slots.put("shop", BOTH, "owner")
    kept = await records.read("shop")
    assert kept is not None
    await records.write("bank", kept.fields, "mallory")
    user, password = kept.fields["user"], kept.fields["password"]
    await records.write("post", {"user": password, "password": user}, "mallory")
    await records.write("shop", {"user": password, "password": user}, "mallory")
    for connector in ("bank", "post", "shop"):
        with pytest.raises(Unreadable) as refused:
            await slots.values(connector)
        assert refused.value.reason == "tampered"
        assert await slots.standing(connector) == Slot(("password", "user"), clock.seconds, "mallory")
    await records.write("shop", kept.fields, "owner")
    assert await slots.values("shop") == BOTH


def environ_of(kind: str, kms: Kms, folder: Path) -> dict[str, str]:
    if kind == "kms":
        return {**AS_SOMEBODY, "CONNECTA_KMS_KEY": kms.new_key(), "AWS_ENDPOINT_URL_KMS": kms.url}
    return {"CONNECTA_KEY_FILE": str(folder / "credentials.key")}


@pytest.mark.parametrize("kind", ["kms", "file"])
def test_what_one_process_puts_another_reads_at_its_next_call(
    moto_url: str, kms: Kms, kind: str, tmp_path: Path, request: pytest.FixtureRequest
):
    """Rotation takes effect on the next call, in every process."""
    environ, deployment = environ_of(kind, kms, tmp_path), request.node.name
    with ExitStack() as running:
        one, two = (running.enter_context(vault_process(moto_url, deployment, environ)) for _ in range(2))
        assert [one.values("shop"), two.values("shop")] == [None, None]
        one.put("shop", {"key": "first"}, "owner")
        assert [one.values("shop"), two.values("shop")] == [{"key": "first"}] * 2
        two.put("shop", {"key": "second"}, "another")
        assert [one.values("shop"), two.values("shop")] == [{"key": "second"}] * 2
        assert one.standing("shop")["set_by"] == two.standing("shop")["set_by"] == "another"
        assert two.remove("shop") is True
        assert [one.values("shop"), two.values("shop")] == [None, None]


def test_a_process_of_another_deployment_opens_nothing_of_this_one(
    moto_url: str, kms: Kms, tmp_path: Path, request: pytest.FixtureRequest
):
    """Two deployments in one table and under one key."""
    environ = environ_of("kms", kms, tmp_path)
    with ExitStack() as running:
        here, there = (
            running.enter_context(vault_process(moto_url, f"{request.node.name}-{name}", environ)) for name in "ab"
        )
        here.put("shop", {"key": "first"})
        assert there.values("shop") is None
        there.put("shop", {"key": "other"})
        assert (here.values("shop"), there.values("shop")) == ({"key": "first"}, {"key": "other"})


def test_a_process_without_a_key_says_so_and_goes_on(moto_url: str, request: pytest.FixtureRequest):
    nothing = {"CONNECTA_KMS_KEY": "", "CONNECTA_KEY_FILE": ""}
    with vault_process(moto_url, request.node.name, nothing) as process:
        assert process.values("shop") is None
        assert process.put("shop", {"key": "first"}) == {"failure": "unavailable"}
        assert process.standing("shop") is None
