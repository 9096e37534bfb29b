"""Authorization codes: good once, for a minute, and only for what they were given for (RFC 6749 4.1.2, 10.5)."""

from dataclasses import asdict, dataclass
from math import ceil
from typing import Final

from connecta.limits import Limits
from connecta.state.owners import digest
from connecta.state.records import Record
from connecta.state.table import Table
from connecta.state.tickets import Ticket, new_ticket, same, ticket_in

PREFIX: Final = "ctk_"
_CODE: Final = "code"


@dataclass(frozen=True, slots=True)
class Authorization:
    """What somebody agreed to. ``challenge`` is the S256 one of RFC 7636. ``subject`` is who; ``email`` and ``issuer``
    are what their identity provider had verified and which one that was, both empty where there was none."""

    client: str
    label: str
    subject: str
    redirect_uri: str
    challenge: str
    scope: str
    resource: str
    email: str = ""
    issuer: str = ""


class Codes:
    """The codes of one deployment. Every method raises ``unavailable`` as ``Table`` does."""

    def __init__(self, table: Table, deployment: str, limits: Limits) -> None:
        self._table = table
        self._deployment = deployment
        self._life_s = limits.code_s

    async def issue(self, authorization: Authorization) -> str:
        """The code that stands for ``authorization``."""
        code = new_ticket(PREFIX)
        expires_at = ceil(self._table.now() + self._life_s)
        values = {**asdict(authorization), "digest": code.digest}
        await self._table.put(Record(self._key(code.id), _CODE, expires_at, values))
        return code.text

    async def redeem(self, text: str) -> tuple[Ticket, Authorization] | Ticket | None:
        """What the code stood for, and it stands for nothing any more: of two who redeem one, one gets it.

        Only the ticket for a code there is nothing under (any more), ``None`` for what is no code at all.
        """
        code = ticket_in(PREFIX, text)
        if code is None:
            return None
        record = await self._table.take(self._key(code.id), _CODE)
        if record is None or not same(str(record.values["digest"]), code.digest):
            return code
        names = Authorization.__slots__
        return code, Authorization(**{name: str(record.values.get(name, "")) for name in names})

    def _key(self, id: str) -> str:
        return f"code#{digest(self._deployment, id)}"
