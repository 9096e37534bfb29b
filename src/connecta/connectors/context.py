"""``ctx``: all that a tool of an ``api`` connector is given."""

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from connecta.connectors.cache import Cache
    from connecta.connectors.http import Http


@dataclass(frozen=True, slots=True)
class Context:
    """``credential`` is the connector's secret, already sent by ``http``; ``cache`` keeps values for later calls;
    ``deadline`` is on ``time.monotonic()``'s clock; ``logger`` writes to the function's log and never to a caller."""

    http: "Http"
    cache: "Cache"
    credential: str | None
    deadline: float
    logger: logging.Logger
