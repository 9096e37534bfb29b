"""``api`` connectors: what a tool function is given, and what becomes of what it returns or raises."""

import asyncio
import base64
import datetime
import logging
import time
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypedDict

import pytest
from pydantic import BaseModel, Field

from connecta import Context, Credential, Image, Token, api, failures
from connecta.connectors.api import Api
from connecta.connectors.model import Annotations, Tool, ToolResult
from connecta.failures import Failure
from connecta.text import MISSING, Json, JsonObject
from tests.fixtures.misbehaving_server import MisbehavingServer

PIXEL = b"\x89PNG\r\n\x1a\nnot really"


def things(server: MisbehavingServer | None = None, **options: Any) -> Api:
    url = f"{server.url}/v2" if server else "https://things.example"
    return api("things", base_url=url, allow_private=True, **options)


async def tools_of(connector: Api) -> dict[str, Tool]:
    return {tool.name: tool for tool in await connector.open().list_tools()}


async def called(connector: Api, name: str, args: JsonObject | None = None, deadline_s: float = 5.0) -> ToolResult:
    connection = connector.open()
    try:
        return await connection.call((await tools_of(connector))[name], args or {}, deadline_s)
    finally:
        await connection.close()


async def failure_of(connector: Api, name: str, args: JsonObject | None = None, deadline_s: float = 5.0) -> JsonObject:
    with pytest.raises(Failure) as caught:
        await called(connector, name, args, deadline_s)
    return caught.value.envelope()


class Address(BaseModel):
    street: str
    lines: list[str] = []


class Row(TypedDict):
    id: str
    due: datetime.date


async def test_name_description_hints_and_schemas_come_from_the_function() -> None:
    connector = things()

    @connector.tool(read_only=True, idempotent=True, title="Get an invoice")
    async def get_invoice(
        ctx: Context,
        id: Annotated[str, Field(description="Like i-7", min_length=1)],
        lines: bool = False,
        kind: Literal["paid", "open"] | None = None,
    ) -> Row:
        """Fetch one invoice by id.

        Second paragraph.
        """
        raise NotImplementedError

    assert await tools_of(connector) == {
        "get_invoice": Tool(
            name="get_invoice",
            title="Get an invoice",
            description="Fetch one invoice by id.\n\nSecond paragraph.",
            annotations=Annotations(read_only=True, idempotent=True),
            input_schema={
                "type": "object",
                "properties": {
                    "id": {"type": "string", "description": "Like i-7", "minLength": 1},
                    "lines": {"type": "boolean", "default": False},
                    "kind": {
                        "anyOf": [{"type": "string", "enum": ["paid", "open"]}, {"type": "null"}],
                        "default": None,
                    },
                },
                "required": ["id"],
                "additionalProperties": False,
            },
            output_schema={
                "type": "object",
                "properties": {"id": {"type": "string"}, "due": {"type": "string", "format": "date"}},
                "required": ["id", "due"],
            },
        )
    }
    assert connector.problems() == []


async def test_explicit_schemas_and_names_win_and_arguments_are_passed_as_they_came() -> None:
    connector = things()
    schema: JsonObject = {"type": "object", "properties": {"a": {"type": "string"}}}

    @connector.tool(
        read_only=True, name="raw.one", description="Raw.", input_schema=schema, output_schema={"type": "object"}
    )
    async def raw(ctx: Context, **given: Json) -> Json:
        return given

    assert connector.problems() == []
    assert await tools_of(connector) == {
        "raw.one": Tool(
            "raw.one",
            "Raw.",
            input_schema=schema,
            output_schema={"type": "object"},
            annotations=Annotations(read_only=True),
        )
    }
    assert (await called(connector, "raw.one", {"a": "x", "b": None})).unwrap() == {"a": "x", "b": None}


async def test_arguments_arrive_as_the_annotated_values_with_defaults() -> None:
    connector = things()

    @connector.tool(read_only=True)
    async def ship(ctx: Context, to: Address, on: datetime.date, count: int = 2) -> object:
        """Ship it."""
        return [type(to).__name__, to.street, type(on).__name__, count]

    args: JsonObject = {"to": {"street": "Main"}, "on": "2026-11-30"}
    assert (await called(connector, "ship", args)).unwrap() == ["Address", "Main", "date", 2]


@dataclass
class Point:
    x: int
    on: datetime.date


@pytest.mark.parametrize(
    ("returned", "expected"),
    [
        (
            {"a": [1, None]},
            ToolResult([{"type": "text", "text": '{"a":[1,null]}'}], {"a": [1, None]}, value={"a": [1, None]}),
        ),
        ([1, 2], ToolResult([{"type": "text", "text": "[1,2]"}], value=[1, 2])),
        ("words", ToolResult([{"type": "text", "text": "words"}], value="words")),
        (None, ToolResult([{"type": "text", "text": "null"}], value=None)),
        (
            Point(1, datetime.date(2026, 11, 30)),
            ToolResult(
                [{"type": "text", "text": '{"x":1,"on":"2026-11-30"}'}],
                {"x": 1, "on": "2026-11-30"},
                value={"x": 1, "on": "2026-11-30"},
            ),
        ),
        (
            Image(PIXEL),
            ToolResult([{"type": "image", "data": base64.b64encode(PIXEL).decode(), "mimeType": "image/png"}]),
        ),
        (
            ["a chart", Image(b"x", "image/webp"), {"n": 1}],
            ToolResult(
                [
                    {"type": "text", "text": "a chart"},
                    {"type": "image", "data": "eA==", "mimeType": "image/webp"},
                    {"type": "text", "text": '{"n":1}'},
                ]
            ),
        ),
    ],
    ids=["object", "list", "text", "null", "dataclass", "image", "mixed list"],
)
async def test_a_returned_value_becomes_json_or_content_blocks(returned: object, expected: ToolResult) -> None:
    connector = things()

    @connector.tool(read_only=True)
    async def give(ctx: Context) -> object:
        """Give it."""
        return returned

    assert await called(connector, "give") == expected


async def test_an_image_reaches_a_program_whole() -> None:
    """S5: a result with a non-text block arrives whole, so that emit can re-emit it."""
    connector = things()

    @connector.tool(read_only=True)
    async def chart(ctx: Context) -> Image:
        """A chart."""
        return Image(PIXEL)

    result = await called(connector, "chart")
    assert result.value is MISSING
    assert result.unwrap() == {
        "content": [{"type": "image", "data": base64.b64encode(PIXEL).decode(), "mimeType": "image/png"}]
    }
    assert (await tools_of(connector))["chart"].output_schema is None


@pytest.mark.parametrize("returned", [object(), float("nan"), {"deep": {1, object()}}, b"\xff"])
async def test_what_json_cannot_hold_is_a_failed_call(returned: object) -> None:
    connector = things()

    @connector.tool(read_only=True)
    async def give(ctx: Context) -> object:
        """Give it."""
        return returned

    assert await failure_of(connector, "give") == {
        "code": "connector_call_failed",
        "message": "things.give returned something that is not JSON.",
        "retryable": False,
    }


@pytest.mark.parametrize("error", [ValueError("the password is hunter2"), TimeoutError("hunter2"), KeyError("hunter2")])
async def test_an_exception_is_for_the_log_and_an_id_for_the_caller(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    """Never an exception's text to a caller."""
    connector = things()

    @connector.tool(read_only=True)
    async def break_down(ctx: Context) -> object:
        """Break."""
        raise error

    failure = await failure_of(connector, "break_down")
    (record,) = caplog.records
    correlation_id = str(failure["message"]).rpartition(" ")[2].rstrip(".")
    assert failure == {
        "code": "connector_call_failed",
        "message": f"things.break_down failed in the deployment's own code. Its log has it under {correlation_id}.",
        "retryable": False,
    }
    assert (record.levelno, record.name) == (logging.ERROR, "connecta.connectors.things")
    assert correlation_id in record.getMessage()
    assert record.exc_info is not None
    assert record.exc_info[1] is error


@pytest.mark.parametrize("error", [asyncio.CancelledError("hunter2"), SystemExit("hunter2")])
async def test_a_tool_that_gives_up_ends_its_own_call_and_nothing_else(error: BaseException) -> None:
    """Nobody cancelled the call and nobody ends the server: the function alone has failed."""
    connector = things()

    @connector.tool(read_only=True)
    async def give_up(ctx: Context) -> object:
        """Give up."""
        raise error

    failure = await failure_of(connector, "give_up")
    assert str(failure.pop("message")).startswith("things.give_up failed in the deployment's own code.")
    assert failure == {"code": "connector_call_failed", "retryable": False}


async def test_a_call_that_is_cancelled_stays_cancelled() -> None:
    """L2."""
    connector, reached = things(), asyncio.Event()

    @connector.tool(read_only=True)
    async def wait(ctx: Context) -> object:
        """Wait."""
        reached.set()
        await asyncio.Event().wait()
        return None

    task = asyncio.create_task(called(connector, "wait"))
    await reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_typed_failure_of_the_tool_is_the_callers() -> None:
    connector = things()

    @connector.tool(read_only=True)
    async def look(ctx: Context) -> object:
        """Look."""
        raise failures.not_found("There is no such invoice.")

    assert await failure_of(connector, "look") == {
        "code": "not_found",
        "message": "There is no such invoice.",
        "retryable": False,
    }


async def test_a_token_is_framed_by_ctx_http_and_readable_as_ctx_credential(
    server: MisbehavingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THINGS_TOKEN", "s3cret")
    connector = things(server, credential=Token(env="THINGS_TOKEN"))

    @connector.tool(read_only=True)
    async def look(ctx: Context) -> object:
        """Look."""
        await ctx.http.get("/a")
        return ctx.credential == "s3cret"

    assert (await called(connector, "look")).unwrap() is True
    assert server.requests[0][2]["authorization"] == "Bearer s3cret"


async def test_a_credential_nobody_can_give_is_auth_required_before_the_function_runs() -> None:
    """E3."""
    connector = things(credential=Credential("Things API key"))
    ran: list[str] = []

    @connector.tool(read_only=True)
    async def look(ctx: Context) -> object:
        """Look."""
        ran.append("look")
        return None

    failure = await failure_of(connector, "look")
    assert (failure["code"], failure["recovery"], failure["operation"]) == (
        "auth_required",
        "unavailable",
        "things.look",
    )
    assert ran == []


async def test_the_deadline_is_told_to_the_function(server: MisbehavingServer) -> None:
    connector = things(server)

    @connector.tool(read_only=True)
    async def look(ctx: Context) -> float:
        """Look."""
        return ctx.deadline - time.monotonic()

    left = (await called(connector, "look", deadline_s=3.0)).unwrap()
    assert isinstance(left, float)
    assert 2.0 < left <= 3.0


async def test_calls_made_at_once_in_a_task_group_fail_as_they_would_alone(caplog: pytest.LogCaptureFixture) -> None:
    connector = things()

    @connector.tool(read_only=True)
    async def look(ctx: Context, also_breaks: bool) -> object:
        """Look at two."""

        async def one(error: Exception) -> None:
            raise error

        async with asyncio.TaskGroup() as inner:
            inner.create_task(one(failures.rate_limited("Later.", 2)))
            if also_breaks:
                inner.create_task(one(ValueError("hunter2")))

    assert await failure_of(connector, "look", {"also_breaks": False}) == {
        "code": "rate_limited",
        "message": "Later.",
        "retryable": True,
        "retryAfterMs": 2000,
    }
    assert caplog.records == []
    assert (await failure_of(connector, "look", {"also_breaks": True}))["code"] == "connector_call_failed"
    assert len(caplog.records) == 1
