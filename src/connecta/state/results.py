"""Call results too large for one answer, kept for ``get_result``."""

from connecta.limits import Limits
from connecta.state.kept import KeptTexts
from connecta.state.owners import Owner
from connecta.state.table import Table


class Results:
    """Compact-JSON payloads under ``r_`` ids, 15 minutes each."""

    def __init__(self, table: Table, limits: Limits) -> None:
        self._texts = KeptTexts(table, limits, name="result", prefix="r_", life_s=limits.result_s)

    async def keep(self, text: str, owner: Owner) -> str:
        """The id of the kept result. Raises ``unavailable`` or ``result_too_large``."""
        return await self._texts.keep(text, owner)

    async def read(self, id: str, owner: Owner) -> str | None:
        """The result, or ``None`` when this owner has none under ``id``. Raises ``unavailable``."""
        return await self._texts.read(id, owner)
