"""How often strangers may have this server write or fetch something for them: by address, and all together."""

from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final, Literal

from connecta.limits import Limits
from connecta.state.budgets import Budgets, Contended

_CONTENDED_S: Final = 1.0
"""A budget so many take from at once is as good as used up."""
_NETWORK_BITS: Final = 64
"""Whoever has one IPv6 address has a network of them."""


class Throttle:
    """Budgets in the table, so that they hold over all processes."""

    def __init__(self, budgets: Budgets, limits: Limits) -> None:
        self._budgets = budgets
        self._window_s = limits.strangers_window_s
        self._most = {
            "registrations": (limits.registrations_each, limits.registrations_all),
            "documents": (limits.documents_each, limits.documents_all),
        }

    async def wait_s(self, what: Literal["registrations", "documents"], address: str) -> float:
        """Takes one place; 0 when there was one, else the seconds until there is. Raises ``unavailable``."""
        each, together = self._most[what]
        try:
            wait_s = await self._budgets.take(f"oauth {what} {source_of(address)}", each, self._window_s)
            if wait_s > 0:
                return wait_s
            return await self._budgets.take(f"oauth {what}", together, self._window_s)
        except Contended:
            return _CONTENDED_S


def source_of(address: str) -> str:
    """Whose ``address`` it is, for counting: IPv6 by network. Unknown addresses are one source."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return "unknown"
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    return str(parsed.ipv4_mapped or ip_network((parsed, _NETWORK_BITS), strict=False))
