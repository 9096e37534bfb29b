"""The record of one attempted call: payload-free by construction (V1 - V3)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from connecta.failures import Failure
from connecta.state.activity import Observation

Source = Literal["execute_code", "call_tool", "call_destructive_tool"]
CallState = Literal["success", "error", "timeout", "cancelled"]
Friction = Literal["tool_not_found", "schema_retry", "destructive_reroute", "auth_required", "result_too_large"]

FRICTION_BY_CODE: dict[str, Friction] = {
    "unknown_address": "tool_not_found",
    "unknown_tool": "tool_not_found",
    "ambiguous_tool_alias": "tool_not_found",
    "invalid_args": "schema_retry",
    "destructive_tool_requires_approval": "destructive_reroute",
    "auth_required": "auth_required",
}


@dataclass(frozen=True, slots=True)
class CallEvent:
    """One call, local refusals included. There is no field for arguments, results or error text."""

    at: float
    """Epoch seconds when the call was attempted."""
    connector: str
    tool: str
    source: Source
    outcome: CallState
    duration_ms: int
    attempts: int
    error_code: str | None = None
    friction: Friction | None = None
    observed: tuple[Observation, ...] = ()


@dataclass(frozen=True, slots=True)
class Origin:
    """Whose request the events of a journal entry belong to (V2)."""

    request_id: str
    actor: str
    """Kind and subject of the caller, as ``kind:subject``."""
    deployment: str


Recorder = Callable[[CallEvent], None]


def state_of(failure: Failure) -> CallState:
    """The outcome a failure is recorded as."""
    if failure.code in ("timeout", "cancelled"):
        return "timeout" if failure.code == "timeout" else "cancelled"
    return "error"
