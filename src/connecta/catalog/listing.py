"""One catalog from its downstream: complete and within bounds, or a failure."""

import asyncio
from collections.abc import Callable

from connecta import failures
from connecta.catalog.catalog import Catalog, distinct
from connecta.connectors.model import Connection, Connector
from connecta.failures import Failure
from connecta.limits import Limits


async def listed(
    connector: Connector, open_connection: Callable[[], Connection], limits: Limits, *, fetched_at: float
) -> Catalog:
    """The downstream's own answer. Raises ``auth_required`` as the connection does, else ``catalog_lookup_failed``."""
    try:
        async with asyncio.timeout(limits.catalog_load_s):
            tools = await open_connection().list_tools()
    except TimeoutError:
        raise late(connector.id, limits) from None
    except Failure as failure:
        if failure.code in ("auth_required", "catalog_lookup_failed"):
            raise
        raise failures.catalog_failed(
            f'The tools of "{connector.id}" could not be listed: {failure.message}', retryable=failure.retryable
        ) from failure
    if len(tools) > limits.catalog_tools:
        raise failures.catalog_failed(
            f'"{connector.id}" lists more than {limits.catalog_tools} tools.', retryable=False
        )
    return Catalog(connector, distinct(tools), fetched_at)


def late(connector_id: str, limits: Limits) -> Failure:
    """Nobody had the catalog within the deadline of one load."""
    seconds = f"{limits.catalog_load_s:g} s"
    return failures.catalog_failed(f'"{connector_id}" did not list its tools within {seconds}.', retryable=True)
