"""Text kept for one caller under an unguessable id, for a while."""

import re
import secrets
from math import ceil
from typing import Final

from connecta.limits import Limits
from connecta.state.chunks import Chunks
from connecta.state.owners import Owner
from connecta.state.table import Table

_RANDOM_BYTES: Final = 16
"""128 random bits, 22 URL-safe characters: an id is all a view needs to fetch itself."""


class KeptTexts:
    """Texts of one kind: ``name`` begins their keys, ``prefix`` their ids, ``life_s`` is how long they last.

    A lone surrogate comes back as the lone surrogate it was: a guest's string may hold one, and refusing
    the whole text for it would help nobody.
    """

    def __init__(self, table: Table, limits: Limits, *, name: str, prefix: str, life_s: int) -> None:
        self._table = table
        self._chunks = Chunks(table, limits)
        self._name = name
        self._prefix = prefix
        self._pattern = re.compile(re.escape(prefix) + r"[A-Za-z0-9_-]{22}")
        self._life_s = life_s

    async def keep(self, text: str, owner: Owner) -> str:
        """The id ``text`` is kept under. Raises ``unavailable`` or ``result_too_large``."""
        id = self._prefix + secrets.token_urlsafe(_RANDOM_BYTES)
        expires_at = ceil(self._table.now() + self._life_s)
        await self._chunks.write(self._key(id, owner), text.encode("utf-8", "surrogatepass"), expires_at=expires_at)
        return id

    async def read(self, id: str, owner: Owner) -> str | None:
        """The text; ``None`` for a malformed, unknown, expired or foreign id alike. Raises ``unavailable``."""
        if self._pattern.fullmatch(id) is None:
            return None
        payload = await self._chunks.read(self._key(id, owner))
        return None if payload is None else payload.data.decode("utf-8", "surrogatepass")

    def _key(self, id: str, owner: Owner) -> str:
        return f"{self._name}#{owner.digest}#{id}"
