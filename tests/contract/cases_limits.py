"""Cancellation and limits: L1 to L8."""

import re
from typing import Final

from tests.contract.case import checks
from tests.contract.endpoint import HASTY, Endpoint
from tests.contract.probes import HOLD, HOLD_CALL, READ, READ_CALL, READ_VALUE, SIZED, tools_called
from tests.contract.reading import compact, envelope, error_of, value_of

BYTES: Final = 4_000_000
PROGRAM_BYTES: Final = 256 * 1024


def cancellation_is_not_seen(endpoint: Endpoint) -> None:
    """A call that is in flight when the run ends settles for nobody: no handler of the program runs again."""
    ran = envelope(
        endpoint.run(
            f"async () => {{ {HOLD_CALL}.then(() => console.log('settled'), () => console.log('rejected'))"
            f".finally(() => console.log('finally')); for (let n = 0; n < 5; n++) await {READ_CALL}; "
            "return typeof AbortController + typeof AbortSignal; }"
        )
    )
    assert ran == {"result": "undefinedundefined"}


def nothing_goes_on(endpoint: Endpoint) -> None:
    """What is in flight is aborted at the downstream, and a call that was not made yet is never made."""
    endpoint.downstream.reset()
    assert (
        value_of(
            endpoint.run(
                f"async () => {{ {HOLD_CALL}.then(() => {READ_CALL}, () => {READ_CALL}); "
                f"await {READ_CALL}; return 1; }}"
            )
        )
        == 1
    )
    assert value_of(endpoint.run("async () => 2")) == 2
    assert tools_called(endpoint).count(READ) == 1


def nothing_is_left_behind(endpoint: Endpoint) -> None:
    """The next program finds neither globals, nor budget spent, nor logs, nor blocks of the last one."""
    endpoint.run(
        "async () => { globalThis.left = 1; Array.prototype.left = 1; console.log('x'); "
        "for (let n = 0; n < 50; n++) await connecta.search({ limit: 1 }); "
        "await connecta.emit({ type: 'text', text: 'a' }); throw 1; }"
    )
    ran = endpoint.run(
        "async () => { for (let n = 0; n < 50; n++) await connecta.search({ limit: 1 }); "
        "return [typeof left, [].left ?? null]; }"
    )
    assert ran["content"] == [{"type": "text", "text": '{"result":["undefined",null]}'}]


def call_budget(endpoint: Endpoint) -> None:
    made, refused, message = value_of(
        endpoint.run(
            f"async () => {{ let made = 0; try {{ for (;;) {{ await {READ_CALL}; made++; }} }} "
            "catch (e) { return [made, [e.code, e.retryable], e.message]; } }"
        )
    )
    assert (made, refused) == (50, ["budget_exceeded", False])
    assert "50" in message


def discovery_spends_it_too(endpoint: Endpoint) -> None:
    assert (
        value_of(
            endpoint.run(
                "async () => { for (let n = 0; n < 25; n++) { await connecta.search({ limit: 1 }); "
                "await connecta.describe({ address: 'nowhere.x' }); } "
                f"return [await {READ_CALL}.catch((e) => e.code), await connecta.search({{}}).catch((e) => e.code), "
                "await connecta.batch([{ address: 'nowhere.x' }]).catch((e) => e.code)]; }"
            )
        )
        == ["budget_exceeded"] * 3
    )


def output_spends_none_of_it(endpoint: Endpoint) -> None:
    """M7, U4: before and after all fifty."""
    ran = envelope(
        endpoint.run(
            "async () => { for (let n = 0; n < 16; n++) await connecta.emit({ type: 'text', text: '' }); "
            f"for (let n = 0; n < 50; n++) await {READ_CALL}; "
            "for (let n = 0; n < 16; n++) await connecta.emit({ type: 'text', text: '' }); await connecta.ui('<p>'); "
            f"return {READ_CALL}.catch((e) => e.code); }}"
        )
    )
    assert (ran["result"], ran["emitted"], ran["ui"]) == ("budget_exceeded", 32, True)


def batches_have_a_size(endpoint: Endpoint) -> None:
    endpoint.downstream.reset()
    ten, outcomes = value_of(
        endpoint.run(
            f"async () => {{ const of = (n) => Array(n).fill({{ address: {compact(READ)}, args: {{ id: 'a' }} }}); "
            "const ten = await connecta.batch(of(10)); const caught = []; "
            "for (const n of [0, 11]) await connecta.batch(of(n)).catch((e) => caught.push([e.code, e.message])); "
            "return [ten.map((o) => o.ok), caught]; }"
        )
    )
    assert ten == [True] * 10
    for code, message in outcomes:
        assert (code, "10" in message) == ("invalid_args", True)
    assert len(outcomes) == 2
    assert len(tools_called(endpoint)) == 10


def a_call_has_its_time(endpoint: Endpoint) -> None:
    """The deployment's bound of one host call, not the run's. The program goes on, and has not spent CPU meanwhile: a
    run that waits longer than its CPU budget, and works afterwards, is within it (L5)."""
    program = (
        f"async () => {{ let e; try {{ await {HOLD_CALL}; }} catch (thrown) {{ e = thrown; }} "
        f"let n = 0; while (n < 1e6) n++; return [e.code, e.retryable, e.message, await {READ_CALL}, n]; }}"
    )
    ran = envelope(endpoint.run(program, diagnostics=True))
    code, retryable, message, after, counted = ran["result"]
    assert (code, retryable, after, counted) == ("timeout", True, READ_VALUE, 1_000_000)
    assert HOLD in message
    said = re.search(r"([\d.]+) s", message)
    assert said is not None
    bound_s = HASTY["host_call_s"]
    assert 0 < float(said[1]) <= bound_s
    assert ran["diagnostics"]["wallMs"] > bound_s * 1_000 - 100 > 1_000 > ran["diagnostics"]["guestCpuMs"]


def discovery_has_its_size(endpoint: Endpoint) -> None:
    hundred, more, limit = value_of(
        endpoint.run(
            "async () => { const of = (n) => ({ addresses: Array(n).fill('nowhere.x') }); "
            "const hundred = (await connecta.describe(of(100))).tools.length; "
            "const caught = (f) => f().then(() => null, (e) => [e.code, e.message]); "
            "return [hundred, await caught(() => connecta.describe(of(101))), "
            "await caught(() => connecta.search({ limit: 101 }))]; }"
        )
    )
    assert hundred == 100
    for code, message in (more, limit):
        assert (code, "100" in message) == ("invalid_args", True)


def programs_have_a_size(endpoint: Endpoint) -> None:
    """In bytes, and before anything runs."""
    fitting = "async () => 1 //"
    fitting += "é" * ((PROGRAM_BYTES - len(fitting)) // 2)
    assert len(fitting.encode()) == PROGRAM_BYTES
    assert value_of(endpoint.run(fitting)) == 1
    error = error_of(endpoint.run(fitting + "x"))
    assert (error["code"], error["retryable"]) == ("invalid_args", False)
    assert "262,144" in error["message"] or "256 KiB" in error["message"]


def exhaustion_ends_the_run_only(endpoint: Endpoint) -> None:
    for ending, code in (
        ("/(a+)+$/.test('a'.repeat(40) + 'b')", "run_cpu"),
        ("const kept = []; for (;;) kept.push('x'.repeat(1e6) + kept.length)", "run_memory"),
        ("new Array(1e8).fill(1)", "run_memory"),
        ("const down = () => 1 + down(); down()", "run_stack"),
    ):
        assert error_of(endpoint.run(f"async () => {{ {ending}; }}"))["code"] == code, ending
        assert value_of(endpoint.run("async () => 'well'")) == "well"


def bounds_are_not_lower_than_said(endpoint: Endpoint) -> None:
    """Half of each bound is there to be used."""
    assert value_of(
        endpoint.run(
            "async () => { const kept = new Uint8Array(32 * 1024 * 1024).fill(1).length; "
            "const down = (n) => n ? 1 + down(n - 1) : 0; const until = Date.now() + 400; while (Date.now() < until); "
            "return [kept > 0, down(300)]; }"
        )
    ) == [True, 300]


def tried(*calls: str) -> str:
    """A program that returns, for each of ``calls``, the length of its text or what was thrown."""
    tries = ", ".join(f"await caught(() => {call})" for call in calls)
    return (
        "async () => { const caught = (call) => call().then((v) => (v.given?.text ?? v).length, "
        f"(e) => [e.code, e.retryable, e.message]); return [{tries}]; }}"
    )


def arguments_have_a_size(endpoint: Endpoint) -> None:
    """Each way of calling names the address; the program catches it, and what is below the bound crosses."""
    over, over_short, far_over, fits = value_of(
        endpoint.run(
            tried(
                f"connecta.call({compact(READ)}, {{ text: 'x'.repeat(4e6) }})",
                f"{READ}({{ text: 'é'.repeat(2e6) }})",
                f"connecta.call({compact(READ)}, {{ text: 'x'.repeat(8e6) }})",
                f"connecta.call({compact(READ)}, {{ text: 'x'.repeat(3.9e6) }})",
            )
        )
    )
    for code, retryable, message in (over, over_short, far_over):
        assert (code, retryable) == ("result_too_large", False)
        assert "4,000,000" in message
        assert READ in message
    assert fits == 3_900_000
    assert tools_called(endpoint) == [READ]


def results_have_a_size(endpoint: Endpoint) -> None:
    over, over_short, fits = value_of(
        endpoint.run(
            tried(
                f"connecta.call({compact(SIZED)}, {{ bytes: 4000001 }})",
                f"{SIZED}({{ bytes: 4000001 }})",
                f"connecta.call({compact(SIZED)}, {{ bytes: 3900000 }})",
            )
        )
    )
    for code, retryable, message in (over, over_short):
        assert (code, retryable) == ("result_too_large", False)
        assert "4,000,000" in message
        assert SIZED in message
    assert fits == 3_900_000


# L8


def nothing_is_raised_by_tampering(endpoint: Endpoint) -> None:
    tampered = (
        "for (const key of ['bridgeBytes', 'logChars', 'limits', 'host_calls', 'timeoutMs']) "
        "Object.defineProperty(Object.prototype, key, { value: 1e9, enumerable: false }); "
        "try { connecta.limits = { host_calls: 1e9 }; } catch {} try { connecta.call = 1; } catch {} "
        "Number.isInteger = () => true; Math.min = () => 1e9; "
    )
    counting = f"let made = 0; try {{ for (;;) {{ await {READ_CALL}; made++; }} }} catch {{ return made; }}"
    made = value_of(endpoint.run(f"async () => {{ {tampered} {counting} }}"))
    assert made == 50
    logs = envelope(endpoint.run(f"async () => {{ {tampered} console.log('x'.repeat(1e5)); }}"))["logs"]
    assert len(logs) <= 4_000
    assert error_of(endpoint.run(f"async () => {{ {tampered} for (;;) {{}} }}"))["code"] == "run_cpu"


def nothing_is_raised_by_asking(endpoint: Endpoint) -> None:
    """Neither beside the arguments of a call, nor beside the program."""
    asking = f"connecta.call({compact(HOLD)}, {{}}, {{ timeoutMs: 60000, maxRetries: 2 }}).catch((e) => e.code)"
    assert value_of(endpoint.run(f"async () => {asking}")) == "invalid_args"
    for extra in ({"timeoutMs": 60_000}, {"limits": {"cpu_ms": 60_000}}, {"cpuMs": 60_000}):
        assert error_of(endpoint.run("async () => 1", **extra))["code"] == "invalid_args"


CASES: Final = (
    checks("a program sees nothing of its cancellation", ("L1",), cancellation_is_not_seen),
    checks("a call that was not made when the run ended is never made", ("L2",), nothing_goes_on),
    checks(
        "nothing of a run is left to the next",
        (
            "L2",
            "P4",
        ),
        nothing_is_left_behind,
    ),
    checks("the fifty-first host call is refused, catchably", ("L4",), call_budget),
    checks("discovery and batches spend the same fifty", ("L4",), discovery_spends_it_too),
    checks(
        "output spends no host call",
        (
            "M7",
            "U4",
        ),
        output_spends_none_of_it,
    ),
    checks("a batch is one to ten calls", ("L4",), batches_have_a_size),
    checks(
        "a host call has its own time, costs no CPU, and the program goes on after it",
        ("L4", "L5", "E2"),
        a_call_has_its_time,
        hasty=True,
    ),
    checks("a describe is a hundred addresses and a search page a hundred tools", ("L4",), discovery_has_its_size),
    checks("a program is at most 256 KiB, in bytes", ("L4",), programs_have_a_size),
    checks("CPU, heap and stack each end the run and never the server", ("L5",), exhaustion_ends_the_run_only),
    checks("the bounds are not lower than they say", ("L5",), bounds_are_not_lower_than_said),
    checks("arguments over their bound fail that call alone and name its address", ("L6",), arguments_have_a_size),
    checks("a result over its bound fails that call alone and names its address", ("L6",), results_have_a_size),
    checks("a program that tampers raises no bound", ("L8",), nothing_is_raised_by_tampering),
    checks("a program that asks raises no bound", ("L8",), nothing_is_raised_by_asking),
)
