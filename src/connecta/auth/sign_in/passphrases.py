"""Signing in with the passphrase: how often it may be tried is settled before any of it is hashed."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from math import ceil
from typing import Final, TypeAlias

from connecta.auth.authorization_server.throttle import source_of
from connecta.auth.sign_in.config import Passphrase
from connecta.auth.sign_in.hashes import matches
from connecta.auth.sign_in.secret import SignInSecret
from connecta.auth.sign_in.sessions import Person
from connecta.failures import Failure
from connecta.limits import Limits
from connecta.log import logger
from connecta.state.attempts import Attempts
from connecta.state.budgets import Budgets, Contended

OWNER: Final = Person("owner", "the owner of this server")
_BUSY_S: Final = 2


class Refused(Enum):
    WRONG = auto()
    NOT_SET = auto()
    """There is no passphrase yet."""


@dataclass(frozen=True, slots=True)
class Slowed:
    """Nothing was checked; whole seconds until it may be tried again."""

    seconds: int


Checked: TypeAlias = Person | Refused | Slowed


class Passphrases:
    """One deployment's. Nobody is ever locked out: an address waits a minute at most, and however many others guess,
    one that has not tried before has its first try at once."""

    def __init__(
        self,
        secret: SignInSecret,
        attempts: Attempts,
        budgets: Budgets,
        limits: Limits,
        *,
        matches: Callable[[str, str], bool] = matches,
    ) -> None:
        """``matches`` is what compares a passphrase with the hash, at its cost."""
        self._secret = secret
        self._attempts = attempts
        self._budgets = budgets
        self._limits = limits
        self._matches = matches
        self._one_at_a_time = asyncio.Lock()
        self._waiting = 0

    def lets_in(self, person: Person) -> bool:
        """Whether who signed in once still may come in."""
        return Passphrase().lets_in(person)

    async def check(self, passphrase: str, address: str) -> Checked:
        """Who signs in with ``passphrase`` from ``address``. Raises ``unavailable``."""
        kept = (await self._secret.kept()).passphrase
        if kept is None:
            logger.warning("Somebody wanted to sign in, and no passphrase is set: python -m connecta passphrase")
            return Refused.NOT_SET
        source = source_of(address)
        if self._waiting >= self._limits.passphrases_waiting:
            return Slowed(_BUSY_S)
        wait_s = await self._begun(source)
        if wait_s > 0:
            logger.warning("Signing in was slowed down.", extra={"source": source, "seconds": ceil(wait_s)})
            return Slowed(ceil(wait_s))
        if not await self._is_right(passphrase, kept):
            logger.warning("A wrong passphrase was given.", extra={"source": source})
            return Refused.WRONG
        await self._succeeded(source)
        return OWNER

    async def _begun(self, source: str) -> float:
        """Counts an attempt and returns 0, or the seconds until ``source`` may make one."""
        free = self._limits.passphrases_free
        wait_s = await self._attempts.wait_s(source, free)
        if wait_s > 0:
            return wait_s
        return await self._attempts.begin(source, 1 if await self._is_under_attack() else free)

    async def _is_under_attack(self) -> bool:
        """Whether so many tried of late, from wherever, that it cannot be people."""
        most, window_s = self._limits.passphrases_all, self._limits.passphrases_window_s
        try:
            return await self._budgets.take("passphrases", most, window_s) > 0
        except Contended:
            return True

    async def _is_right(self, passphrase: str, kept: str) -> bool:
        if len(passphrase) > self._limits.passphrase_chars_max:
            return False
        self._waiting += 1
        try:
            async with self._one_at_a_time:
                return await asyncio.to_thread(self._matches, passphrase, kept)
        finally:
            self._waiting -= 1

    async def _succeeded(self, source: str) -> None:
        logger.info("The owner signed in with the passphrase.", extra={"source": source})
        try:
            await self._attempts.forget(source)
        except Failure as failure:
            # They are in; only the wait after the next wrong one is longer than it should be.
            logger.warning("Attempts to sign in could not be forgotten.", extra={"code": failure.code})
