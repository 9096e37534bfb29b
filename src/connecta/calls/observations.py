"""The ``ui://`` resources a call named, noted once it is answered. They are carried to the caller, never rendered."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Protocol

from connecta.calls.targets import Target
from connecta.connectors.mcp_ui import ui_resources
from connecta.connectors.model import Connection, Connector, ToolResult, UiPins
from connecta.failures import quote
from connecta.limits import Limits
from connecta.state.activity import Observation, Pin
from connecta.text import clamp

Note = Callable[[tuple[Observation, ...]], None]


class World(Protocol):
    @property
    def limits(self) -> Limits: ...
    def connection(self, connector: Connector) -> Connection: ...


async def observe(target: Target, result: ToolResult, world: World, left_s: float, note: Note) -> None:
    """``note`` what ``target`` and ``result`` name, again each time that more of it is known: whoever gives up in
    the middle has what there is. Fetches only where the connector wants that, within ``left_s`` and its own bound."""
    limits = world.limits
    named = ui_resources(target.tool, result, limits.ui_observed)
    if not named:
        return
    connection = world.connection(target.connector)
    pins = connection if isinstance(connection, UiPins) else None
    observed = _at_once(named, limits, wanted=pins is not None)
    note(tuple(observed.values()))
    if pins is None:
        return
    with suppress(TimeoutError):
        async with asyncio.timeout(min(left_s, limits.ui_pin_s)):
            for uri, known in observed.items():
                if known.pin == "unresolvable" and _is_fetched(uri, limits):
                    observed[uri] = _resolved(known, await pins.ui_hash(uri))
                    note(tuple(observed.values()))


def _at_once(named: Mapping[str, str | None], limits: Limits, *, wanted: bool) -> dict[str, Observation]:
    unknown: Pin = "unresolvable" if wanted else "not-requested"
    return {
        uri: Observation(clamp(quote(uri), limits.ui_uri_bytes), "embedded" if hashed else unknown, hashed)
        for uri, hashed in named.items()
    }


def _is_fetched(uri: str, limits: Limits) -> bool:
    """Whether ``uri`` is one: RFC 3986 knows printable ASCII only, and nothing else has a place in a header."""
    return len(uri) <= limits.ui_uri_bytes and uri.isascii() and uri.isprintable()


def _resolved(known: Observation, hashed: str | None) -> Observation:
    return known if hashed is None else Observation(known.resource_uri, "resolved", hashed)
