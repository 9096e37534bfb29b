"""``ctx.cache``: what a connector's tools keep for the next call, in whatever process that is."""

from collections.abc import Callable
from dataclasses import dataclass

from connecta.state.values import Values
from connecta.text import Json

TTL_MAX_S = 24 * 3_600


@dataclass(frozen=True, slots=True)
class Cache:
    """The values of one connector. Shared by all callers: what belongs to one of them has that in its key."""

    values: Values | None
    """``None`` where the connector was opened without state; then nothing is ever found."""
    connector: str
    is_secret: Callable[[Json], bool] = lambda _: False
    """Whether a value has in it what the connector shows its downstream: the table is no place for that."""

    async def get(self, key: str) -> Json:
        """The value under ``key``; ``None`` when there is none, or it has ended."""
        kept = await self.read(key)
        return None if kept is None else kept[0]

    async def set(self, key: str, value: Json, ttl: float) -> None:
        """Keeps ``value``, which is JSON, for ``ttl`` seconds, at most a day, unless it repeats the credential."""
        if not 0 < ttl <= TTL_MAX_S:
            raise ValueError(f"ttl must be more than 0 and at most {TTL_MAX_S:,} seconds")
        if self.values is not None and not self.is_secret(value):
            await self.values.write(self.connector, key, value, ttl)

    async def read(self, key: str) -> tuple[Json] | None:
        """As ``get``, with null and nothing told apart."""
        return None if self.values is None else await self.values.read(self.connector, key)
