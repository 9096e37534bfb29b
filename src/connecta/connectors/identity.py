"""Who one request is to one downstream: what it shows, tried once more after a refusal, and never passed on."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from connecta.auth.authorizations import Authorizations
from connecta.auth.credentials import Authorized
from connecta.auth.presented import NOTHING, Presented
from connecta.failures import Failure

if TYPE_CHECKING:
    import httpx2

REFUSALS: Final = frozenset({401, 403})
_CHALLENGES: Final = ("www-authenticate", "x-amzn-remapped-www-authenticate")
"""API Gateway renames the header of what is behind it."""


class Identity:
    """What is stored is read when it is first needed, and once, however many calls the request makes."""

    def __init__(self, server: Authorized, authorizations: Authorizations | None) -> None:
        self._server = server
        self._authorizations = authorizations or Authorizations()
        self._turn = asyncio.Lock()
        self._shown: Presented | None = None

    @property
    def shown(self) -> Presented:
        """What requests carry right now."""
        return self._shown or NOTHING

    async def presented(self, operation: str) -> Presented:
        """What to show. Raises ``auth_required`` and ``unavailable``; whoever asks next asks anew."""
        async with self._turn, _unsent():
            if self._shown is None:
                self._shown = await self._authorizations.present(self._server, operation)
            return self._shown

    async def renewed(self, operation: str, used: Presented, response: "httpx2.Response") -> Presented:
        """What to show instead of ``used``, which a 401 or 403 refused; it may be tried once. Of calls that are refused
        at once, the first has it renewed for all. Raises ``auth_required`` where there is nothing else."""
        async with self._turn, _unsent():
            if self._shown is not None and self._shown is not used:
                return self._shown
            from connecta.auth.downstream.challenge import challenge_in

            said = [value for name in _CHALLENGES for value in response.headers.get_list(name)]
            found = await self._authorizations.after_refusal(
                self._server, operation, used, challenge_in(said), status=response.status_code
            )
            self._shown = found.together([used])
            return self._shown

    def refused(self, operation: str) -> Failure:
        return self._authorizations.refused(self._server, operation)

    def is_repeated(self, value: object, *, in_error: bool = False) -> bool:
        """Whether JSON of a downstream says back what it was shown. What cannot be looked through counts as if."""
        shown = self.shown
        if not shown.guards:
            return False
        try:
            text = json.dumps(value, ensure_ascii=False)
        except (RecursionError, TypeError, ValueError):
            return True
        return shown.in_error(text) if in_error else shown.in_answer(text)


@asynccontextmanager
async def _unsent() -> AsyncGenerator[None]:
    """Marks what fails in here as what no downstream can have acted on."""
    try:
        yield
    except Failure as failure:
        failure.heard = False
        raise
