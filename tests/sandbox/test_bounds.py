"""Every bound of a run, and that crossing it ends the run and nothing else (guest-api.md E5, L2 - L8)."""

import asyncio
import gc
import weakref
from dataclasses import replace

import pytest

from connecta.failures import Failure
from connecta.limits import LIMITS
from connecta.sandbox.config import installed_config
from connecta.sandbox.sandbox import Sandbox
from connecta.text import Json
from tests.fixtures.programs import children, echo, failure_of, kill, open_files, outcome_of, value_of

HEAVY = "x.push({ y: [1] })"


@pytest.mark.parametrize(
    ("program", "code", "bound"),
    [
        ("async () => { for (;;); }", "run_cpu", "1,000 ms"),
        ("async () => { for (;;) { try { for (;;); } catch {} } }", "run_cpu", "1,000 ms"),
        ("async () => { for (;;) { try { await (async () => { for (;;); })() } catch {} } }", "run_cpu", "1,000 ms"),
        ("async () => { for (;;) await null; }", "run_cpu", "1,000 ms"),
        ("async () => ({ get a() { for (;;); } })", "run_cpu", "1,000 ms"),
        ("async () => { throw { get message() { for (;;); } } }", "run_cpu", "1,000 ms"),
        ("async () => /(a+)+$/.test('a'.repeat(40) + 'b')", "run_cpu", "1,000 ms"),
        ("async () => { const a = []; a.length = 2 ** 32 - 1; a[5] = 1; a.sort(); }", "run_cpu", "1,000 ms"),
        (f"async () => {{ const x = []; for (;;) {HEAVY} }}", "run_memory", "64 MiB"),
        ("async () => new ArrayBuffer(1e9)", "run_memory", "64 MiB"),
        ("async () => 'x'.repeat(2 ** 29)", "run_memory", "64 MiB"),
        ("async () => { const f = () => f() + 1; f(); }", "run_stack", "1,024 KiB"),
        ("async () => { await new Promise(() => {}); }", "run_stalled", "0 host calls"),
    ],
)
async def test_a_run_that_crosses_a_bound_fails_naming_it(
    sandbox: Sandbox, program: str, code: str, bound: str
) -> None:
    """E5: the message gives the bound and its value; L5."""
    failure = await failure_of(sandbox, program)
    assert (failure.code, failure.retryable) == (code, False)
    assert bound in failure.message


@pytest.mark.parametrize("ending", ["throw null", "await new Promise(() => {})"])
async def test_a_heap_that_may_have_been_full_is_not_said_to_have_been(sandbox: Sandbox, ending: str) -> None:
    """E5: a program that stopped for another reason is told what that would be."""
    program = f"async () => {{ globalThis.kept = new Uint8Array(40 << 20).fill(1); {ending}; }}"
    failure = await failure_of(sandbox, program)
    assert failure.code == "run_memory"
    assert "used up" not in failure.message
    for said in ("at least half", "64 MiB", "threw null", "waited", "connecta"):
        assert said in failure.message


async def test_a_run_that_waits_past_its_deadline_fails_and_its_call_is_cancelled(sandbox: Sandbox) -> None:
    """L2, L3."""
    await sandbox.warm()
    cancelled = asyncio.Event()

    async def never(operation: str, args: list[Json]) -> Json:
        try:
            return await asyncio.get_running_loop().create_future()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    failure = await failure_of(sandbox, "async () => connecta.call('a.b')", never, deadline_s=0.5)
    assert failure.code == "run_deadline"
    assert "0.5 s" in failure.message
    assert cancelled.is_set()


async def test_a_busy_program_is_stopped_at_the_deadline_with_its_logs(sandbox: Sandbox) -> None:
    """L3, R5."""
    await sandbox.warm()
    program = "async () => { console.log('so far'); await connecta.search(); for (;;); }"
    outcome = await outcome_of(sandbox, program, deadline_s=0.5)
    assert outcome.failure is not None
    assert (outcome.failure.code, outcome.logs) == ("run_deadline", "so far")


async def test_a_program_that_has_its_value_does_not_wait_for_calls_left_open(sandbox: Sandbox) -> None:
    """L2: what is in flight is cancelled and awaited."""
    ended: list[str] = []

    async def never(operation: str, args: list[Json]) -> Json:
        try:
            return await asyncio.get_running_loop().create_future()
        finally:
            ended.append(str(args[0]))

    async def host(operation: str, args: list[Json]) -> Json:
        return None if args == ["quick"] else await never(operation, args)

    program = "async () => { connecta.call('a'); connecta.call('b'); await connecta.call('quick'); return 1 }"
    outcome = await outcome_of(sandbox, program, host)
    assert (outcome.value, outcome.failure, sorted(ended)) == (1, None, ["a", "b"])


async def test_one_call_with_too_large_arguments_fails_catchably(sandbox: Sandbox) -> None:
    """L6."""
    for chars in (4_100_000, 1_500_000):  # 日 is three bytes
        value = await value_of(
            sandbox,
            f"async () => {{ try {{ await connecta.call('a.b', '日'.repeat({chars})) }}"
            " catch (e) { return [e.code, e.message] } }",
        )
        assert value == [
            "result_too_large",
            'The arguments of connecta.call("a.b") are longer than 4,000,000 bytes. Send less.',
        ]


async def test_one_call_with_many_long_arguments_fails_catchably_too(sandbox: Sandbox) -> None:
    """L6: what is sent of them is its address, however many texts there are."""
    value = await value_of(
        sandbox,
        "async () => { try { await connecta.call('a.b', ...Array(23000).fill('y'.repeat(599))) }"
        " catch (e) { return [e.code, e.message] } }",
    )
    assert value == [
        "result_too_large",
        'The arguments of connecta.call("a.b") are longer than 4,000,000 bytes. Send less.',
    ]


async def test_one_call_with_too_large_a_result_fails_catchably(sandbox: Sandbox) -> None:
    """L6: naming the address."""

    async def huge(operation: str, args: list[Json]) -> Json:
        return "x" * 4_000_000

    value = await value_of(
        sandbox, "async () => { try { await connecta.call('a.b') } catch (e) { return [e.code, e.message] } }", huge
    )
    assert isinstance(value, list)
    assert value[0] == "result_too_large"
    assert 'connecta.call("a.b")' in str(value[1])


async def test_a_large_result_of_any_text_crosses(sandbox: Sandbox) -> None:
    """L6: the bound is in bytes of UTF-8, whatever the pipe carries."""

    async def large(operation: str, args: list[Json]) -> Json:
        return "日" * 1_300_000

    assert await value_of(sandbox, "async () => (await connecta.call('a.b')).length", large) == 1_300_000


async def test_deeply_nested_arguments_fail_that_call(sandbox: Sandbox) -> None:
    program = (
        "async () => { let o = []; for (let i = 0; i < 300; i++) o = [o];"
        " try { await connecta.call('a.b', o) } catch (e) { return e.code } }"
    )
    assert await value_of(sandbox, program) == "invalid_args"


async def test_a_host_result_that_is_no_json_fails_that_call(sandbox: Sandbox) -> None:
    async def not_finite(operation: str, args: list[Json]) -> Json:
        return float("nan")

    program = "async () => { try { await connecta.call('a.b') } catch (e) { return e.code } }"
    assert await value_of(sandbox, program, not_finite) == "result_processing_failed"


async def test_host_operations_are_counted_and_the_one_over_fails() -> None:
    """L8: the parent counts, whatever the program does to its own globals."""
    sandbox = Sandbox(installed_config(limits=replace(LIMITS, bridge_operations=3, spares=0)))
    program = (
        "async () => { const codes = []; for (let i = 0; i < 5; i++)"
        " codes.push(await connecta.search().then(() => 'ok', e => e.code)); return codes }"
    )
    assert await value_of(sandbox, program) == ["ok", "ok", "ok", "budget_exceeded", "budget_exceeded"]


async def test_a_program_that_is_too_long_is_refused(sandbox: Sandbox) -> None:
    """L4."""
    failure = await failure_of(sandbox, "async () => 1 //" + "x" * LIMITS.program_bytes)
    assert failure.code == "invalid_args"
    assert "256 KiB" in failure.message


async def test_a_host_that_breaks_is_not_taken_for_the_programs_fault(sandbox: Sandbox) -> None:
    async def broken(operation: str, args: list[Json]) -> Json:
        raise LookupError("ours")

    with pytest.raises(LookupError, match="ours"):
        await outcome_of(sandbox, "async () => connecta.call('a.b')", broken)
    assert await value_of(sandbox, "async () => 1") == 1


async def test_a_cancelled_run_leaves_no_process_and_no_call(sandbox: Sandbox) -> None:
    """L2."""
    begun, ended = asyncio.Event(), asyncio.Event()

    async def never(operation: str, args: list[Json]) -> Json:
        begun.set()
        try:
            return await asyncio.get_running_loop().create_future()
        finally:
            ended.set()

    run = asyncio.create_task(outcome_of(sandbox, "async () => connecta.call('a.b')", never))
    await begun.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert ended.is_set()
    await sandbox.close()
    assert children() == []


async def test_runs_and_close_leave_no_process_and_no_file() -> None:
    """L2, and nothing is left of a sandbox that was closed."""
    files = open_files()
    sandbox = Sandbox(installed_config())
    for program in ("async () => 1", "async () => { throw 1 }", "async () => {", "async () => connecta.call('a')"):
        await outcome_of(sandbox, program)
    await sandbox.close()
    assert (children(), open_files()) == ([], files)


async def test_a_spare_that_died_is_a_miss_and_not_an_error(sandbox: Sandbox) -> None:
    await sandbox.warm()
    [spare] = children()
    kill(spare)
    assert await value_of(sandbox, "async () => 1") == 1


def test_a_spare_started_under_one_event_loop_serves_under_another() -> None:
    sandbox = Sandbox(installed_config())
    asyncio.run(sandbox.warm())
    [spare] = children()
    seen: list[int] = []

    async def host(operation: str, args: list[Json]) -> Json:
        seen.extend(pid for pid in children() if pid == spare)
        return 1

    assert asyncio.run(value_of(sandbox, "async () => connecta.call('a.b')", host)) == 1
    asyncio.run(sandbox.close())
    assert (seen, children()) == ([spare], [])


async def test_a_killed_child_is_a_retryable_crash(sandbox: Sandbox) -> None:
    """E5."""
    await sandbox.warm()
    [running] = children()

    async def fatal(operation: str, args: list[Json]) -> Json:
        kill(running)
        return None

    failure = await failure_of(sandbox, "async () => connecta.call('a.b')", fatal)
    assert (failure.code, failure.retryable) == ("run_crashed", True)


async def test_twenty_runs_at_once_keep_to_themselves(sandbox: Sandbox) -> None:
    """P4, L2."""
    values = await asyncio.gather(
        *(value_of(sandbox, f"async () => (await connecta.call('n', {n})).args[1]", echo) for n in range(20))
    )
    assert values == list(range(20))


async def test_a_closed_sandbox_runs_nothing_more() -> None:
    """E5."""
    sandbox = Sandbox(installed_config())
    await sandbox.close()
    assert (await failure_of(sandbox, "async () => 1")).code == "executor_closed"
    assert children() == []


async def test_a_sandbox_whose_engine_is_missing_says_that_it_is_unavailable() -> None:
    """E5."""
    sandbox = Sandbox(replace(installed_config(), engine="/nowhere"))
    failure = await failure_of(sandbox, "async () => 1")
    assert failure.code == "sandbox_unavailable"
    with pytest.raises(Failure, match="Programs cannot run here"):
        await sandbox.warm()
    status = sandbox.status()
    assert status is not None
    assert (status.ready, status.missing) == (False, ("start",))
    await sandbox.close()
    assert children() == []


async def test_a_value_is_kept_whatever_its_open_calls_take_to_end(sandbox: Sandbox) -> None:
    """L2, L3: the deadline is the program's, and not that of what is cleared away after it."""

    async def slow_to_leave(operation: str, args: list[Json]) -> Json:
        try:
            return await asyncio.get_running_loop().create_future()
        finally:
            await asyncio.wait({asyncio.create_task(asyncio.sleep(3.2))})

    await sandbox.warm()
    program = "async () => { connecta.call('a'); await null; return 'done' }"
    outcome = await outcome_of(sandbox, program, slow_to_leave, deadline_s=3)
    assert (outcome.value, outcome.failure) == ("done", None)


async def test_failed_calls_leave_nothing_of_what_they_were_given(sandbox: Sandbox) -> None:
    """A failure that is kept holds no frame, and no frame the arguments of its call."""

    class Held(list[int]):
        """A list that can be referred to weakly."""

    seen: list[weakref.ref[Held]] = []

    async def refusing(operation: str, args: list[Json]) -> Json:
        held = Held(range(9))
        seen.append(weakref.ref(held))
        raise Failure("unavailable", f"no {len(held)}")

    gc.disable()
    try:
        await outcome_of(sandbox, "async () => connecta.call('a').catch(() => connecta.call('b'))", refusing)
        assert [each() for each in seen] == [None, None]
    finally:
        gc.enable()
