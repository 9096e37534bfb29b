"""Retry and activity: Y1 to Y3, V1 to V4."""

from typing import Any, Final

from tests.contract.case import checks
from tests.contract.endpoint import ABOUT, Endpoint
from tests.contract.probes import (
    FORGING_CALL,
    FORM,
    HOLD,
    LOCKED,
    READ,
    READ_CALL,
    SIZED,
    WRITE,
    status,
    tools_called,
)
from tests.contract.reading import compact, value_of

ALWAYS: Final = {"at", "address", "connectorId", "toolName", "source", "outcome", "durationMs", "attempts", *ABOUT}
FIELDS: Final = ALWAYS | {"errorCode", "friction"}


def one_call_is_one_attempt(endpoint: Endpoint) -> None:
    for call in (READ_CALL, status(503), status(429), "connecta.call('probe.refuses')"):
        endpoint.downstream.reset()
        endpoint.run(f"async () => {call}.catch(() => 0)")
        assert len(tools_called(endpoint)) == 1, call


def programs_may_retry(endpoint: Endpoint) -> None:
    """Each try is a call of its own, and arrives; what is not retryable says so."""
    loop = (
        "const tried = async (call) => { for (let tries = 1; ; tries++) "
        "try { return [tries, await call()]; } "
        "catch (e) { if (!e.retryable || tries === 3) return [tries, e.code]; } }; "
    )
    calls = (status(503), "connecta.call('probe.refuses')", READ_CALL)
    tries = ", ".join(f"await tried(() => {call})" for call in calls)
    passing, final, success = value_of(endpoint.run(f"async () => {{ {loop} return [{tries}]; }}"))
    assert (passing, final, success[0]) == ([3, "unavailable"], [1, "connector_call_failed"], 1)
    assert tools_called(endpoint) == ["/desk/status/503"] * 3 + ["probe.refuses", READ]


def rate_limits_cannot_be_waited_for(endpoint: Endpoint) -> None:
    value = value_of(
        endpoint.run(
            f"async () => {{ const e = await {status(429)}.catch((e) => e); "
            "return [e.code, e.retryable, e.details.retryAfterMs, "
            "typeof setTimeout, typeof setInterval, typeof setImmediate]; }"
        )
    )
    assert value == ["rate_limited", True, 7_000, "undefined", "undefined", "undefined"]


def recorded(endpoint: Endpoint, program: str) -> list[dict[str, Any]]:
    return endpoint.events(lambda: endpoint.run(program))


def outcome(event: dict[str, Any]) -> tuple[Any, ...]:
    return event["address"], event["outcome"], event.get("errorCode"), event["attempts"], event["source"]


def one_event_per_call(endpoint: Endpoint) -> None:
    events = recorded(
        endpoint,
        f"async () => {{ await {READ_CALL}; await probe.echo({{ id: 'b' }}); "
        f"await connecta.batch([{{ address: {compact(READ)} }}, {{ address: 'nowhere.x' }}]); "
        f"await connecta.call({compact(WRITE)}).catch(() => 0); await odd_names.get_item({{}}).catch(() => 0); "
        f"await {status(503)}.catch(() => 0); }}",
    )
    assert sorted(map(outcome, events), key=str) == [
        ("desk.status", "error", "unavailable", 1, "execute_code"),
        ("nowhere.x", "error", "unknown_address", 0, "execute_code"),
        ("odd-names.get_item", "error", "ambiguous_tool_alias", 0, "execute_code"),
        *[(READ, "success", None, 1, "execute_code")] * 3,
        (WRITE, "error", "destructive_tool_requires_approval", 0, "execute_code"),
    ]


def events_hold_no_payload(endpoint: Endpoint) -> None:
    """Neither arguments, results, code nor error text: their fields are these and no other."""
    events = recorded(
        endpoint,
        f"async () => {{ const hunter1 = 'code'; await connecta.call({compact(READ)}, {{ text: 'hunter2' }}); "
        f"await connecta.call({compact(FORM)}, {{ hunter3: 1 }}).catch(() => 0); console.log('hunter4'); "
        f"await {FORGING_CALL}.catch(() => 0); throw new Error('hunter5'); }}",
    )
    assert [event["toolName"] for event in events] == ["echo", "strict", "forges"]
    for event in events:
        assert ALWAYS <= set(event) <= FIELDS
        assert event["address"] == f"{event['connectorId']}.{event['toolName']}"
        assert event["at"] > 1_700_000_000
        assert event["deployment"] == "contract"
        assert event["actor"].count(":") == 1
        assert event["request_id"]
        assert event["durationMs"] >= 0
    assert "hunter" not in compact(events)
    assert "auth_required" not in compact(events)


def friction_is_named(endpoint: Endpoint) -> None:
    """A result that is too large for a program is no friction: the call itself has succeeded."""
    calls = [
        "'nowhere.x'",
        "'probe.echoo'",
        f"{compact(FORM)}, {{ stray: 1 }}",
        compact(WRITE),
        compact(LOCKED),
        compact(READ),
        f"{compact(SIZED)}, {{ bytes: 60000 }}",
        f"{compact(SIZED)}, {{ bytes: 4100000 }}",
    ]
    tries = " ".join(f"await connecta.call({call}).catch(() => 0);" for call in calls)
    events = recorded(endpoint, f"async () => {{ {tries} }}")
    assert [(event["outcome"], event.get("errorCode"), event.get("friction")) for event in events] == [
        ("error", "unknown_address", "tool_not_found"),
        ("error", "unknown_tool", "tool_not_found"),
        ("error", "invalid_args", "schema_retry"),
        ("error", "destructive_tool_requires_approval", "destructive_reroute"),
        ("error", "auth_required", "auth_required"),
        ("success", None, None),
        ("success", None, None),
        ("success", None, None),
    ]


def large_results_are_friction_of_call_tool_alone(endpoint: Endpoint) -> None:
    [event] = endpoint.events(lambda: endpoint.tool("call_tool", {"address": SIZED, "args": {"bytes": 60_000}}))
    assert outcome(event) == (SIZED, "success", None, 1, "call_tool")
    assert event["friction"] == "result_too_large"


def in_flight_is_cancelled(endpoint: Endpoint) -> None:
    """A call that has begun when its program returns: recorded, aborted, and settled for nobody."""
    events = recorded(
        endpoint,
        f"async () => {{ connecta.call({compact(HOLD)}).catch(() => 0); "
        f"for (let n = 0; n < 20; n++) await {READ_CALL}; return 1; }}",
    )
    assert [outcome(each) for each in events if each["address"] == HOLD] == [
        (HOLD, "cancelled", "cancelled", 1, "execute_code")
    ]


def unknown_connectors_are_clamped(endpoint: Endpoint) -> None:
    written = "né-" * 100
    short, long = recorded(
        endpoint,
        f"async () => {{ const long = {compact(written)}; await connecta.call('Not/Known.A tool').catch(() => 0); "
        "await connecta.call(long + '.' + long).catch(() => 0); }",
    )
    assert (short["connectorId"], short["toolName"], short["address"]) == ("Not/Known", "A tool", "Not/Known.A tool")
    assert 120 <= len(long["connectorId"].encode()) <= 128
    assert long["connectorId"].endswith("…")
    assert written.startswith(long["connectorId"][:-1])
    assert len(long["address"].encode()) <= 257


def runs_are_no_events(endpoint: Endpoint) -> None:
    programs = (
        "async () => { await connecta.search({}); await connecta.describe({ address: 'nowhere.x' }); "
        "await connecta.emit({ type: 'text', text: 'a' }); await connecta.ui('<p>'); return 1; }",
        "async () => { throw 1; }",
        "async () => ((",
    )
    assert endpoint.events(lambda: [endpoint.run(program) for program in programs]) == []


CASES: Final = (
    checks("one call is one attempt at the downstream, whatever comes of it", ("Y1",), one_call_is_one_attempt),
    checks("a program may retry what is retryable, and is told what is not", ("Y2",), programs_may_retry),
    checks(
        "a rate limit says how long to stay away, and a program has nothing to wait with",
        ("Y3",),
        rate_limits_cannot_be_waited_for,
    ),
    checks("every attempted call leaves one event, refused ones included", ("V1",), one_event_per_call),
    checks(
        "events have fixed fields and hold nothing that was sent, said or answered",
        ("V2", "V1"),
        events_hold_no_payload,
    ),
    checks(
        "outcome, error code and friction are named, and friction only where there is some", ("V2",), friction_is_named
    ),
    checks(
        "a result too large to return inline is the friction of a call_tool that succeeded",
        ("V2",),
        large_results_are_friction_of_call_tool_alone,
    ),
    checks(
        "a call in flight when its run ends is recorded as cancelled", ("V1", "V2", "E5", "L2"), in_flight_is_cancelled
    ),
    checks("an unknown connector is recorded as written, clamped", ("V3",), unknown_connectors_are_clamped),
    checks("a run leaves no event of its own", ("V4",), runs_are_no_events),
)
