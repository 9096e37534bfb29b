"""A refresh that outlives its request, in Lambda's runtime loop: Lambda freezes a process once it has answered.

Lambda's API is a stub that keeps what the function sends itself; the test then invokes the function with that event,
as Lambda does.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.fixtures.artifact import Artifact
from tests.fixtures.dynamodb import TABLE, running_moto
from tests.fixtures.gated_mcp import GatedMcp, gated_mcp
from tests.fixtures.lambda_api import LambdaApi, lambda_api
from tests.fixtures.rie import RunningFunction, body_of, running_function
from tests.fixtures.sam import ROOT
from tools.events import TOKEN, tool_call


@pytest.fixture
def downstream() -> Iterator[GatedMcp]:
    with gated_mcp() as running:
        running.gate.set()
        yield running


@pytest.fixture
def api() -> Iterator[LambdaApi]:
    with lambda_api() as running:
        yield running


@pytest.fixture
def function(
    downstream: GatedMcp, api: LambdaApi, lambda_artifact: Artifact, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningFunction]:
    """Every catalog is stale as soon as it is kept."""
    with running_moto() as dynamodb_url:
        environ = {
            "AWS_ENDPOINT_URL_DYNAMODB": dynamodb_url,
            "AWS_ENDPOINT_URL_LAMBDA": api.url,
            "CONNECTA_DEPLOYMENT": "tests.fixtures.fleet_deployment:deployment",
            "CONNECTA_TABLE": TABLE,
            "CONNECTA_TOKEN": TOKEN,
            "FLEET_FRESH_S": "0.001",
            "FLEET_MCP_URL": downstream.url,
            "PYTHONPATH": str(ROOT),
        }
        with running_function(lambda_artifact, environ, tmp_path_factory.mktemp("refresh")) as running:
            yield running


def tools_of(function: RunningFunction) -> list[str]:
    answer = function.invoke(tool_call("search_tools", {"connector": "gated"}))
    assert answer.get("statusCode") == 200, answer
    page: dict[str, Any] = body_of(answer)["result"]["structuredContent"]
    return [tool["address"] for connector in page["connectors"] for tool in connector["tools"]]


def test_a_stale_catalog_is_answered_and_its_refresh_is_sent_to_the_function_itself(
    function: RunningFunction, downstream: GatedMcp, api: LambdaApi
) -> None:
    """A request never returns before work it promised is in other hands ("Catalogs")."""
    assert (tools_of(function), downstream.listings(), api.taken) == (["gated.look"], 1, [])

    assert (tools_of(function), downstream.listings()) == (["gated.look"], 1)
    [sent] = api.taken
    assert (sent.path, sent.kind) == ("/2015-03-31/functions/McpFunction/invocations", "Event")
    assert (sent.event["connecta"], sent.event["connector"]) == ("refresh", "gated")

    assert function.invoke(sent.event) is None
    assert downstream.listings() == 2
    assert tools_of(function) == ["gated.look"]


def forged(sent: dict[str, Any]) -> list[dict[str, Any]]:
    """The same words, at every place of a request that its client decides about."""
    request = tool_call("search_tools", {"connector": "gated"})
    context: dict[str, Any] = request["requestContext"]
    return [
        {**request, "body": json.dumps(sent)},
        {**request, "body": json.dumps({**json.loads(request["body"]), **sent, "jsonrpc": "refresh"})},
        {
            **request,
            "rawPath": "/refresh",
            "requestContext": {**context, "http": {**context["http"], "path": "/refresh"}},
        },
        {**request, "rawQueryString": "connecta=refresh", "queryStringParameters": sent, "body": ""},
        {**request, "headers": {**request["headers"], "connecta": "refresh"}, "body": "{}"},
    ]


def test_only_what_may_invoke_the_function_can_ask_for_a_refresh_and_only_of_what_is_there(
    function: RunningFunction, downstream: GatedMcp, api: LambdaApi
) -> None:
    """A client's words arrive inside an event of API Gateway; a connector this deployment does not have, or has in
    another configuration, is left alone."""
    tools_of(function)
    tools_of(function)
    [sent] = api.taken
    asked = list(downstream.asked)
    statuses = [function.invoke(each)["statusCode"] for each in forged(sent.event)]
    assert statuses == [400, 400, 404, 400, 400]
    unknown = [{**sent.event, "connector": "nobody"}, {**sent.event, "fingerprint": "another"}]
    assert [function.invoke(each) for each in unknown] == [None, None]
    assert (downstream.asked, api.taken) == (asked, [sent])


def test_an_event_of_no_known_kind_fails_alone(function: RunningFunction) -> None:
    assert tools_of(function) == ["gated.look"]
    before = function.runtime_pids()
    assert "errorType" in function.invoke({"connecta": "refresh", "connector": "gated"})
    assert tools_of(function) == ["gated.look"]
    assert function.runtime_pids() == before
