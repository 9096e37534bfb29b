"""Where the time of one request went: the numbers ``diagnostics`` reports (R7, R8)."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter

from connecta.text import Json, JsonObject


@dataclass(slots=True)
class Operation:
    """One guest operation: how often, how often in vain, how long in all (ms), how many result bytes."""

    count: int = 0
    failures: int = 0
    ms: float = 0.0
    bytes: int = 0


@dataclass(slots=True)
class Timings:
    """Sums over one request, in milliseconds. Parallel calls add up, so a sum may exceed the wall time."""

    catalog_ms: float = 0.0
    connector_ms: float = 0.0
    operations: dict[str, Operation] = field(default_factory=dict[str, Operation])

    @contextmanager
    def catalog(self) -> Generator[None]:
        started = perf_counter()
        try:
            yield
        finally:
            self.catalog_ms += (perf_counter() - started) * 1000

    @contextmanager
    def connector(self) -> Generator[None]:
        started = perf_counter()
        try:
            yield
        finally:
            self.connector_ms += (perf_counter() - started) * 1000

    def report(self) -> JsonObject:
        """Numbers and fixed names only."""
        operations: JsonObject = {
            name: {"count": o.count, "failures": o.failures, "ms": round(o.ms, 1), "bytes": o.bytes}
            for name, o in self.operations.items()
        }
        report: dict[str, Json] = {
            "catalogMs": round(self.catalog_ms, 1),
            "connectorMs": round(self.connector_ms, 1),
        }
        return {**report, "operations": operations} if operations else report
