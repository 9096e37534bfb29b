"""What one process records of the calls its requests attempted (V1, V2), and when it makes its next sandbox."""

import socket
import time
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace

import httpx2
import pytest

import connecta.scope
from connecta import Connecta, Open
from connecta.calls.activity import CallEvent, Origin
from connecta.calls.journal import LINE_EVENTS
from connecta.composition import Application, compose
from connecta.limits import LIMITS, Limits
from connecta.state.activity import Wanted
from tests.fixtures import scopes
from tests.fixtures.desk import Desk
from tests.fixtures.dynamodb import TABLE, running_moto
from tests.fixtures.programs import children
from tools.events import tool_call

BATCHES_OF_TEN = (
    "async () => { for (let i = 0; i < 12; i++) "
    "await connecta.batch(Array(10).fill({ address: 'desk.read_note', args: { id: '1' } })); return 1 }"
)


def composed(endpoint_url: str = "http://127.0.0.1:9", limits: Limits = LIMITS) -> Application:
    """Without an endpoint, nothing listens where its table should be."""
    deployment = Connecta(connectors=[Desk().connector], auth=[Open()], name="desk-test", limits=limits)
    return compose(deployment, table=TABLE, endpoint_url=endpoint_url, environ={})


async def ran(application: Application, program: str) -> dict[str, object]:
    event = tool_call("execute_code", {"code": program})
    transport = httpx2.ASGITransport(application.asgi, client=("127.0.0.1", 1))
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        headers = {name: value for name, value in event["headers"].items() if name.lower() != "host"}
        answer = await client.post("/mcp", content=event["body"], headers=headers)
    return answer.json()["result"]["structuredContent"]


async def test_the_calls_of_a_request_are_one_line_unless_they_are_very_many(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """V1: one event a call; a line stays under what a log takes."""
    application = composed()
    assert await ran(application, BATCHES_OF_TEN) == {"result": 1}
    await application.close()
    told = [vars(record) for record in caplog.records if record.getMessage() == "calls"]
    assert [len(line["calls"]) for line in told] == [LINE_EVENTS, 120 - LINE_EVENTS]
    assert {(line["deployment"], line["actor"].count(":"), bool(line["request_id"])) for line in told} == {
        ("desk-test", 1, True)
    }


async def test_the_calls_of_a_request_are_in_the_table_when_its_answer_is_there() -> None:
    """V1, V2: Lambda freezes the process after the answer. The local refusal is among them, the run is not (V4)."""
    program = (
        "async () => { await connecta.call('desk.read_note', { id: '1' }); "
        "await connecta.call('desk.write_note', { id: '1' }).catch(() => 0); "
        "await connecta.call('desk.nothing', {}).catch(() => 0); return 1 }"
    )
    with running_moto() as endpoint_url:
        application = composed(endpoint_url, replace(LIMITS, activity_write_s=15.0))
        assert await ran(application, program) == {"result": 1}
        listed = await application.state.activity.newest(Wanted(), 10)
        await application.close()
    told = [(entry.address, entry.outcome, entry.error_code, entry.friction, entry.attempts) for entry in listed]
    assert told == [
        ("desk.nothing", "error", "unknown_tool", "tool_not_found", 0),
        ("desk.write_note", "error", "destructive_tool_requires_approval", "destructive_reroute", 0),
        ("desk.read_note", "success", None, None, 1),
    ]
    assert {(entry.source, entry.actor, entry.deployment) for entry in listed} == {
        ("execute_code", "open:anyone", "desk-test")
    }
    assert len({entry.request_id for entry in listed}) == 1


async def test_a_table_that_is_down_costs_its_record_and_not_the_answer(caplog: pytest.LogCaptureFixture) -> None:
    """The loss is told once, with a count."""
    application = composed()
    assert await ran(application, BATCHES_OF_TEN) == {"result": 1}
    await application.close()
    [told] = [vars(record) for record in caplog.records if record.levelname == "WARNING"]
    assert (told["message"], told["lost"], told["deployment"]) == (
        "Activity was lost: the state table did not take it",
        120,
        "desk-test",
    )


async def test_a_table_that_never_answers_holds_an_answer_no_longer_than_it_may() -> None:
    bound = 0.5
    limits = replace(LIMITS, activity_write_s=bound, state_read_s=1.0, state_attempts=1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        application = composed(f"http://127.0.0.1:{silent.getsockname()[1]}", limits)
        await application.sandbox.warm()
        started = time.monotonic()
        assert await ran(application, "async () => connecta.call('desk.read_note', { id: '1' })")
        took = time.monotonic() - started
    await application.close()
    assert bound <= took < bound + 5


@pytest.mark.parametrize(("remaining_s", "bound_s"), [(29.0, LIMITS.activity_write_s), (1.2, 0.7), (0.4, 0.0)])
async def test_a_record_may_take_what_the_answer_does_not_need(
    remaining_s: float, bound_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request that used up its time is one to record, and a quarter of the time to answer is the answer's own."""
    given: list[float] = []
    for module in (scopes, connecta.scope):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: 1_000.0))

    async def keep(events: Sequence[CallEvent], origin: Origin, within_s: float) -> None:
        given.append(within_s)

    desk = scopes.bench([Desk().connector])
    desk.services = replace(desk.services, journal=keep)
    async with desk.scope(remaining_s=remaining_s) as scope:
        scope.record(CallEvent(1.0, "desk", "slow", "call_tool", "timeout", 1, 1, "timeout"))
    assert given == [pytest.approx(bound_s)]


async def test_when_an_answer_has_been_given_no_process_of_it_is_left_and_the_next_one_waits() -> None:
    """L2: the child is reaped before the answer, the spare is made after it."""
    application = composed()
    await application.sandbox.warm()
    first = children()
    assert await ran(application, "async () => 1") == {"result": 1}
    second = children()
    assert (len(first), len(second), set(first) & set(second)) == (1, 1, set[int]())
    await application.close()
    assert children() == []
