"""What an operator filled in for a connector: one item per connector, its fields encrypted before they come here."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from connecta.state.owners import digest
from connecta.state.records import Record, Value
from connecta.state.table import Table

_CREDENTIAL: Final = "credential"
_FIELD: Final = "field:"
"""Begins the attribute of each field, so that none can be taken for what is said about all of them."""


@dataclass(frozen=True, slots=True)
class SealedCredential:
    """The sealed fields by name, sorted; when (epoch seconds) and by whom they were set."""

    fields: Mapping[str, bytes] = field(repr=False)
    set_at: float
    set_by: str


class CredentialRecords:
    """The credentials of one deployment; they stay until they are removed. Every method raises ``unavailable`` as
    ``Table`` does."""

    def __init__(self, table: Table, deployment: str) -> None:
        self._table = table
        self._deployment = deployment

    async def read(self, connector: str) -> SealedCredential | None:
        """As it was written last, by whichever process."""
        record = await self._table.get(self._key(connector), _CREDENTIAL)
        return None if record is None else _read(record)

    async def write(self, connector: str, fields: Mapping[str, bytes], by: str) -> None:
        """All fields at once, over all that were there: nobody ever reads half of two credentials."""
        values: dict[str, Value] = {f"{_FIELD}{name}": sealed for name, sealed in fields.items()}
        about: dict[str, Value] = {"connector": connector, "set_at": self._table.now(), "set_by": by}
        await self._table.put(Record(self._key(connector), _CREDENTIAL, None, {**values, **about}))

    async def remove(self, connector: str) -> bool:
        """Whether there was one; now there is none."""
        return await self._table.take(self._key(connector), _CREDENTIAL) is not None

    def _key(self, connector: str) -> str:
        return f"credential#{digest(self._deployment, connector)}"


def _read(record: Record) -> SealedCredential:
    sealed = {
        name.removeprefix(_FIELD): value
        for name, value in sorted(record.values.items())
        if name.startswith(_FIELD) and isinstance(value, bytes)
    }
    return SealedCredential(sealed, float(record.values["set_at"]), str(record.values["set_by"]))
