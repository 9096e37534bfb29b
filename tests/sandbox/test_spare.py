"""The child that waits for the next program: frozen, thawed, killed at any moment, and replaced."""

import asyncio
import os
import signal
import socket
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from connecta.failures import unavailable
from connecta.limits import LIMITS
from connecta.sandbox.config import installed_config
from connecta.sandbox.frames import encode
from connecta.sandbox.process import Child
from connecta.sandbox.sandbox import Outcome, Sandbox
from connecta.text import Json
from tests.fixtures.programs import children, echo, kill, open_files, outcome_of, value_of

ONE = "async () => 1"
LONG = f"async () => {{ /* {'x' * 200_000} */ return 1 }}"
"""More than a pipe holds: sending it ends only when the child reads."""
PIPE_BYTES = 65_536


@asynccontextmanager
async def sandbox_with(spares: int) -> AsyncGenerator[Sandbox]:
    made = Sandbox(installed_config(limits=replace(LIMITS, spares=spares)))
    try:
        yield made
    finally:
        await made.close()


@pytest.fixture
async def spare(sandbox: Sandbox) -> int:
    """The process id of the sandbox's spare, ready and waiting."""
    await sandbox.warm()
    (pid,) = children()
    return pid


def freeze(pid: int) -> None:
    """Stops a process, and returns once it has stopped."""
    os.kill(pid, signal.SIGSTOP)
    os.waitid(os.P_PID, pid, os.WSTOPPED | os.WNOWAIT)


def thaw(pid: int) -> None:
    os.kill(pid, signal.SIGCONT)


def reap(pid: int) -> None:
    os.waitpid(pid, 0)


def is_closed(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return True
    return False


async def sent(sandbox: Sandbox, program: str) -> asyncio.Task[Outcome]:
    """A run whose program has gone to a ready spare, or as much of it as the pipe takes."""
    run = asyncio.create_task(sandbox.run(program, echo, deadline_s=20))
    await asyncio.sleep(0)  # a ready spare is sent its program in the run's first step
    return run


async def one_from(run: asyncio.Task[Outcome]) -> None:
    outcome = await run
    assert (outcome.value, outcome.failure) == (1, None)


async def serving(sandbox: Sandbox) -> list[int]:
    """The processes there are while a program waits for its host."""
    seen: list[int] = []

    async def host(operation: str, args: list[Json]) -> Json:
        seen.extend(children())
        return None

    await value_of(sandbox, "async () => connecta.call('a.b')", host)
    return seen


async def test_a_spare_that_was_frozen_and_thawed_runs_the_next_program(sandbox: Sandbox, spare: int) -> None:
    """As between two invocations of a Lambda."""
    freeze(spare)
    thaw(spare)
    assert spare in await serving(sandbox)


@pytest.mark.parametrize("program", [ONE, LONG])
async def test_a_spare_that_is_frozen_while_it_is_sent_the_program_goes_on_when_thawed(
    sandbox: Sandbox, spare: int, program: str
) -> None:
    freeze(spare)
    run = await sent(sandbox, program)
    assert children() == [spare]
    thaw(spare)
    await one_from(run)


@pytest.mark.parametrize("program", [ONE, LONG])
async def test_a_spare_that_stays_frozen_costs_one_program_its_deadline_and_the_next_nothing(
    sandbox: Sandbox, spare: int, program: str
) -> None:
    freeze(spare)
    outcome = await outcome_of(sandbox, program, deadline_s=0.2)
    assert outcome.failure is not None
    assert outcome.failure.code == "run_deadline"
    assert spare not in children()
    assert await value_of(sandbox, program) == 1


async def test_pipes_are_closed_once_nobody_waits_for_them(
    sandbox: Sandbox, spare: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their numbers are at once those of whatever another run opens, and the loop must not know them as theirs."""
    stop = Child.stop

    def stop_and_reuse(child: Child) -> None:
        with socket.socket() as other:
            before = [int(number) for number in os.listdir("/proc/self/fd")]
            stop(child)
            for number in filter(is_closed, before):
                os.dup2(other.fileno(), number)
                asyncio.get_running_loop().add_reader(number, bool)
                asyncio.get_running_loop().remove_reader(number)
                os.close(number)

    asked = asyncio.Event()

    async def more_than_a_pipe_holds(operation: str, args: list[Json]) -> Json:
        freeze(spare)
        asked.set()
        return LONG

    monkeypatch.setattr(Child, "stop", stop_and_reuse)
    outcome = await sandbox.run("async () => connecta.call('a.b')", more_than_a_pipe_holds, deadline_s=5)
    assert asked.is_set()
    assert outcome.failure is not None
    assert outcome.failure.code == "run_deadline"
    sandbox.reap()
    assert spare not in children()


async def test_a_call_that_answers_on_its_way_out_leaves_nobody_waiting_for_the_pipe(
    sandbox: Sandbox, spare: int
) -> None:
    """L2: the pipe is full to its last byte, so that one more answer would wait for room."""
    began = asyncio.Event()
    frame = len(encode("R", b'2 1 ""'))

    async def answered(operation: str, args: list[Json]) -> Json:
        if args == ["c.d"]:
            began.set()
            try:
                return await asyncio.get_running_loop().create_future()
            finally:
                raise unavailable("cleaning up failed")
        await began.wait()
        freeze(spare)
        return "x" * (PIPE_BYTES - frame)

    program = "async () => { connecta.call('c.d'); await connecta.call('a.b') }"
    outcome = await sandbox.run(program, answered, deadline_s=5)
    assert began.is_set()
    assert outcome.failure is not None
    assert outcome.failure.code == "run_deadline"
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_process_is_reaped_also_where_the_wait_for_its_calls_is_given_up(sandbox: Sandbox, spare: int) -> None:
    """L2: the run is cancelled while a call of its still has something to end."""
    leaving = asyncio.Event()

    async def stays(operation: str, args: list[Json]) -> Json:
        if args == ["quick"]:
            return None
        try:
            return await asyncio.get_running_loop().create_future()
        finally:
            leaving.set()
            await asyncio.shield(asyncio.get_running_loop().create_future())

    run = asyncio.create_task(
        sandbox.run(
            "async () => { connecta.call('a.b'); await connecta.call('quick'); return 1 }", stays, deadline_s=20
        )
    )
    await until(leaving.is_set)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    sandbox.reap()
    assert spare not in children()


async def test_a_spare_older_than_the_deadline_gives_its_program_the_whole_of_it(sandbox: Sandbox, spare: int) -> None:
    """No moment of one process's clock reaches the other: only what is left, counted from when it arrives."""
    async with sandbox_with(0) as elsewhere:
        for _ in range(4):
            await value_of(elsewhere, "async () => { const from = Date.now(); while (Date.now() - from < 600); }")
    outcome = await outcome_of(sandbox, ONE, deadline_s=2)
    assert (outcome.value, outcome.failure) == (1, None)


async def test_a_spare_killed_before_it_is_used_is_a_miss(sandbox: Sandbox, spare: int) -> None:
    kill(spare)
    assert await value_of(sandbox, ONE) == 1


async def test_a_spare_killed_and_reaped_by_somebody_else_is_a_miss(sandbox: Sandbox, spare: int) -> None:
    kill(spare)
    reap(spare)
    assert await value_of(sandbox, ONE) == 1


async def test_a_spare_killed_before_it_has_greeted_is_a_miss(sandbox: Sandbox, spare: int) -> None:
    """The next spare is started with ``settle`` and is not waited for."""
    assert await value_of(sandbox, ONE) == 1
    (starting,) = children()
    kill(starting)
    assert await value_of(sandbox, ONE) == 1


async def test_a_spare_killed_while_it_is_greeted_is_a_miss(sandbox: Sandbox, spare: int) -> None:
    assert await value_of(sandbox, ONE) == 1
    (starting,) = children()
    os.kill(starting, signal.SIGSTOP)
    run = await sent(sandbox, ONE)
    kill(starting)
    await one_from(run)


async def test_a_spare_killed_in_the_middle_of_the_send_is_a_miss(sandbox: Sandbox, spare: int) -> None:
    """The rest of the program meets a broken pipe."""
    freeze(spare)
    run = await sent(sandbox, LONG)
    kill(spare)
    await one_from(run)


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
async def test_a_spare_killed_after_the_program_was_sent_costs_nothing(
    sandbox: Sandbox, spare: int, end: signal.Signals
) -> None:
    """Before its first word nothing of the program can have been seen, so it runs once more."""
    freeze(spare)
    run = await sent(sandbox, ONE)
    os.kill(spare, end)
    thaw(spare)
    await one_from(run)


async def test_a_program_that_has_called_its_host_is_not_run_again(sandbox: Sandbox, spare: int) -> None:
    """What it did cannot be taken back: the death of its process is its failure."""
    called: list[str] = []

    async def host(operation: str, args: list[Json]) -> Json:
        called.append(operation)
        kill(spare)
        return None

    outcome = await outcome_of(sandbox, "async () => connecta.call('a.b')", host)
    assert outcome.failure is not None
    assert (outcome.failure.code, called) == ("run_crashed", ["call"])
    assert await value_of(sandbox, ONE) == 1


@pytest.mark.parametrize("end", [signal.SIGSEGV, signal.SIGABRT, signal.SIGSYS])
async def test_a_program_whose_engine_crashes_is_not_run_again(
    sandbox: Sandbox, spare: int, end: signal.Signals
) -> None:
    """Those signals are the program's own doing."""
    freeze(spare)
    run = await sent(sandbox, ONE)
    os.kill(spare, end)
    thaw(spare)
    outcome = await run
    assert outcome.failure is not None
    assert outcome.failure.code == "run_crashed"


async def test_a_spare_dies_with_the_thread_that_started_it_and_is_a_miss(sandbox: Sandbox) -> None:
    """PDEATHSIG follows the thread, not the process."""
    starter = threading.Thread(target=lambda: asyncio.run(sandbox.warm()))
    starter.start()
    starter.join()
    assert await value_of(sandbox, ONE) == 1


def test_a_spare_started_under_one_event_loop_serves_under_another() -> None:
    sandbox = Sandbox(installed_config())
    asyncio.run(sandbox.warm())
    (pid,) = children()
    assert pid in asyncio.run(serving(sandbox))
    asyncio.run(sandbox.close())
    assert children() == []


async def test_an_answer_is_there_before_the_next_spare_is_started(
    sandbox: Sandbox, spare: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever waits for the answer does not wait for a process to be made."""
    monkeypatch.setattr("connecta.sandbox.sandbox.SPARE_AFTER_S", 60)  # however busy the machine, no waiting program
    await one_from(await sent(sandbox, ONE))
    assert set(children()) <= {spare}
    sandbox.prepare()
    assert len(set(children()) - {spare}) == 1


async def test_the_next_spare_is_started_while_a_program_waits_for_its_host(sandbox: Sandbox, spare: int) -> None:
    async def host(operation: str, args: list[Json]) -> Json:
        await until(lambda: len(children()) == 2)
        return 1

    assert await value_of(sandbox, "async () => connecta.call('a.b')", host) == 1


@pytest.mark.parametrize("spares", [0, 1, 3])
async def test_as_many_spares_wait_as_are_configured(spares: int) -> None:
    async with sandbox_with(spares) as sandbox:
        await sandbox.warm()
        assert len(children()) == spares
        assert await value_of(sandbox, ONE) == 1
        assert len(children()) == spares
        await asyncio.gather(*[value_of(sandbox, ONE) for _ in range(5)])
        assert len(children()) == spares
    assert children() == []


def test_one_spare_is_the_default() -> None:
    assert LIMITS.spares == 1


async def test_all_spares_killed_at_once_are_misses_and_nothing_is_left_of_them() -> None:
    before = open_files()
    async with sandbox_with(3) as sandbox:
        await sandbox.warm()
        for pid in children():
            kill(pid)
        assert await value_of(sandbox, ONE) == 1
        assert len(children()) == 3
    assert (children(), open_files()) == ([], before)


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not holds():  # noqa: ASYNC110 - a process that starts sets no event
            await asyncio.sleep(0)
