"""``remote_mcp`` over real servers of both eras, and over what a server may say that is odd."""

import asyncio
import json
import logging
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from urllib.request import ProxyHandler, build_opener

import pytest

from connecta import Credential, OAuth, Token, remote_mcp
from connecta.connectors.model import Annotations, Tool, ToolResult
from connecta.connectors.remote_mcp import RemoteMcp
from connecta.failures import Failure
from connecta.limits import Limits
from connecta.text import MISSING, Json, JsonObject
from examples.shop.servers import ShopUrls, running_servers, serving_process
from tests.fixtures.misbehaving_server import MisbehavingServer


@pytest.fixture(scope="module")
def shop_urls() -> Iterator[ShopUrls]:
    with running_servers() as urls:
        yield urls


@pytest.fixture(scope="module")
def legacy_url() -> Iterator[str]:
    with serving_process("tests.fixtures.legacy_mcp_server", 0) as url:
        yield url


def to(server: MisbehavingServer, **options: Any) -> RemoteMcp:
    return remote_mcp("docs", url=f"{server.url}/mcp", allow_private=True, **options)


def listing(*tools: Json, cursor: str | None = None) -> JsonObject:
    page: JsonObject = {"tools": list(tools), "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
    return {**page, "nextCursor": cursor} if cursor else page


async def listed(connector: RemoteMcp) -> list[Tool]:
    connection = connector.open()
    try:
        return list(await connection.list_tools())
    finally:
        await connection.close()


async def called(connector: RemoteMcp, tool: Tool | None = None, args: JsonObject | None = None) -> ToolResult:
    connection = connector.open()
    try:
        return await connection.call(tool or Tool("look"), args or {}, 10.0)
    finally:
        await connection.close()


def came_in(legacy_url: str) -> list[str]:
    """The methods of all the legacy server got."""
    with build_opener(ProxyHandler({})).open(f"{legacy_url}/log", timeout=10) as answer:
        return json.loads(answer.read())


async def failure_of(connector: RemoteMcp) -> JsonObject:
    with pytest.raises(Failure) as caught:
        await called(connector)
    return caught.value.envelope()


SAID = "There is no document 'nothing'; search for its id."


async def test_a_modern_server_is_listed_and_called_statelessly(shop_urls: ShopUrls) -> None:
    connector = remote_mcp("documents", url=shop_urls.mcp, allow_private=True)
    tools = {tool.name: tool for tool in await listed(connector)}
    assert {name: tool.annotations.program_may_call for name, tool in tools.items()} == {
        "search": True,
        "read": True,
        "order_flow": True,
        "count_words": False,
        "archive": False,
    }
    result = await called(connector, tools["search"], {"query": "refund"})
    assert result.unwrap() == {
        "documents": [{"id": "refund-policy", "title": "Refund policy", "tags": ["refunds", "policy"]}]
    }
    picture = await called(connector, tools["order_flow"])
    assert [block["type"] for block in picture.content] == ["text", "image"]
    wrong = await called(connector, tools["read"], {"id": "nothing"})
    assert wrong.is_error
    assert wrong.content == [{"type": "text", "text": f"Error executing tool read: {SAID}"}]


async def test_an_older_server_is_initialized_once_per_connection_and_its_session_ended(legacy_url: str) -> None:
    """mcp.md, "Downstream client": the era is asked for once per process, a stateful session is ended by DELETE."""
    connector = remote_mcp("legacy", url=f"{legacy_url}/mcp", allow_private=True)
    connector.bind(Limits(courtesy_s=20.0))
    first = connector.open()
    tools = {tool.name: tool for tool in await first.list_tools()}
    assert list(tools) == ["echo", "wait"]
    calls = [first.call(tools["echo"], {"text": text}, 10.0) for text in ("a", "b", None)]
    assert [result.unwrap() for result in await asyncio.gather(*calls)] == [
        {"text": "a"},
        {"text": "b"},
        {"text": None},
    ]
    await first.close()
    assert (await called(connector, tools["echo"], {"text": "c"})).unwrap() == {"text": "c"}
    session = ["initialize", "notifications/initialized"]
    assert came_in(legacy_url) == [
        *("server/discover", *session, "tools/list", "tools/call", "tools/call", "tools/call", "DELETE"),
        *(*session, "tools/call", "DELETE"),
    ]


async def test_a_session_begins_however_long_its_first_notification_takes(legacy_url: str) -> None:
    """No courtesy: a strict server refuses every call of a session that was not told to begin."""
    before = len(came_in(legacy_url))
    connector = remote_mcp("legacy", url=f"{legacy_url}/mcp", allow_private=True)
    connector.bind(Limits(courtesy_s=0.0))
    assert (await called(connector, Tool("echo"), {"text": "a"})).unwrap() == {"text": "a"}
    session = ["server/discover", "initialize", "notifications/initialized", "tools/call"]
    assert came_in(legacy_url)[before:][: len(session)] == session


async def test_a_call_given_up_leaves_its_neighbour_and_the_session_alone(legacy_url: str) -> None:
    connection = remote_mcp("legacy", url=f"{legacy_url}/mcp", allow_private=True).open()
    stuck = asyncio.create_task(connection.call(Tool("wait"), {}, 10.0))
    assert (await connection.call(Tool("echo"), {"text": "meanwhile"}, 10.0)).unwrap() == {"text": "meanwhile"}
    with pytest.raises(Failure, match=r"legacy\.wait did not answer within 0\.2 s\."):
        await connection.call(Tool("wait"), {}, 0.2)
    stuck.cancel()
    with suppress(asyncio.CancelledError):
        await stuck
    assert (await connection.call(Tool("echo"), {"text": "after"}, 10.0)).unwrap() == {"text": "after"}
    await connection.close()


async def test_a_call_is_one_request_and_the_era_is_asked_for_once(server: MisbehavingServer) -> None:
    """No hidden tools/list before or after a call (mcp.md, "Downstream client")."""
    connector = to(server)
    await called(connector)
    await called(connector)
    assert [headers["mcp-method"] for _, _, headers in server.requests] == [
        "server/discover",
        "tools/call",
        "tools/call",
    ]


async def test_half_a_surrogate_pair_is_refused_and_the_session_goes_on(server: MisbehavingServer) -> None:
    """P3; nothing of it can be sent as UTF-8."""
    connection = to(server).open()
    tool = Tool("search", annotations=Annotations(read_only=True))
    with pytest.raises(Failure, match="surrogate") as refused:
        await connection.call(tool, {"query": "\ud800"}, 5)
    await connection.close()
    assert (refused.value.code, refused.value.retryable) == ("invalid_args", False)


async def test_every_page_is_followed_and_a_name_listed_twice_is_left_to_the_catalog(server: MisbehavingServer) -> None:
    pages = {
        None: listing({"name": "a", "description": "first"}, {"name": "b"}, cursor="2"),
        "2": listing({"name": "a", "description": "second"}, {"name": "c"}),
    }

    def page(params: dict[str, Any]) -> JsonObject:
        return pages[params.get("cursor")]

    server.answers["tools/list"] = page
    assert [(tool.name, tool.description) for tool in await listed(to(server))] == [
        ("a", "first"),
        ("b", ""),
        ("a", "second"),
        ("c", ""),
    ]


async def test_one_odd_tool_never_breaks_the_listing(server: MisbehavingServer) -> None:
    """Schemas are kept as they came, broken ones included; what cannot be addressed is left out."""
    server.answers["tools/list"] = listing(
        {"name": "good", "title": "Good", "inputSchema": {"type": "object"}, "_meta": {"x": 1}},
        {"name": "odd", "description": 7, "inputSchema": "nonsense", "outputSchema": True, "annotations": []},
        {"name": "none"},
        {"name": 3},
        {"name": ""},
        "not a tool",
        None,
    )
    assert await listed(to(server)) == [
        Tool("good", title="Good", meta={"x": 1}),
        Tool("odd", input_schema="nonsense", output_schema=True),
        Tool("none"),
    ]


@pytest.mark.parametrize(
    ("answer", "limits"),
    [
        (listing({"name": "a"}, cursor="again"), Limits(catalog_pages=3)),
        (listing({"name": "a"}, {"name": "b"}, {"name": "c"}), Limits(catalog_tools=2)),
    ],
    ids=["endless pages", "too many tools"],
)
async def test_a_listing_out_of_bounds_is_a_failure_and_no_part_of_it_is_used(
    server: MisbehavingServer, answer: JsonObject, limits: Limits
) -> None:
    server.answers["tools/list"] = answer
    connector = to(server)
    connector.bind(limits)
    with pytest.raises(Failure) as caught:
        await listed(connector)
    assert caught.value.envelope() == {
        "code": "catalog_lookup_failed",
        "message": f'"docs" lists more than {limits.catalog_tools:,} tools or {limits.catalog_pages} pages, '
        "and no part of a catalog is used.",
        "retryable": False,
    }


@pytest.mark.parametrize(
    ("hints", "options", "expected"),
    [
        ({}, {}, Annotations()),
        ({}, {"read_only": {"t"}}, Annotations(read_only=True)),
        ({}, {"destructive": {"t"}}, Annotations(read_only=False, destructive=True)),
        ({"readOnlyHint": True}, {}, Annotations(read_only=True)),
        ({"readOnlyHint": True}, {"destructive": {"t"}}, Annotations(read_only=False, destructive=True)),
        (
            {"readOnlyHint": True, "destructiveHint": False},
            {"destructive": {"t"}},
            Annotations(read_only=False, destructive=True),
        ),
        ({"readOnlyHint": False}, {"read_only": {"t"}}, Annotations(read_only=False)),
        ({"destructiveHint": True}, {"read_only": {"t"}}, Annotations(destructive=True)),
        ({"destructiveHint": False}, {"read_only": {"t"}}, Annotations(read_only=True, destructive=False)),
        ({"readOnlyHint": "true"}, {}, Annotations()),
        ({}, {"read_only": {"other"}}, Annotations()),
    ],
)
async def test_reviewed_names_classify_only_what_is_unannotated_but_destructive_outranks(
    server: MisbehavingServer, hints: JsonObject, options: dict[str, Any], expected: Annotations
) -> None:
    """tools.md, "Authoring a deployment"."""
    server.answers["tools/list"] = listing({"name": "t", "annotations": hints})
    assert [tool.annotations for tool in await listed(to(server, **options))] == [expected]


async def test_a_result_is_kept_whole(server: MisbehavingServer) -> None:
    """M2, "Calls" in tools.md: blocks nobody knows, a structured list, ``_meta`` and ``isError`` all survive."""
    blocks: list[JsonObject] = [{"type": "hologram", "depth": 3}, {"type": "text", "text": "hi", "annotations": {}}]
    server.answers["tools/call"] = {
        "content": blocks,
        "structuredContent": [1, None],
        "_meta": {"trace": "t"},
        "isError": True,
        "resultType": "complete",
    }
    assert await called(to(server)) == ToolResult(blocks, [1, None], {"trace": "t"}, is_error=True)


@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1", "utf-16", "punycode", "hex"])
async def test_events_are_utf_8_whatever_charset_is_named(server: MisbehavingServer, charset: str) -> None:
    """Python has codecs of all these names, one of them quadratic and one that makes no text."""
    connector = to(server)
    await called(connector)
    first_id = json.loads(server.bodies[-1])["id"]
    result: JsonObject = {"content": [{"type": "text", "text": "é"}], "resultType": "complete"}
    answer = json.dumps({"jsonrpc": "2.0", "id": first_id, "result": result}, ensure_ascii=False)
    event = f"event: message\ndata: {answer}\n\n".encode()
    kind = f"Content-Type: text/event-stream; charset={charset}"
    head = f"HTTP/1.1 200 OK\r\n{kind}\r\nContent-Length: {len(event)}\r\n\r\n"
    server.behaviour = f"RAW {head}{event.decode('latin-1')}"
    assert (await called(connector)).unwrap() == "é"


async def test_a_structured_null_is_not_a_missing_one(server: MisbehavingServer) -> None:
    server.answers["tools/call"] = {"content": [], "structuredContent": None, "resultType": "complete"}
    assert (await called(to(server))).structured is None
    server.answers["tools/call"] = {"content": [], "resultType": "complete"}
    assert (await called(to(server))).structured is MISSING


@pytest.mark.parametrize("answer", [{"resultType": "complete"}, {"content": "text", "resultType": "complete"}])
async def test_what_is_no_tool_result_is_a_failed_call(server: MisbehavingServer, answer: JsonObject) -> None:
    server.answers["tools/call"] = answer
    assert await failure_of(to(server)) == {
        "code": "connector_call_failed",
        "message": "docs.look answered with something that is not a tool result.",
        "retryable": False,
    }


async def test_a_call_that_asks_for_input_is_refused_by_name(server: MisbehavingServer) -> None:
    server.answers["tools/call"] = {"resultType": "input_required", "inputRequests": {}}
    assert (await failure_of(to(server)))["code"] == "input_required_unsupported"


async def test_nulls_in_arguments_and_headers_a_schema_asks_for_reach_the_server(server: MisbehavingServer) -> None:
    """A tool whose schema mirrors a property into a header works without having been listed in this process."""
    schema: JsonObject = {
        "type": "object",
        "properties": {"region": {"type": "string", "x-mcp-header": "Region"}, "nothing": {}},
    }
    await called(to(server), Tool("look", input_schema=schema), {"region": "eu", "nothing": None})
    assert server.requests[-1][2]["mcp-param-region"] == "eu"
    assert json.loads(server.bodies[-1])["params"]["arguments"] == {"region": "eu", "nothing": None}


async def test_a_token_from_the_environment_is_sent_as_a_bearer(
    server: MisbehavingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCS_TOKEN", "s3cret")
    connector = to(server, auth=Token(env="DOCS_TOKEN"))
    await called(connector)
    assert {headers.get("authorization") for _, _, headers in server.requests} == {"Bearer s3cret"}


async def test_a_server_that_quotes_the_token_in_an_error_is_not_quoted(
    server: MisbehavingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """auth.md, "Vault": an upstream error quoting a secret is dropped whole."""
    monkeypatch.setenv("DOCS_TOKEN", "s3cret")
    server.answers["tools/call"] = {"error": {"code": -32602, "message": "bad token s3cret"}}
    assert await failure_of(to(server, auth=Token(env="DOCS_TOKEN"))) == {
        "code": "connector_call_failed",
        "message": '"docs" refused the request (JSON-RPC error -32602)',
        "retryable": False,
    }


@pytest.mark.parametrize("value", [None, "", "two\nlines", "ümlaut"])
async def test_a_token_that_is_missing_or_fits_in_no_header_asks_the_operator(
    server: MisbehavingServer, monkeypatch: pytest.MonkeyPatch, value: str | None
) -> None:
    """E3. Nothing is sent."""
    monkeypatch.delenv("DOCS_TOKEN", raising=False)
    if value is not None:
        monkeypatch.setenv("DOCS_TOKEN", value)
    connector = to(server, auth=Token(env="DOCS_TOKEN"))
    assert await failure_of(connector) == {
        "code": "auth_required",
        "message": '"docs" needs a valid token in the environment variable DOCS_TOKEN: '
        "the deployment's owner sets it and deploys again.",
        "retryable": False,
        "connector": "docs",
        "operation": "docs.look",
        "recovery": "unavailable",
        "nextAction": {
            "tool": "authorize_connector",
            "arguments": {"connector": "docs"},
            "operatorHandoff": "Hand the URL it returns to the operator.",
        },
        "retry": "Call docs.look again once that is done.",
    }
    assert server.requests == []


@pytest.mark.parametrize("auth", [OAuth(), Credential("Docs key")])
async def test_what_needs_a_vault_says_what_is_missing_where_there_is_none(
    server: MisbehavingServer, auth: OAuth | Credential
) -> None:
    """E3: recovery "unavailable" is a sentence naming what is missing, and nothing is sent."""
    connector = to(server, auth=auth)
    failure = await failure_of(connector)
    assert (failure["code"], failure["recovery"]) == ("auth_required", "unavailable")
    assert failure["message"] == (
        '"docs" needs a credential that is kept. This deployment has no key to keep credentials under: its owner names '
        "a KMS key in CONNECTA_KMS_KEY, or on a machine of their own a file in CONNECTA_KEY_FILE."
    )
    assert server.requests == []


async def test_a_closed_connection_leaves_no_task_behind(server: MisbehavingServer) -> None:
    """L2: nothing of the request stays."""
    before = asyncio.all_tasks()
    await called(to(server))
    mine = {task for task in asyncio.all_tasks() - before if "MisbehavingServer" not in repr(task.get_coro())}
    assert mine == set()


async def test_closing_while_a_call_is_in_flight_ends_it(
    server: MisbehavingServer, caplog: pytest.LogCaptureFixture
) -> None:
    connection = to(server).open()
    await connection.call(Tool("look"), {}, 10.0)
    server.behaviour = "slow"
    call = asyncio.create_task(connection.call(Tool("look"), {}, 10.0))
    await server.stuck.wait()
    await connection.close()
    with pytest.raises(Failure) as caught:
        await call
    assert caught.value.code == "unavailable"
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []
