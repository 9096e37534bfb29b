"""Who was found to hold a token a moment ago, so that a busy client costs one look-up every half minute."""

import hashlib
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from math import inf
from typing import TypeAlias

from connecta.auth.callers import Caller
from connecta.limits import Limits


@dataclass(frozen=True, slots=True)
class Found:
    """Whose token it is, and when it ends in epoch seconds, if it does."""

    caller: Caller
    until: float = inf


LookUp: TypeAlias = Callable[[str], Awaitable[Found | None]]
"""Who holds a token, ``None`` for nobody. May raise."""


class Recent:
    """Callers by their verified tokens, for ``limits.token_memory_s`` from before the look-up that verified them: a
    token revoked since then is refused everywhere after that time."""

    def __init__(self, limits: Limits, now: Callable[[], float] = time.time) -> None:
        self._limits = limits
        self._now = now
        self._known: OrderedDict[bytes, tuple[float, Caller]] = OrderedDict()

    async def caller(self, token: str, look_up: LookUp) -> Caller | None:
        """The caller whose token this was found to be lately, else the one that ``look_up`` finds now."""
        known = self._recalled(token)
        if known is not None:
            return known
        since = self._now()
        found = await look_up(token)
        if found is None:
            return None
        self._remember(token, found.caller, min(since + self._limits.token_memory_s, found.until))
        return found.caller

    def _recalled(self, token: str) -> Caller | None:
        key = _key(token)
        until, caller = self._known.get(key, (0.0, None))
        if caller is None or until <= self._now():
            self._known.pop(key, None)
            return None
        self._known.move_to_end(key)
        return caller

    def _remember(self, token: str, caller: Caller, until: float) -> None:
        self._known[_key(token)] = (until, caller)
        while len(self._known) > self._limits.tokens_remembered:
            self._known.popitem(last=False)


def _key(token: str) -> bytes:
    """Not the token itself, which should not lie about in memory longer than its request."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
