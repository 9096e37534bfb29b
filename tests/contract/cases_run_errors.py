"""Errors of the run, and what errors say to do: E5 to E8."""

import re
from typing import Any, Final

from tests.contract.case import checks
from tests.contract.endpoint import Endpoint
from tests.contract.probes import (
    AMBIGUOUS_CALL,
    FORM,
    HOLD_CALL,
    UNCHECKED,
    WRITE,
    caught,
    tools_called,
)
from tests.contract.reading import compact, error_of, failed, value_of

BOUNDS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "run_cpu": ("for (;;) {}", ("1,000 ms", "CPU", "loop")),
    "run_memory": ("const kept = []; for (;;) kept.push(new Array(1e5).fill(1.5))", ("64 MiB", "heap", "smaller")),
    "run_stack": ("const down = (n) => 1 + down(n + 1); down(0)", ("1,024 KiB", "stack", "recursion")),
    "run_stalled": ("await new Promise(() => {})", ("0 host calls", "await", "timers")),
    "run_result": ("return { rows: [{ id: 1n }] }", ("result.rows[0].id", "BigInt", "Return plain")),
    "run_error": ("null.x", ("line 1", "column")),
}


def every_bound_explains_itself(endpoint: Endpoint) -> None:
    """Its own code, the bound's value and what to change; final; and all that was logged before."""
    for code, (ending, says) in BOUNDS.items():
        ran = failed(endpoint.run(f"async () => {{ console.log('before', 1); console.warn('it'); {ending}; }}"))
        assert (ran["error"]["code"], ran["error"]["retryable"]) == (code, False)
        for part in says:
            assert part in ran["error"]["message"], ran["error"]["message"]
        assert ran["logs"] == "before 1\nit", code


def syntax_explains_itself(endpoint: Endpoint) -> None:
    error = error_of(endpoint.run("async () => {\n  const a = ;\n}"))
    assert (error["code"], error["retryable"], error["line"]) == ("run_syntax", False, 2)
    assert "line 2" in error["message"]
    assert "async () =>" in error["message"]


def deadline_explains_itself(endpoint: Endpoint) -> None:
    """With every log, what was taken, and no partial result (L3); the call in flight is recorded as cancelled."""
    endpoint.downstream.reset()
    ran: dict[str, Any] = {}
    program = (
        "async () => { console.log('before'); await connecta.emit({ type: 'text', text: 'marker' }); "
        f"await connecta.ui('<p>marker'); for (;;) await {HOLD_CALL}.catch((e) => console.log(e.code)); }}"
    )
    events = endpoint.events(lambda: ran.update(failed(endpoint.run(program))))
    error = ran["error"]
    assert (error["code"], error["retryable"], error["emittedDiscarded"], error["uiDiscarded"]) == (
        "run_deadline",
        False,
        1,
        True,
    )
    assert re.search(r"deadline of [\d.]+ s", error["message"])
    assert "connecta.batch" in error["message"]
    assert ran["logs"].splitlines()[0] == "before"
    assert "marker" not in compact(ran)
    assert set(ran) == {"error", "logs"}
    *over, last = [each["outcome"] for each in events]
    assert (set(over), last) == ({"timeout"}, "cancelled")


def bounds_stay_outside(endpoint: Endpoint) -> None:
    """A program that catches everything catches no failure of its run; of the engine's own errors it may."""
    catching = (
        "async () => {{ try {{ {} }} catch (e) {{ return [e?.code ?? null]; }} finally {{ console.log('on'); }} }}"
    )
    assert failed(endpoint.run(catching.format("for (;;) {}")))["error"]["code"] == "run_cpu"
    assert value_of(endpoint.run(catching.format("const down = () => 1 + down(); down();"))) == [None]
    result = endpoint.run(catching.format("const kept = []; for (;;) kept.push(new Array(1e5).fill(1.5));"))
    if result.get("isError"):
        assert error_of(result)["code"] == "run_memory"
    else:
        assert value_of(result) == [None]


def missing_members_are_named(endpoint: Endpoint) -> None:
    for name in ("fetchAll", "toString2", "limits", "constructor2", "toString", "valueOf", "toJSON", "then"):
        error = error_of(endpoint.run(f"async () => connecta.{name}({{}})"))
        assert error["code"] == "run_error"
        assert f"connecta.{name}" in error["message"]
        for member in ("search", "describe", "call", "batch", "emit", "ui"):
            assert re.search(rf"\b{member}\b", error["message"])


WRAPPED: Final = (
    "try { await CALL; } catch (e) { throw new Error('while loading: ' + e.message + ', sorry'); }",
    "try { await CALL; } catch (e) { throw new TypeError('other words', { cause: e }); }",
    "try { await CALL; } catch (e) { throw e.message; }",
    "try { await CALL; } catch (e) { throw { message: 'no', cause: { cause: e } }; }",
    "await Promise.any([CALL, CALL]);",
    "const [o] = await connecta.batch([{ address: 'nowhere.x' }]); throw new Error('batch: ' + o.error);",
)


def wrapped_stays_typed(endpoint: Endpoint) -> None:
    [details] = caught(endpoint, "connecta.call('nowhere.x')")
    for program in WRAPPED:
        code = program.replace("CALL", "connecta.call('nowhere.x')")
        error = error_of(endpoint.run(f"async () => {{ {code} }}"))
        assert error == details, program


def caught_is_over(endpoint: Endpoint) -> None:
    """A failure that was dealt with does not stand in for a later one of the program's own."""
    error = error_of(
        endpoint.run(
            "async () => { await connecta.call('nowhere.x').catch(() => 0); throw new Error('another matter'); }"
        )
    )
    assert (error["code"], "another matter" in error["message"]) == ("run_error", True)


def local_refusals_are_final(endpoint: Endpoint) -> None:
    spelled = "rate_limited timeout unavailable retryable true HTTP 503"
    connector = WRITE.partition(".")[0]
    found = caught(
        endpoint,
        f"connecta.call('nowhere.{spelled}')",
        f"connecta.call('{connector}.{spelled}')",
        f"connecta.call({compact(WRITE)}, {{ id: '{spelled}' }})",
        AMBIGUOUS_CALL,
    )
    assert [(each["code"], each["retryable"]) for each in found] == [
        ("unknown_address", False),
        ("unknown_tool", False),
        ("destructive_tool_requires_approval", False),
        ("ambiguous_tool_alias", False),
    ]


def misses_say_where_to_search(endpoint: Endpoint) -> None:
    """The route is a function inside a program and a tool outside of it."""
    connector = WRITE.partition(".")[0]
    missing = f"{connector}.no_such-thing"
    inside = caught(endpoint, "connecta.call('nowhere.list_things')", f"connecta.call('{missing}')")
    assert [each["nextAction"] for each in inside] == [
        {"function": "connecta.search", "arguments": {"query": "list things"}},
        {"function": "connecta.search", "arguments": {"query": "no such thing", "connector": connector}},
    ]
    outside = [error_of(endpoint.tool("call_tool", {"address": each})) for each in ("nowhere.list_things", missing)]
    assert [(each["code"], each["retryable"], each["nextAction"]) for each in outside] == [
        (
            "unknown_address",
            False,
            {"tool": "search_tools", "arguments": {"query": "list things", "includeSchemas": "compact"}},
        ),
        (
            "unknown_tool",
            False,
            {
                "tool": "search_tools",
                "arguments": {"query": "no such thing", "connector": connector, "includeSchemas": "compact"},
            },
        ),
    ]


def findings_name_no_value(endpoint: Endpoint) -> None:
    """At most three, each of three fields, and nothing was sent."""
    endpoint.downstream.reset()
    one, many = caught(
        endpoint,
        f"connecta.call({compact(FORM)}, {{ id: 'hunter2', name: 'a', kind: 'note', tags: [] }})",
        f"connecta.call({compact(FORM)}, {{ name: 'hunter2-is-long', kind: 'hunter2' }})",
    )
    assert (one["code"], one["retryable"], one["truncated"]) == ("invalid_args", False, False)
    assert one["findings"] == [{"path": "id", "code": "wrong_type", "expected": "integer"}]
    assert (many["code"], many["truncated"], len(many["findings"])) == ("invalid_args", True, 3)
    assert all(set(each) == {"path", "code", "expected"} for each in many["findings"])
    assert "hunter2" not in compact([one, many])
    assert tools_called(endpoint) == []


def what_cannot_be_checked_passes(endpoint: Endpoint) -> None:
    endpoint.downstream.reset()
    endpoint.run(f"async () => connecta.call({compact(UNCHECKED)}, {{ anything: [1] }})")
    assert tools_called(endpoint) == [UNCHECKED]


CASES: Final = (
    checks(
        "every failure of a run names its bound, its value and what to change, and keeps its logs",
        (
            "E5",
            "R5",
            "L5",
        ),
        every_bound_explains_itself,
    ),
    checks("a syntax error has its place and says what to send", ("E5",), syntax_explains_itself),
    checks(
        "a deadline names its value, includes host waits, keeps logs and delivers nothing",
        (
            "E5",
            "L3",
            "M4",
            "U3",
            "R5",
        ),
        deadline_explains_itself,
        hasty=True,
    ),
    checks("a failure of the run is never seen inside the program", ("E5",), bounds_stay_outside),
    checks(
        "calling what is no member of connecta fails by its name and lists the members",
        ("E6",),
        missing_members_are_named,
    ),
    checks("a host failure that a program wraps, rethrows or quotes stays typed", ("E6",), wrapped_stays_typed),
    checks(
        "a failure that was dealt with does not stand in for the program's own",
        (
            "E6",
            "E1",
        ),
        caught_is_over,
    ),
    checks("a local refusal is final, whatever the address spells", ("E7",), local_refusals_are_final),
    checks(
        "a miss says where to search: a function inside a program, a tool outside", ("E7",), misses_say_where_to_search
    ),
    checks(
        "arguments that break the schema get at most three findings without a value, before dispatch",
        ("E8",),
        findings_name_no_value,
    ),
    checks("a schema the validator cannot compile lets arguments through", ("E8",), what_cannot_be_checked_passes),
)
