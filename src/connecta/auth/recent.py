"""Who was found to hold a token a moment ago, so that a busy client costs one look-up every half minute."""

import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable

from connecta.auth.callers import Caller
from connecta.limits import Limits


class Recent:
    """Callers by their verified tokens, for ``limits.token_memory_s`` from before the look-up that verified them: a
    token revoked since then is refused everywhere after that time."""

    def __init__(self, limits: Limits, now: Callable[[], float] = time.time) -> None:
        self._limits = limits
        self._now = now
        self._known: OrderedDict[bytes, tuple[float, Caller]] = OrderedDict()

    def now(self) -> float:
        """The clock that memories end by, in epoch seconds."""
        return self._now()

    def caller(self, token: str) -> Caller | None:
        """The caller whose token this was found to be lately."""
        key = _key(token)
        until, caller = self._known.get(key, (0.0, None))
        if caller is None or until <= self._now():
            self._known.pop(key, None)
            return None
        self._known.move_to_end(key)
        return caller

    def remember(self, token: str, caller: Caller, *, since: float, until: float | None = None) -> None:
        """``since`` is when the look-up began; ``until`` is when the token ends, if it does."""
        memory_ends = since + self._limits.token_memory_s
        self._known[_key(token)] = (memory_ends if until is None else min(memory_ends, until), caller)
        while len(self._known) > self._limits.tokens_remembered:
            self._known.popitem(last=False)


def _key(token: str) -> bytes:
    """Not the token itself, which should not lie about in memory longer than its request."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
