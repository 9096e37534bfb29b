"""The same application behind API Gateway's payload 2.0, through Mangum."""

import base64
import gzip
import json
from typing import Any

import pytest
from fastapi import Response
from starlette.responses import RedirectResponse

from connecta import Bearer, Open
from connecta.auth.callers import Caller
from connecta.limits import LIMITS, Limits
from connecta.tools.definition import Answer, ToolRequest, text_block
from tests.fixtures.http_api import DOMAIN, LambdaContext, event_of, handler_of
from tests.fixtures.mcp_client import app_of
from tests.fixtures.mcp_messages import LEGACY, Post, call, initialize, legacy, modern, post
from tests.fixtures.tool_service import SHELL_URI, Service

pytestmark = pytest.mark.usefixtures("event_loop_of_mangum")
ANYONE = Caller("open", "anyone", "Anyone")


def invoke(service: Service, request: Post, *, limits: Limits = LIMITS, **event: Any) -> dict[str, Any]:
    """Lambda's answer to one request, on a process that has served another before (nothing may need a lifespan)."""
    handler = handler_of(app_of(service, local=False, auth=[Open()], limits=limits))
    handler(event_of(modern("server/discover")), LambdaContext())
    service.requests.clear()
    return handler(event_of(request, **event), LambdaContext())


@pytest.mark.parametrize(
    ("request_", "key"),
    [
        (modern("server/discover"), "supportedVersions"),
        (modern("tools/list"), "tools"),
        (modern("tools/call", call("echo")), "structuredContent"),
        (modern("resources/read", {"uri": SHELL_URI}), "contents"),
        *((initialize(version), "protocolVersion") for version in LEGACY),
        (legacy("tools/list"), "tools"),
        (legacy("ping"), None),
    ],
)
@pytest.mark.parametrize("as_base64", [False, True])
def test_every_kind_of_request_is_answered(request_: Post, key: str | None, as_base64: bool):
    answer = invoke(Service(), request_, as_base64=as_base64)
    assert (answer["statusCode"], answer["isBase64Encoded"]) == (200, False)
    result = json.loads(answer["body"])["result"]
    assert key is None or key in result


def test_a_notification_has_no_body():
    answer = invoke(Service(), post({"jsonrpc": "2.0", "method": "notifications/initialized"}))
    assert (answer["statusCode"], answer["body"]) == (202, "")


def test_cookies_travel_in_a_list_of_their_own_and_a_redirect_as_it_is():
    """Payload 2.0 has one value for each header, and a browser needs each cookie by itself."""
    app = app_of(Service(), local=False, auth=[Open()])

    @app.get("/two-cookies")
    async def two_cookies() -> Response:  # pyright: ignore[reportUnusedFunction]
        response = RedirectResponse("https://client.example/?code=1&state=2", 302)
        response.set_cookie("one", "1", path="/")
        response.set_cookie("two", "2", path="/")
        return response

    answer = handler_of(app)(event_of(Post(b""), method="GET", path="/two-cookies"), LambdaContext())
    assert (answer["statusCode"], answer["headers"]["location"]) == (302, "https://client.example/?code=1&state=2")
    assert answer["cookies"] == ["one=1; Path=/; SameSite=lax", "two=2; Path=/; SameSite=lax"]
    assert "set-cookie" not in answer["headers"]


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_every_method_but_post_is_not_allowed(method: str):
    answer = invoke(Service(), Post(b""), method=method)
    assert (answer["statusCode"], answer["headers"]["allow"]) == (405, "POST")


def test_a_tool_is_told_lambda_s_own_request_id_time_and_domain():
    service = Service()
    invoke(service, modern("tools/call", call("echo")))
    assert service.requests == [ToolRequest(ANYONE, "req-1", 12.0, f"https://{DOMAIN}")]


def test_a_generous_function_timeout_does_not_outlast_the_gateway():
    service = Service()
    handler = handler_of(app_of(service, local=False, auth=[Open()]))
    handler(event_of(modern("tools/call", call("echo"))), LambdaContext(remaining_ms=600_000))
    assert [request.remaining_s for request in service.requests] == [LIMITS.request_s]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"host": "127.0.0.1"}, 421),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "http://localhost:6274"}, 403),
        ({"origin": f"https://{DOMAIN}"}, 200),
    ],
)
def test_host_and_origin_are_checked_against_the_gateway_s_own_domain(headers: dict[str, str], status: int):
    """There is no localhost in Lambda, and no CORS."""
    request = modern("tools/list")
    answer = invoke(Service(), Post(request.body, {**request.headers, **headers}))
    assert answer["statusCode"] == status
    assert not [name for name in answer["headers"] if name.startswith("access-control")]


def test_a_routing_header_that_api_gateway_joined_from_two_is_refused():
    request = modern("tools/call", call("echo")).having(mcp_name="echo,echo")
    assert json.loads(invoke(Service(), request)["body"])["error"]["code"] == -32020


def test_a_preflight_is_not_answered_not_even_to_an_allowed_origin():
    """CORS is the local server's only."""
    origin = "http://localhost:6274"
    handler = handler_of(app_of(Service(), local=False, auth=[Open()], allowed_origins=[origin]))
    preflight = Post(b"", {"origin": origin, "access-control-request-method": "POST"})
    refused = handler(event_of(preflight, method="OPTIONS"), LambdaContext())
    served = handler(event_of(modern("tools/list").having(origin=origin)), LambdaContext())
    assert (refused["statusCode"], refused["headers"]["allow"], served["statusCode"]) == (405, "POST", 200)
    assert not [name for name in (*refused["headers"], *served["headers"]) if name.startswith("access-control")]


def test_a_large_answer_travels_compressed():
    service = Service(Answer([text_block("a" * 200_000)]))
    answer = invoke(service, modern("tools/call", call("blocks")).having(accept_encoding="gzip"))
    assert (answer["isBase64Encoded"], answer["headers"]["content-encoding"]) == (True, "gzip")
    body = json.loads(gzip.decompress(base64.b64decode(answer["body"])))
    assert body["result"]["content"] == [text_block("a" * 200_000)]


@pytest.mark.parametrize("accept_encoding", ["identity", "gzip"])
@pytest.mark.parametrize("character", ["a", '"', "\n", "\x01", "é"])
def test_no_proxy_response_is_larger_than_lambda_sends(character: str, accept_encoding: str):
    """aws.md: 6,291,556 bytes after the body is escaped into the proxy response; over it the runtime dies."""
    service = Service(Answer([text_block(character * 6_000_000)]))
    answer = invoke(service, modern("tools/call", call("blocks")).having(accept_encoding=accept_encoding))
    assert answer["statusCode"] == 200
    assert len(json.dumps(answer, ensure_ascii=False).encode()) <= 6_291_556


def test_a_caller_without_a_token_is_challenged():
    handler = handler_of(app_of(Service(), local=False, auth=[Bearer(env="UNSET_TOKEN")]))
    answer = handler(event_of(modern("tools/list")), LambdaContext())
    assert (answer["statusCode"], answer["headers"]["www-authenticate"]) == (401, "Bearer")
