"""Data keys are cached per process (aws.md, "Secrets"): counted, with an end, bounded, asked for once."""

import asyncio
import threading
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import pytest

from connecta.auth.vault.keys import Context, DataKey, DataKeys, Unreadable
from connecta.auth.vault.vault import Vault
from connecta.failures import Failure
from connecta.limits import LIMITS, Limits
from tests.auth.vault.conftest import PATIENT, Keyed
from tests.fixtures.dynamodb import Clock
from tests.fixtures.kms import Kms


@dataclass
class Counted:
    """The keys of ``keys``, each use counted; ``free`` holds uses back while it is not set."""

    keys: DataKeys
    asked: Counter[str] = field(default_factory=Counter[str])
    begun: threading.Event = field(default_factory=threading.Event)
    free: threading.Event = field(default_factory=threading.Event)
    closed: bool = False

    def __post_init__(self) -> None:
        self.free.set()

    def new(self, context: Context) -> DataKey:
        self.asked["new"] += 1
        return self.keys.new(context)

    def unwrapped(self, key_id: str, wrapped: bytes, context: Context) -> bytes:
        self.asked["unwrapped"] += 1
        self.begun.set()
        self.free.wait()
        return self.keys.unwrapped(key_id, wrapped, context)

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def counted(file_keyed: Keyed) -> Counted:
    return Counted(file_keyed.open())


@asynccontextmanager
async def vault_of(keys: DataKeys, limits: Limits = LIMITS, clock: Clock | None = None) -> AsyncGenerator[Vault]:
    vault = Vault(keys, "here", limits, clock or Clock())
    try:
        yield vault
    finally:
        await vault.close()


async def test_kms_is_asked_once_for_a_value_that_is_opened_many_times(kms: Kms, kms_keyed: Keyed):
    clock = Clock()
    async with vault_of(kms_keyed.open(), PATIENT, clock) as vault:
        sealed = await vault.sealed("shop", "key", b"secret")
        assert dict(kms.asked) == {"GenerateDataKey": 1}
        for _ in range(10):
            assert await vault.opened("shop", "key", sealed) == b"secret"
        assert dict(kms.asked) == {"GenerateDataKey": 1, "Decrypt": 1}
        clock.seconds += LIMITS.data_key_s
        await vault.opened("shop", "key", sealed)
        assert dict(kms.asked) == {"GenerateDataKey": 1, "Decrypt": 2}


async def test_many_who_open_a_value_at_once_ask_once(counted: Counted):
    async with vault_of(counted) as vault:
        sealed = await vault.sealed("shop", "key", b"secret")
        assert await asyncio.gather(*(vault.opened("shop", "key", sealed) for _ in range(50))) == [b"secret"] * 50
    assert dict(counted.asked) == {"new": 1, "unwrapped": 1}


async def test_every_value_has_a_data_key_of_its_own(counted: Counted):
    async with vault_of(counted) as vault:
        for n in range(3):
            await vault.sealed("shop", "key", b"secret %d" % n)
    assert dict(counted.asked) == {"new": 3}


async def test_a_data_key_is_kept_for_its_time_and_no_longer(counted: Counted):
    clock = Clock()
    async with vault_of(counted, clock=clock) as vault:
        sealed = await vault.sealed("shop", "key", b"secret")
        counts: list[int] = []
        for pause in (0, LIMITS.data_key_s - 1, 1, LIMITS.data_key_s - 1, 1):
            clock.seconds += pause
            await vault.opened("shop", "key", sealed)
            counts.append(counted.asked["unwrapped"])
    assert counts == [1, 1, 2, 2, 3]


async def test_a_disabled_key_opens_nothing_more_once_the_data_keys_have_ended(kms: Kms, kms_keyed: Keyed):
    clock = Clock()
    async with vault_of(kms_keyed.open(), PATIENT, clock) as vault:
        sealed = await vault.sealed("shop", "key", b"secret")
        await vault.opened("shop", "key", sealed)
        kms.answer = ("DisabledException", 400)
        clock.seconds += LIMITS.data_key_s - 1
        assert await vault.opened("shop", "key", sealed) == b"secret"
        clock.seconds += 1
        with pytest.raises(Unreadable):
            await vault.opened("shop", "key", sealed)


async def test_no_more_data_keys_are_held_than_the_limit_says(counted: Counted):
    async with vault_of(counted, replace(LIMITS, data_keys=3)) as vault:
        sealed = {name: await vault.sealed(name, "key", b"secret") for name in "abcd"}
        for name in "abcabc":
            await vault.opened(name, "key", sealed[name])
        assert counted.asked["unwrapped"] == 3
        await vault.opened("d", "key", sealed["d"])
        for name in "bcd":
            await vault.opened(name, "key", sealed[name])
        assert counted.asked["unwrapped"] == 4
        await vault.opened("a", "key", sealed["a"])
        assert counted.asked["unwrapped"] == 5


async def test_one_who_gives_up_waiting_leaves_the_others_their_key(counted: Counted):
    """Whether it is being asked for or still waits for its turn."""
    counted.free.clear()
    async with vault_of(counted, replace(LIMITS, vault_threads=1)) as vault:
        sealed = {name: await vault.sealed(name, "key", b"secret") for name in ("first", "queued")}
        patient: list[asyncio.Task[bytes]] = []
        for name, blob in sealed.items():
            impatient, other = (asyncio.create_task(vault.opened(name, "key", blob)) for _ in range(2))
            patient.append(other)
            await asyncio.to_thread(counted.begun.wait)
            impatient.cancel()
            with pytest.raises(asyncio.CancelledError):
                await impatient
        counted.free.set()
        assert await asyncio.gather(*patient) == [b"secret"] * 2
    assert counted.asked["unwrapped"] == 2


async def test_a_key_that_does_not_come_is_unavailable_and_later_found(counted: Counted):
    async with vault_of(counted, PATIENT) as vault:
        sealed = await vault.sealed("shop", "key", b"secret")
    counted.free.clear()
    async with vault_of(counted, replace(LIMITS, vault_wait_s=0.05)) as vault:
        with pytest.raises(Failure) as refused:
            await vault.opened("shop", "key", sealed)
        assert (refused.value.code, refused.value.retryable) == ("unavailable", True)
        counted.free.set()
    async with vault_of(counted, PATIENT) as vault:
        assert await vault.opened("shop", "key", sealed) == b"secret"


async def test_a_refusal_is_not_remembered(file_keyed: Keyed):
    counted = Counted(file_keyed.open())
    async with vault_of(counted) as vault:
        sealed = await vault.sealed("shop", "key", b"secret")
        file_keyed.lose()
        for _ in range(2):
            with pytest.raises(Unreadable):
                await vault.opened("shop", "key", sealed)
        file_keyed.find()
        assert await vault.opened("shop", "key", sealed) == b"secret"
    assert (counted.asked["unwrapped"], counted.closed) == (3, True)


def test_a_vault_outlives_the_event_loop_it_was_first_used_in(counted: Counted):
    """Lambda's adapter may run every request in a loop of its own."""
    vault = Vault(counted, "here")
    sealed = asyncio.run(vault.sealed("shop", "key", b"secret"))
    for _ in range(3):
        assert asyncio.run(vault.opened("shop", "key", sealed)) == b"secret"
    asyncio.run(vault.close())
    assert dict(counted.asked) == {"new": 1, "unwrapped": 1}
