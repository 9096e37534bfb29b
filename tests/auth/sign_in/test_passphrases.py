"""How often a passphrase may be tried (auth.md: slow down before any hash is computed, never lock the owner out)."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from typing import cast

from connecta.auth.sign_in.hashes import hashed
from connecta.auth.sign_in.passphrases import OWNER, Passphrases, Refused, Slowed
from connecta.auth.sign_in.secret import SignInSecret, secret_text
from connecta.limits import LIMITS
from connecta.state.attempts import Attempts
from connecta.state.records import Record
from connecta.state.table import Condition, Table
from tests.fixtures.dynamodb import Clock, StateOpener, dynamodb, dynamodb_client, open_here

__all__ = ["dynamodb", "dynamodb_client", "open_here"]

HERE, ELSEWHERE = "203.0.113.9", "198.51.100.7"
KEPT = hashed("twelve letters")
RIGHT, WRONG = "twelve letters", "twelve numbers"


@dataclass
class Counted:
    """Compares without the cost, and counts how often."""

    times: int = 0

    def __call__(self, passphrase: str, kept: str) -> bool:
        assert kept == KEPT
        self.times += 1
        return passphrase == RIGHT


@dataclass
class Remembered:
    """A table for one who asks after the other: in memory, so that ten thousand are soon asked."""

    now: Clock
    records: dict[tuple[str, str], Record] = field(default_factory=dict[tuple[str, str], Record])

    async def get(self, pk: str, sk: str) -> Record | None:
        return self.records.get((pk, sk))

    async def put(self, record: Record, *, only_over: Condition) -> bool:
        self.records[record.pk, record.sk] = record
        return True

    async def delete(self, pk: str, sk: str) -> None:
        self.records.pop((pk, sk), None)


def passphrases(open_here: StateOpener, clock: Clock, counted: Counted, kept: str | None = KEPT) -> Passphrases:
    state = open_here(now=clock)
    secret = SignInSecret(lambda: secret_text("k" * 64, kept), LIMITS)
    return Passphrases(secret, state.attempts, state.budgets, LIMITS, matches=counted)


async def test_the_owner_signs_in_and_nobody_else(open_here: StateOpener):
    way = passphrases(open_here, Clock(), Counted())
    assert await way.check(RIGHT, HERE) == OWNER
    assert await way.check(WRONG, HERE) == Refused.WRONG
    assert await way.check("", HERE) == Refused.WRONG


async def test_before_a_passphrase_is_set_nothing_is_compared(open_here: StateOpener):
    counted = Counted()
    assert await passphrases(open_here, Clock(), counted, None).check(RIGHT, HERE) == Refused.NOT_SET
    assert counted.times == 0


async def test_a_passphrase_of_any_length_costs_no_more_than_one(open_here: StateOpener):
    counted = Counted()
    way = passphrases(open_here, Clock(), counted)
    assert await way.check("x" * (LIMITS.passphrase_chars_max + 1), HERE) == Refused.WRONG
    assert counted.times == 0


async def test_waits_double_up_to_a_minute_and_nothing_is_hashed_meanwhile(open_here: StateOpener):
    clock, counted = Clock(), Counted()
    way = passphrases(open_here, clock, counted)
    waits: list[int] = []
    for _ in range(LIMITS.passphrases_free):
        assert await way.check(WRONG, HERE) == Refused.WRONG
    for _ in range(8):
        slowed = await way.check(RIGHT, HERE)
        assert isinstance(slowed, Slowed)
        waits.append(slowed.seconds)
        clock.seconds += slowed.seconds
        assert await way.check(WRONG, HERE) == Refused.WRONG
    assert waits == [2, 4, 8, 16, 32, 60, 60, 60]
    assert counted.times == LIMITS.passphrases_free + 8


async def test_a_flood_of_wrong_passphrases_is_slowed_down_before_hashing(open_here: StateOpener):
    """Each is refused by one look at the table, so how many there are makes no difference."""
    counted = Counted()
    way = passphrases(open_here, Clock(), counted)
    for _ in range(20):
        await asyncio.gather(*(way.check(WRONG, HERE) for _ in range(10)))
    assert counted.times <= LIMITS.passphrases_free
    assert await way.check(RIGHT, ELSEWHERE) == OWNER


async def test_of_ten_thousand_wrong_passphrases_a_handful_is_hashed(open_here: StateOpener):
    """A hundred in each of a hundred seconds, from one address. What is hashed is what the waits let through: those
    that are free, then one after 2, 4, 8, 16 and 32 seconds. The owner comes in from elsewhere at once."""
    clock, counted = Clock(), Counted()
    attempts = Attempts(cast(Table, Remembered(clock)), "here", LIMITS)
    secret = SignInSecret(lambda: secret_text("k" * 64, KEPT), LIMITS)
    way = Passphrases(secret, attempts, open_here(now=clock).budgets, LIMITS, matches=counted)
    answers: Counter[type] = Counter()
    for _ in range(100):
        answers.update([type(await way.check(WRONG, HERE)) for _ in range(100)])
        clock.seconds += 1
    assert (counted.times, answers) == (
        LIMITS.passphrases_free + 5,
        {Refused: counted.times, Slowed: 10_000 - counted.times},
    )
    assert await way.check(RIGHT, ELSEWHERE) == OWNER


async def test_many_processes_at_once_count_as_one(open_here: StateOpener):
    clock, counted = Clock(), Counted()
    fleet = [passphrases(open_here, clock, counted) for _ in range(20)]
    answers = await asyncio.gather(*(way.check(WRONG, HERE) for way in fleet))
    assert counted.times == answers.count(Refused.WRONG) <= LIMITS.passphrases_free
    assert all(isinstance(answer, Slowed) for answer in answers if answer is not Refused.WRONG)


async def test_under_attack_from_everywhere_each_address_still_has_its_first_try(open_here: StateOpener):
    clock, counted = Clock(), Counted()
    way = passphrases(open_here, clock, counted)
    for number in range(LIMITS.passphrases_all):
        await way.check(WRONG, f"10.0.{number // 250}.{number % 250}")
    assert await way.check(WRONG, ELSEWHERE) == Refused.WRONG
    assert await way.check(RIGHT, ELSEWHERE) == Slowed(2)
    assert await way.check(RIGHT, HERE) == OWNER
    clock.seconds += 2
    assert await way.check(RIGHT, ELSEWHERE) == OWNER


async def test_signing_in_forgets_what_went_wrong_before(open_here: StateOpener):
    clock = Clock()
    way = passphrases(open_here, clock, Counted())
    for _ in range(LIMITS.passphrases_free - 1):
        await way.check(WRONG, HERE)
    assert await way.check(RIGHT, HERE) == OWNER
    assert [await way.check(WRONG, HERE) for _ in range(LIMITS.passphrases_free)] == [
        Refused.WRONG
    ] * LIMITS.passphrases_free


async def test_whoever_has_an_ipv6_address_has_a_network_of_them(open_here: StateOpener):
    counted = Counted()
    way = passphrases(open_here, Clock(), counted)
    for number in range(20):
        await way.check(WRONG, f"2001:db8::{number:x}")
    assert counted.times == LIMITS.passphrases_free


async def test_a_new_passphrase_holds_within_a_minute(open_here: StateOpener):
    state, ticking, kept = open_here(), Clock(), [hashed(WRONG)]
    secret = SignInSecret(lambda: secret_text("k" * 64, kept[0]), LIMITS, ticking)
    way = Passphrases(secret, state.attempts, state.budgets, LIMITS)
    assert await way.check(WRONG, HERE) == OWNER
    kept[0] = KEPT
    ticking.seconds += LIMITS.sign_in_secret_s
    assert [await way.check(each, HERE) for each in (WRONG, RIGHT)] == [Refused.WRONG, OWNER]
