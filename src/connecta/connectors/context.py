"""``ctx``: all that a tool of an ``api`` connector is given."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from connecta.connectors.cache import Cache
    from connecta.connectors.http import Http


@dataclass(frozen=True, slots=True)
class Context:
    """``credential`` is the connector's secret, already sent by ``http``, and ``None`` where it has several fields;
    ``credentials`` are all of them by name, of which ``http`` sends none that are not a user name and a password.
    ``cache`` keeps values for later calls; ``deadline`` is on ``time.monotonic()``'s clock; ``logger`` writes to the
    function's log and never to a caller."""

    http: "Http"
    cache: "Cache"
    credential: str | None = field(repr=False)
    credentials: Mapping[str, str] = field(repr=False)
    deadline: float
    logger: logging.Logger
