"""From an address to the tool it names."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from connecta import failures
from connecta.catalog.catalogs import Catalog
from connecta.catalog.nearest import nearest_addresses
from connecta.connectors.model import Connector, Tool
from connecta.failures import Route
from connecta.limits import LIMITS

LoadCatalog = Callable[[str], Awaitable[Catalog]]


@dataclass(frozen=True, slots=True)
class Target:
    """A tool and the connector it lives in."""

    connector: Connector
    tool: Tool

    @property
    def address(self) -> str:
        """The canonical address, byte for byte as search prints it (A1)."""
        return f"{self.connector.id}.{self.tool.name}"


async def resolve(address: str, connectors: Mapping[str, Connector], load: LoadCatalog, route: Route) -> Target:
    """The tool at ``address``: the connector id is everything before the first dot (A1).

    Raises ``unknown_address``, ``unknown_tool``, or whatever kept the catalog from loading.
    """
    connector_id, dot, name = address.partition(".")
    connector = connectors.get(connector_id)
    if not dot or connector is None:
        raise failures.unknown_address(address, list(connectors), route)
    catalog = await load(connector_id)
    tool = catalog.get(name)
    if tool is None:
        raise failures.unknown_tool(address, connector_id, _nearest(catalog, name), route)
    return Target(connector, tool)


def _nearest(catalog: Catalog, name: str) -> list[str]:
    """Suggestions for a name a person or a model could have meant; comparing a longer one only costs time."""
    return nearest_addresses(catalog, name) if len(name) <= LIMITS.address_bytes else []


async def resolve_shortcut(connector: Connector, alias: str, load: LoadCatalog) -> Target:
    """The tool a shortcut means (A2). Raises ``ambiguous_tool_alias`` (A3) or ``unknown_tool``."""
    catalog = await load(connector.id)
    matches = catalog.by_alias(alias)
    if len(matches) > 1:
        raise failures.ambiguous_alias(f"{connector.id}.{alias}", [f"{connector.id}.{t.name}" for t in matches])
    if not matches:
        near = _nearest(catalog, alias)
        raise failures.unknown_tool(f"{connector.id}.{alias}", connector.id, near, "function", shortcut=alias)
    return Target(connector, matches[0])
