"""One connector's catalog: every tool it offers, as it was at one moment."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from connecta.catalog.aliases import sanitise
from connecta.catalog.drift import Drift, drift_of
from connecta.catalog.index import CatalogIndex, index_catalog
from connecta.connectors.model import Connector, Tool


@dataclass(frozen=True)
class Catalog:
    """A complete catalog. ``fetched_at`` is in seconds since the epoch, when the downstream was asked."""

    connector: Connector
    tools: tuple[Tool, ...]
    fetched_at: float

    def get(self, name: str) -> Tool | None:
        """The tool of exactly this name (A1)."""
        return self._by_name.get(name)

    def by_alias(self, alias: str) -> list[Tool]:
        """Every tool whose sanitised name is ``alias``: more than one is ambiguous (A3)."""
        return list(self._by_alias.get(alias, ()))

    def address(self, tool: Tool) -> str:
        return f"{self.connector.id}.{tool.name}"

    def asked_again(self, fetched_at: float) -> "Catalog":
        """The same tools as of another moment, with everything that was made of them."""
        later = replace(self, fetched_at=fetched_at)
        vars(later).update(vars(self), fetched_at=fetched_at)
        return later

    @cached_property
    def in_order(self) -> tuple[Tool, ...]:
        """The tools in the order of their names, as browsing shows them."""
        return tuple(sorted(self.tools, key=lambda tool: tool.name))

    @cached_property
    def index(self) -> CatalogIndex:
        """The search index, built when this catalog is first searched and kept as long as the catalog."""
        return index_catalog(self.connector, self.in_order)

    @cached_property
    def drift(self) -> Drift | None:
        """How far it has moved from the list its deployment keeps; ``None`` where none is kept. Counted from the tools
        themselves, so that it is right for whatever list this deployment came with."""
        reviewed = self.connector.reviewed
        return None if reviewed is None else drift_of(self.tools, reviewed)

    @cached_property
    def _by_name(self) -> Mapping[str, Tool]:
        return {tool.name: tool for tool in self.tools}

    @cached_property
    def _by_alias(self) -> Mapping[str, Sequence[Tool]]:
        found: dict[str, list[Tool]] = {}
        for tool in self.tools:
            found.setdefault(sanitise(tool.name), []).append(tool)
        return found


def distinct(tools: Iterable[Tool]) -> tuple[Tool, ...]:
    """``tools`` with one entry a name, in the order they came. Where a downstream lists a name twice, an entry that
    is not explicitly read-only wins: an address cannot say which of the two was meant."""
    kept: dict[str, Tool] = {}
    for tool in tools:
        known = kept.get(tool.name)
        if known is None or (known.annotations.program_may_call and not tool.annotations.program_may_call):
            kept[tool.name] = tool
    return tuple(kept.values())
