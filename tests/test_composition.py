"""What one process writes of the calls its requests attempted (V1, V2), and when it makes its next sandbox."""

import httpx2
import pytest

from connecta import Connecta, Open
from connecta.composition import LINE_EVENTS, Application, compose
from tests.fixtures.desk import Desk
from tests.fixtures.programs import children
from tools.events import tool_call


def composed() -> Application:
    deployment = Connecta(connectors=[Desk().connector], auth=[Open()], name="desk-test")
    return compose(deployment, table="none", endpoint_url="http://127.0.0.1:9", environ={})


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
    entry = '{ address: "desk.read_note", args: { id: "1" } }'
    program = f"async () => {{ for (let i = 0; i < 12; i++) await connecta.batch(Array(10).fill({entry})); return 1 }}"
    assert await ran(application, program) == {"result": 1}
    await application.close()
    told = [vars(record) for record in caplog.records if record.getMessage() == "calls"]
    assert [len(line["calls"]) for line in told] == [LINE_EVENTS, 120 - LINE_EVENTS]
    assert {(line["deployment"], line["actor"].count(":"), bool(line["request_id"])) for line in told} == {
        ("desk-test", 1, True)
    }


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
