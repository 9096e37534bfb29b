"""Which bucket a request takes from, and what it is told where that is empty."""

import json
from dataclasses import replace

import httpx2
import pytest
from fastapi import FastAPI

from connecta import AuthorizationServer, Bearer, Open
from connecta.limits import LIMITS
from connecta.state import State
from connecta.web.throttle import tier_of
from tests.fixtures.http_api import LambdaContext, event_of, handler_of
from tests.fixtures.mcp_client import app_of, client_of
from tests.fixtures.mcp_messages import Post, modern
from tests.fixtures.oauth import DESK, app_with_oauth, oauth_client
from tests.fixtures.tool_service import Service

SLOW = 0.001
LIMITED = replace(
    LIMITS,
    caller_burst=3,
    caller_per_s=SLOW,
    stranger_burst=2,
    stranger_per_s=SLOW,
    claude_burst=4,
    claude_per_s=SLOW,
    failed_burst=2,
    failed_per_s=SLOW,
    failed_claude_burst=4,
    failed_claude_per_s=SLOW,
    page_burst=2,
    page_per_s=SLOW,
    page_claude_burst=4,
    page_claude_per_s=SLOW,
)
LIST = modern("tools/list")
ADA, BOB, CLAUDE, CLAUDE_TOO = "203.0.113.9", "203.0.113.10", "160.79.104.1", "2607:6bc0::17"
PUBLIC = "https://tools.example.com"


@pytest.mark.parametrize(
    ("address", "tier"),
    [
        ("160.79.104.0", "claude"),
        ("160.79.111.255", "claude"),
        ("160.79.112.0", "160.79.112.0"),
        ("160.79.103.255", "160.79.103.255"),
        ("::ffff:160.79.105.4", "claude"),
        ("2607:6bc0:0:ffff::1", "claude"),
        ("2607:6bc0:1::1", "2607:6bc0:1::/64"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::9", "2001:db8:1:2::/64"),
        ("203.0.113.9", "203.0.113.9"),
        ("", "unknown"),
        ("160.79.104.1, 203.0.113.9", "unknown"),
    ],
)
def test_claude_s_addresses_are_one_tier_and_any_other_source_its_own(address: str, tier: str):
    """aws.md, front door: Claude's egress is shared by all its users; whoever has one IPv6 address has a /64."""
    assert tier_of(address) == tier


async def statuses(app: FastAPI, address: str, request: Post, count: int) -> list[int]:
    async with client_of(app, address=address, origin=PUBLIC) as client:
        return [(await client.post(request)).status_code for _ in range(count)]


def open_app() -> FastAPI:
    return app_of(Service(), local=False, auth=[Open()], limits=LIMITED, public_url=PUBLIC)


def bearer_app(monkeypatch: pytest.MonkeyPatch) -> FastAPI:
    monkeypatch.setenv("CONNECTA_TOKEN", "good")
    return app_of(Service(), local=False, auth=[Bearer()], limits=LIMITED, public_url=PUBLIC)


def with_token(token: str) -> Post:
    return LIST.having(authorization=f"Bearer {token}")


def seconds_left(answer: httpx2.Response) -> int:
    """What the answer says is left until one more fits in: nearly all of it, however slow the test was until there."""
    left = int(answer.headers["retry-after"])
    assert 900 < left <= 1000
    return left


async def test_an_authenticated_caller_has_one_bucket_wherever_it_calls_from(monkeypatch: pytest.MonkeyPatch):
    app = bearer_app(monkeypatch)
    assert await statuses(app, ADA, with_token("good"), 2) == [200, 200]
    assert await statuses(app, BOB, with_token("good"), 2) == [200, 429]


async def test_of_an_open_deployment_every_address_has_its_own_and_claude_s_share_a_larger_one():
    app = open_app()
    assert await statuses(app, ADA, LIST, 3) == [200, 200, 429]
    assert await statuses(app, BOB, LIST, 1) == [200]
    assert await statuses(app, CLAUDE, LIST, 3) == [200, 200, 200]
    assert await statuses(app, CLAUDE_TOO, LIST, 2) == [200, 429]


async def test_no_header_gives_a_request_another_address():
    app = open_app()
    forged = LIST.having(x_forwarded_for=CLAUDE, forwarded=f"for={CLAUDE}", x_real_ip=CLAUDE, cf_connecting_ip=CLAUDE)
    assert await statuses(app, ADA, forged, 3) == [200, 200, 429]


@pytest.mark.parametrize("auth", [[], [Open()]])
async def test_a_server_on_one_s_own_machine_that_anybody_there_may_use_asks_nobody_to_wait(auth: list[Open]):
    app = app_of(Service(), auth=auth, limits=LIMITED)
    async with client_of(app) as client:
        assert {(await client.post(LIST)).status_code for _ in range(9)} == {200}


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"jsonrpc":"2.0","id":7,"method":"ping","x":"' + b"x" * 70_000])
async def test_a_request_that_is_not_read_is_answered_without_its_id(body: bytes):
    app = open_app()
    async with client_of(app, address=ADA, origin=PUBLIC) as client:
        for _ in range(2):
            await client.post(LIST)
        answer = await client.post(Post(body, LIST.headers))
    assert (answer.status_code, answer.json()["id"], answer.json()["error"]["code"]) == (429, None, -32000)


async def test_the_answer_says_when_to_try_again():
    """RFC 6585 section 4, as the JSON-RPC error of this request, which clients hand to who asked."""
    app = open_app()
    async with client_of(app, address=ADA, origin=PUBLIC) as client:
        for _ in range(2):
            await client.post(LIST)
        answer = await client.post(LIST)
    left = seconds_left(answer)
    assert answer.status_code == 429
    assert answer.json() == {
        "jsonrpc": "2.0",
        "id": 1,
        "error": {
            "code": -32000,
            "message": f"Too many requests at once. Wait {left} seconds, then try the same again.",
            "data": {"code": "rate_limited", "retryable": True, "retryAfterMs": left * 1000},
        },
    }


async def test_after_too_many_wrong_tokens_no_new_one_from_there_is_looked_at(monkeypatch: pytest.MonkeyPatch):
    """Else whoever guesses would still find the right one."""
    app = bearer_app(monkeypatch)
    assert await statuses(app, ADA, with_token("wrong"), 3) == [401, 401, 429]
    assert await statuses(app, ADA, with_token("good"), 1) == [429]
    assert await statuses(app, BOB, with_token("good"), 1) == [200]


async def test_a_token_found_good_before_does_not_wait_for_its_neighbours_wrong_ones(monkeypatch: pytest.MonkeyPatch):
    app = bearer_app(monkeypatch)
    assert await statuses(app, ADA, with_token("good"), 1) == [200]
    assert await statuses(app, ADA, with_token("wrong"), 3) == [401, 401, 429]
    assert await statuses(app, ADA, with_token("good"), 1) == [200]


async def test_a_request_without_a_token_is_always_told_how_to_get_one(monkeypatch: pytest.MonkeyPatch):
    """It has done nothing wrong yet (RFC 6750 3.1)."""
    app = bearer_app(monkeypatch)
    assert await statuses(app, ADA, LIST, 5) == 5 * [401]


async def test_wrong_tokens_through_claude_share_a_larger_bucket(monkeypatch: pytest.MonkeyPatch):
    app = bearer_app(monkeypatch)
    assert await statuses(app, CLAUDE, with_token("wrong"), 3) == [401, 401, 401]
    assert await statuses(app, CLAUDE_TOO, with_token("wrong"), 2) == [401, 429]


async def test_the_pages_of_signing_in_are_limited_by_address(oauth_state: State):
    app = app_with_oauth(oauth_state, limits=LIMITED, auth=[AuthorizationServer(clients=[DESK])])
    async with oauth_client(app, address=ADA) as client:
        assert [(await client.authorize()).status_code for _ in range(2)] == [302, 302]
        refused = await client.authorize()
        for_client = await client.refresh("ctr_x")
    async with oauth_client(app, address=BOB) as client:
        assert (await client.authorize()).status_code == 302
    message = f"Too many requests came from your network. Try again in {seconds_left(refused)} seconds."
    assert (refused.status_code, refused.json()) == (429, {"refused": message})
    assert for_client.status_code == 429
    seconds_left(for_client)
    assert for_client.json()["error"] == "temporarily_unavailable"


@pytest.mark.usefixtures("event_loop_of_mangum")
def test_behind_api_gateway_the_address_is_the_gateway_s_own_field():
    """``requestContext.http.sourceIp``; what the client writes into X-Forwarded-For is not looked at."""
    handler = handler_of(app_of(Service(), local=False, auth=[Open()], limits=LIMITED))
    forged = LIST.having(x_forwarded_for="198.51.100.7")

    def status(source: str) -> int:
        event = json.loads(json.dumps(event_of(forged)))
        event["requestContext"]["http"]["sourceIp"] = source
        return handler(event, LambdaContext())["statusCode"]

    assert [status(source) for source in (ADA, ADA, ADA, BOB, CLAUDE)] == [200, 200, 429, 200, 200]
