"""``GET /health``: open to everybody, so it says nothing of any caller, connector or call."""

from collections.abc import Callable
from typing import Literal, Protocol, TypeAlias

from connecta.text import JsonObject

SandboxState: TypeAlias = Literal["ready", "degraded", "refused", "unknown"]


class Hardening(Protocol):
    """What the last sandbox said of its own hardening."""

    @property
    def ready(self) -> bool: ...
    @property
    def degraded(self) -> tuple[str, ...]: ...


SandboxStatus: TypeAlias = Callable[[], Hardening | None]


def health(version: str, connectors: int, sandbox_status: SandboxStatus) -> JsonObject:
    """``{ status, version, connectors, sandbox }``."""
    return {
        "status": "ok",
        "version": version,
        "connectors": connectors,
        "sandbox": sandbox_state(sandbox_status()),
    }


def sandbox_state(hardening: Hardening | None) -> SandboxState:
    """``unknown`` until a first child has reported; ``refused`` where programs do not run at all."""
    if hardening is None:
        return "unknown"
    if not hardening.ready:
        return "refused"
    return "degraded" if hardening.degraded else "ready"
