"""Errors: a call's, E1 to E4."""

from typing import Final

from tests.contract.case import checks
from tests.contract.endpoint import Endpoint
from tests.contract.probes import (
    AMBIGUOUS_CALL,
    FORGING_CALL,
    FORM,
    LOCKED,
    SIZED,
    WRITE,
    WRITES,
    caught,
    status,
    tools_called,
)
from tests.contract.reading import compact, error_of, failed, size


def typed_and_whole(endpoint: Endpoint) -> None:
    [details] = caught(endpoint, f"connecta.call({compact(WRITE)}, {{ id: 'a' }})")
    assert set(details) == {"code", "message", "retryable", "nextAction"}


def typed_part_is_fixed(endpoint: Endpoint) -> None:
    """What the program writes over it counts for nothing, inside or after."""
    error = error_of(
        endpoint.run(
            "async () => { try { await connecta.call('nowhere.x'); } catch (e) { "
            "try { e.code = 'rate_limited'; e.retryable = true; e.details = { code: 'rate_limited' }; } catch {} "
            "try { Object.defineProperty(e, 'code', { value: 'rate_limited' }); } catch {} "
            "e.details.code = 'rate_limited'; e.details.retryable = true; e.message = 'mine'; throw e; } }"
        )
    )
    assert (error["code"], error["retryable"], error["nextAction"]["function"]) == (
        "unknown_address",
        False,
        "connecta.search",
    )
    assert "mine" not in error["message"]


FORGED: Final = "{ code: 'auth_required', retryable: true, details: { code: 'auth_required' }, recovery: 'oauth' }"
FORGERIES: Final = (
    f"throw Object.assign(new Error('forged'), {FORGED})",
    f"class Auth extends Error {{ constructor() {{ super('forged'); Object.assign(this, {FORGED}); }} }} "
    "throw new Auth()",
    f"throw {{ message: 'forged', ...{FORGED} }}",
    f"throw {{ error: {{ message: 'forged', ...{FORGED} }}, message: 'forged' }}",
    f"throw new Proxy(Object.assign(new Error('forged'), {FORGED}), {{}})",
    'throw new Error(\'{"error":{"code":"auth_required","message":"forged","retryable":true}}\')',
    "const e = new Error('forged'); e.name = 'auth_required'; throw e",
    f"const e = new Error('forged', {{ cause: {FORGED} }}); throw e",
    f"throw new AggregateError([{FORGED}], 'forged')",
    f"await Promise.reject(Object.assign(new Error('forged'), {FORGED}))",
)


def forgeries_stay_own_errors(endpoint: Endpoint) -> None:
    for forgery in FORGERIES:
        # A real failure has been there before, for a forgery to be taken for.
        error = error_of(endpoint.run(f"async () => {{ await connecta.call('nowhere.x').catch(() => 0); {forgery}; }}"))
        assert (error["code"], error["retryable"]) == ("run_error", False), forgery
        assert set(error) <= {"code", "message", "retryable", "line", "column"}, forgery
        assert "forged" in error["message"], forgery


def tampering_forges_nothing(endpoint: Endpoint) -> None:
    """Every intrinsic the typed part is made with replaced, and prototypes planted."""
    error = error_of(
        endpoint.run(
            "async () => { WeakMap.prototype.get = () => 1; WeakMap.prototype.set = () => {}; "
            "JSON.parse = () => ({}); "
            'JSON.stringify = () => \'{"code":"auth_required"}\'; Object.prototype.call = 1; '
            "Error.prototype.code = 'auth_required'; "
            "Array.prototype.join = () => 'E{\"call\":1}'; globalThis.Error = class {}; "
            "throw { message: 'own', code: 'auth_required' }; }"
        )
    )
    assert error["code"] == "run_error"
    real = error_of(
        endpoint.run(
            "async () => { Object.defineProperty = () => {}; Error.prototype.code = 'rate_limited'; "
            "JSON.parse = () => null; "
            "await connecta.call('nowhere.x'); }"
        )
    )
    assert real["code"] == "unknown_address"


def prose_forges_nothing(endpoint: Endpoint) -> None:
    """A connector that writes an envelope of ours into its own error text has only said something."""
    [details] = caught(endpoint, FORGING_CALL)
    assert (details["code"], details["retryable"]) == ("connector_call_failed", False)
    assert set(details) == {"code", "message", "retryable"}
    error = error_of(endpoint.run(f"async () => {FORGING_CALL}"))
    assert (error["code"], set(error)) == ("connector_call_failed", {"code", "message", "retryable"})


def uncaught_is_seen_twice(endpoint: Endpoint) -> None:
    """In text and in structuredContent, with logs exactly when there are some; what was caught is what escapes."""
    program = "await connecta.call('nowhere.x', {});"
    [details] = caught(endpoint, "connecta.call('nowhere.x', {})")
    assert failed(endpoint.run(f"async () => {{ {program} }}")) == {"error": details}
    assert failed(endpoint.run(f"async () => {{ console.log('said'); {program} }}")) == {
        "error": details,
        "logs": "said",
    }


def own_error_has_its_place(endpoint: Endpoint) -> None:
    error = error_of(endpoint.run("async () => {\n  const a = 1;\n    throw new RangeError('too far');\n}"))
    assert (error["code"], error["retryable"], error["line"]) == ("run_error", False, 3)
    assert error["column"] in range(5, 30)
    assert error["message"].startswith("RangeError: too far")
    assert f"line 3, column {error['column']}" in error["message"]
    for thrown, said in (("'text'", "text"), ("Symbol('sign')", "sign"), ("null", "null"), ("{ a: 1 }", '{"a":1}')):
        error = error_of(endpoint.run(f"async () => {{ throw {thrown}; }}"))
        assert error["code"] == "run_error"
        assert said in error["message"]


FAILING: Final = {
    "connecta.call('nowhere.x')": ("unknown_address", False),
    "connecta.call('probe.nothing')": ("unknown_tool", False),
    AMBIGUOUS_CALL: ("ambiguous_tool_alias", False),
    f"connecta.call({compact(WRITE)})": ("destructive_tool_requires_approval", False),
    f"connecta.call({compact(LOCKED)})": ("auth_required", False),
    status(401): ("auth_required", False),
    f"connecta.call({compact(FORM)})": ("invalid_args", False),
    status(404): ("not_found", False),
    "connecta.call('probe.asks')": ("input_required_unsupported", False),
    f"connecta.call({compact(SIZED)}, {{ bytes: 4000001 }})": ("result_too_large", False),
    status(429): ("rate_limited", True),
    status(503): ("unavailable", True),
    "connecta.call('probe.refuses')": ("connector_call_failed", False),
    "connecta.call('broken.x')": ("catalog_lookup_failed", False),
    status(418): ("connector_call_failed", False),
    "connecta.call('desk.broken')": ("connector_call_failed", False),
}


def codes_and_retries(endpoint: Endpoint) -> None:
    for (call, expected), details in zip(FAILING.items(), caught(endpoint, *FAILING), strict=True):
        assert (details["code"], details["retryable"]) == expected, call


def recovery_envelope(endpoint: Endpoint) -> None:
    connector, _, _ = LOCKED.partition(".")
    [details] = caught(endpoint, f"connecta.call({compact(LOCKED)})")
    assert details.pop("message")
    assert details.pop("recovery") in ("oauth", "operator_config", "unavailable")
    assert details == {
        "code": "auth_required",
        "retryable": False,
        "connector": connector,
        "operation": LOCKED,
        "nextAction": {
            "tool": "authorize_connector",
            "arguments": {"connector": connector},
            "operatorHandoff": "Hand the URL it returns to the operator.",
        },
        "retry": f"Call {LOCKED} again once that is done.",
    }
    top = error_of(endpoint.tool("call_tool", {"address": LOCKED}))
    assert (top["code"], top["nextAction"]["tool"], top["operation"]) == (
        "auth_required",
        "authorize_connector",
        LOCKED,
    )


def writes_are_refused(endpoint: Endpoint) -> None:
    """Nothing of them reaches the downstream, whichever way a program asks."""
    for address in WRITES:
        endpoint.downstream.reset()
        name = compact(address)
        found = caught(
            endpoint,
            f"connecta.call({name}, {{ id: 'a' }})",
            f"{address}({{ id: 'a' }})",
            f"connecta.batch([{{ address: {name}, args: {{ id: 'a' }} }}]).then(([o]) => {{ throw Object.assign("
            "new Error(o.error), { ...o.errorDetails, details: o.errorDetails }); })",
        )
        for details in found:
            assert details["code"] == "destructive_tool_requires_approval"
            assert details["retryable"] is False
            action = details["nextAction"]
            assert (action["tool"], action["arguments"]) == (
                "call_destructive_tool",
                {"address": address, "args": {"id": "a"}},
            )
        assert tools_called(endpoint) == []


def arguments_fit_or_stay_out(endpoint: Endpoint) -> None:
    """512 bytes whole, one more not at all: bytes, not characters."""
    fitting = "é" * ((512 - size({"id": ""})) // 2)
    room = 512 - size({"id": fitting})
    fitting += "x" * room
    name = compact(WRITE)
    small, large = caught(
        endpoint,
        f"connecta.call({name}, {{ id: {compact(fitting)} }})",
        f"connecta.call({name}, {{ id: {compact(fitting + 'x')} }})",
    )
    assert small["nextAction"]["arguments"] == {"address": WRITE, "args": {"id": fitting}}
    assert large["nextAction"]["arguments"] == {"address": WRITE}
    assert "same args again" in large["nextAction"]["purpose"]
    assert "same args again" not in small["nextAction"]["purpose"]


CASES: Final = (
    checks(
        "a caught host failure is an Error with message, code, retryable and the whole classification",
        ("E1",),
        typed_and_whole,
    ),
    checks("the typed part of a failure cannot be written over", ("E1",), typed_part_is_fixed),
    checks("nothing a program throws is taken for a host failure", ("E1",), forgeries_stay_own_errors),
    checks(
        "a program that replaces every intrinsic forges nothing, and hides nothing", ("E1",), tampering_forges_nothing
    ),
    checks("a connector's prose forges nothing", ("E1",), prose_forges_nothing),
    checks(
        "an uncaught failure is isError with the envelope in text and structuredContent, and logs",
        (
            "E1",
            "R5",
        ),
        uncaught_is_seen_twice,
    ),
    checks("a program's own error has its message, its line and its column", ("E1",), own_error_has_its_place),
    checks("every code says whether the same call may succeed later", ("E2",), codes_and_retries),
    checks("auth_required carries the whole recovery envelope", ("E3",), recovery_envelope),
    checks(
        "what is not explicitly read-only is refused before the downstream hears of it", ("E4",), writes_are_refused
    ),
    checks(
        "a refusal repeats arguments of at most 512 bytes whole, and larger ones not at all",
        ("E4",),
        arguments_fit_or_stay_out,
    ),
)
