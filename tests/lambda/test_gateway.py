"""The function behind SAM CLI's own API Gateway front end, over HTTP, as a client meets it."""

import json

import httpx2

from tests.fixtures.job import TOOL_NAMES
from tools.events import TOKEN, request

ACCEPT = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


def test_a_client_reaches_the_tools_through_the_gateway(gateway_endpoint: str) -> None:
    sample = request("tools/list", {})
    headers = {name: sample["headers"][name] for name in ("mcp-protocol-version", "mcp-method")}
    answer = httpx2.post(
        gateway_endpoint,
        content=sample["body"],
        headers={**ACCEPT, **headers, "authorization": f"Bearer {TOKEN}"},
        timeout=30,
    )
    assert answer.status_code == 200, answer.text
    names = [tool["name"] for tool in json.loads(answer.content)["result"]["tools"]]
    assert names == TOOL_NAMES


def test_a_stream_nobody_serves_is_refused_by_the_function_itself(gateway_endpoint: str) -> None:
    """GET opens no stream here: 405 with what is allowed (mcp.md)."""
    answer = httpx2.get(gateway_endpoint, headers={"accept": "text/event-stream", "authorization": f"Bearer {TOKEN}"})
    assert (answer.status_code, answer.headers.get("allow")) == (405, "POST")


def test_health_answers_at_the_root_of_the_host(gateway_endpoint: str) -> None:
    answer = httpx2.get(gateway_endpoint.removesuffix("/mcp") + "/health")
    assert answer.status_code == 200
