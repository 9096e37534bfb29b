"""People sent to an identity provider who have not come back yet."""

from dataclasses import asdict, dataclass
from math import ceil
from typing import Final

from connecta.limits import Limits
from connecta.state.owners import digest
from connecta.state.records import Record
from connecta.state.table import Table

_SIGN_IN: Final = "sign-in"


@dataclass(frozen=True, slots=True)
class StartedSignIn:
    """Whose browser it is (``session``), what the provider has to repeat (``nonce``), what proves to it that we asked
    (``verifier``), and the page of ours to come back to."""

    session: str
    nonce: str
    verifier: str
    place: str


class SignIns:
    """Each is taken once. Every method raises ``unavailable`` as ``Table`` does."""

    def __init__(self, table: Table, deployment: str, limits: Limits) -> None:
        self._table = table
        self._deployment = deployment
        self._life_s = limits.sign_in_form_s

    async def keep(self, state: str, started: StartedSignIn) -> None:
        expires_at = ceil(self._table.now() + self._life_s)
        await self._table.put(Record(self._key(state), _SIGN_IN, expires_at, asdict(started)))

    async def take(self, state: str) -> StartedSignIn | None:
        """What was kept under ``state``, and nobody gets it again."""
        record = await self._table.take(self._key(state), _SIGN_IN)
        # What was deployed before kept no place: whoever was away while it was replaced starts again.
        if record is None or "place" not in record.values:
            return None
        return StartedSignIn(**{name: str(record.values[name]) for name in StartedSignIn.__slots__})

    def _key(self, state: str) -> str:
        return f"sign-in#{digest(self._deployment, state)}"
