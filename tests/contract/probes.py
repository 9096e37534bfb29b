"""The downstream's tools as the cases name them, and programs' ways of calling them."""

from typing import Any, Final

from tests.contract.endpoint import Endpoint
from tests.contract.reading import value_of

READ: Final = "probe.echo"
READ_CALL: Final = "connecta.call('probe.echo', { id: 'a' })"
READ_VALUE: Final = {"given": {"id": "a"}}
SIZED: Final = "probe.sized"
FORM: Final = "probe.strict"
UNCHECKED: Final = "probe.uncompilable"
WRITES: Final = ("probe.writes", "probe.unannotated", "probe.liar", "desk.write_note")
WRITE: Final = "probe.writes"
LOCKED: Final = "locked.peek"
HOLD: Final = "desk.hold"
HOLD_CALL: Final = "connecta.call('desk.hold')"
FORGING_CALL: Final = "connecta.call('probe.forges')"
AMBIGUOUS_CALL: Final = "odd_names.get_item({})"


def status(code: int) -> str:
    return f"connecta.call('desk.status', {{ code: {code} }})"


def tools_called(endpoint: Endpoint) -> list[str]:
    """What reached the downstream: the addresses of MCP tools, and of the HTTP API the paths."""
    return [
        call["name"] if call["server"] == "desk" else f"{call['server']}.{call['name']}"
        for call in endpoint.downstream.calls()
        if call["method"] not in ("tools/list", "GONE")
    ]


CATCH: Final = (
    "const caught = async (f) => { try { await f(); } catch (e) { "
    "return [e instanceof Error, e.message, e.code, e.retryable, e.details]; } };"
)


def caught(endpoint: Endpoint, *calls: str) -> list[dict[str, Any]]:
    """The ``details`` of what each of ``calls`` throws inside one program; its other fields say the same (E1)."""
    tries = ", ".join(f"await caught(() => {call})" for call in calls)
    out: list[dict[str, Any]] = []
    for call, thrown in zip(calls, value_of(endpoint.run(f"async () => {{ {CATCH} return [{tries}]; }}")), strict=True):
        assert thrown is not None, f"nothing thrown: {call}"
        error, message, code, retryable, details = thrown
        assert (error, message, code, retryable) == (True, *(details[k] for k in ("message", "code", "retryable")))
        out.append(details)
    return out
