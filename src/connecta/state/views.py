"""The HTML of a program's view, kept so that a reloaded host can still show it (U3)."""

from connecta.limits import Limits
from connecta.state.kept import KeptTexts
from connecta.state.owners import Owner
from connecta.state.table import Table


class Views:
    """HTML documents under ``v_`` ids, 24 hours each."""

    def __init__(self, table: Table, limits: Limits) -> None:
        self._texts = KeptTexts(table, limits, name="view", prefix="v_", life_s=limits.view_s)

    async def keep(self, html: str, owner: Owner) -> str:
        """The id of the kept view. Raises ``unavailable`` or ``result_too_large``."""
        return await self._texts.keep(html, owner)

    async def read(self, id: str, owner: Owner) -> str | None:
        """The HTML, or ``None`` when this owner has none under ``id``. Raises ``unavailable``."""
        return await self._texts.read(id, owner)
