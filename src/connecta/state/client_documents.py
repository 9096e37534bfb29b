"""Documents that clients describe themselves in, as last fetched from the address that is their id."""

from dataclasses import dataclass
from math import ceil
from typing import Final

from connecta.limits import Limits
from connecta.state.owners import digest
from connecta.state.records import Record
from connecta.state.table import Table

_DOCUMENT: Final = "document"
_REST: Final = "rest"


@dataclass(frozen=True, slots=True)
class KeptDocument:
    """The document's bytes; a ``fresh`` one need not be fetched again."""

    body: bytes
    fresh: bool


class ClientDocuments:
    """The documents one deployment has fetched. Every method raises ``unavailable`` as ``Table`` does."""

    def __init__(self, table: Table, deployment: str, limits: Limits) -> None:
        self._table = table
        self._deployment = deployment
        self._limits = limits

    async def read(self, client_id: str) -> KeptDocument | None:
        record = await self._table.get(self._key(client_id), _DOCUMENT)
        body = None if record is None else record.values.get("body")
        if record is None or not isinstance(body, bytes):
            return None
        age_s = self._table.now() - float(record.values["fetched_at"])
        return KeptDocument(body, fresh=age_s < self._limits.client_document_fresh_s)

    async def keep(self, client_id: str, body: bytes) -> None:
        """Remember the document for ``limits.client_document_kept_s``."""
        now = self._table.now()
        expires_at = ceil(now + self._limits.client_document_kept_s)
        values = {"id": client_id, "body": body, "fetched_at": now}
        await self._table.put(Record(self._key(client_id), _DOCUMENT, expires_at, values))

    async def rest(self, client_id: str) -> None:
        """Have nobody fetch the document for ``limits.client_document_rest_s``: it could not be had."""
        expires_at = ceil(self._table.now() + self._limits.client_document_rest_s)
        await self._table.put(Record(self._key(client_id), _REST, expires_at))

    async def resting(self, client_id: str) -> bool:
        """Whether the document could not be had a moment ago."""
        return await self._table.get(self._key(client_id), _REST) is not None

    def _key(self, client_id: str) -> str:
        return f"document#{digest(self._deployment, client_id)}"
