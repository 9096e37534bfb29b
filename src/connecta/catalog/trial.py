"""Whether a connector's downstream takes what it is sent: asked for its tools once, and nothing is kept of it."""

import time
from collections.abc import Callable

from connecta.auth.authorizations import Authorizations
from connecta.catalog.listing import listed
from connecta.connectors.model import Connector
from connecta.limits import Limits


class Trials:
    """Of one deployment, with what its connectors are authorized with now."""

    def __init__(self, authorizations: Authorizations, limits: Limits, now: Callable[[], float] = time.time) -> None:
        self._authorizations = authorizations
        self._limits = limits
        self._now = now

    async def tools_of(self, connector: Connector) -> int:
        """How many tools it lists. Raises ``auth_required`` and ``catalog_lookup_failed``."""
        connection = connector.open(None, self._authorizations)
        try:
            return len((await listed(connector, lambda: connection, self._limits, fetched_at=self._now())).tools)
        finally:
            await connection.close()
