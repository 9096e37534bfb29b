"""Host and Origin: who may talk to this server from where (streamable-http, "Security & Endpoint")."""

from typing import Any

import pytest

from connecta import Open
from connecta.web.edge import normal_origin, own_origins
from tests.fixtures.http_api import DOMAIN
from tests.fixtures.mcp_client import app_of, client_of
from tests.fixtures.mcp_messages import modern
from tests.fixtures.tool_service import Service

LIST = modern("tools/list")
PUBLIC = "https://tools.example.com"


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://localhost:6274", 200),
        ("https://localhost", 200),
        ("http://127.0.0.1:8787", 200),
        ("http://[::1]:3000", 200),
        (PUBLIC, 200),
        ("https://TOOLS.example.com:443", 200),
        ("https://partner.example", 200),
        ("http://tools.example.com", 403),
        ("https://partner.example:8443", 403),
        ("https://evil.example", 403),
        ("http://localhost.evil.example", 403),
        ("http://localhost@evil.example", 403),
        ("null", 403),
        ("", 403),
        ("chrome-extension://abc", 403),
    ],
)
async def test_a_local_server_answers_pages_of_this_machine_and_listed_origins(origin: str, status: int):
    app = app_of(Service(), public_url=PUBLIC, allowed_origins=["https://partner.example"])
    async with client_of(app) as client:
        assert (await client.post(LIST.having(origin=origin))).status_code == status


async def test_a_foreign_origin_learns_only_that_it_is_one():
    async with client_of(app_of(Service())) as client:
        answer = await client.post(LIST.having(origin="https://evil.example"))
    error = {"code": "origin_not_allowed", "message": "Requests from that origin are not allowed."}
    assert answer.json() == {"error": error}
    assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8787", 200),
        ("localhost:1", 200),
        ("[::1]:8787", 200),
        ("LOCALHOST", 200),
        ("tools.example.com", 421),
        ("evil.example", 421),
        ("127.0.0.1.evil.example", 421),
        ("127.0.0.1:8787@evil.example", 421),
        ("localhost:port", 421),
        ("", 421),
    ],
)
async def test_a_local_server_answers_to_names_of_this_machine_only(host: str, status: int):
    """DNS rebinding: a page's own name must not become this server's."""
    async with client_of(app_of(Service())) as client:
        assert (await client.post(LIST.having(host=host))).status_code == status


async def test_elsewhere_only_the_public_url_is_a_name_when_no_gateway_vouches_for_another():
    app = app_of(Service(), local=False, auth=[Open()], public_url=PUBLIC)
    statuses: list[int] = []
    async with client_of(app) as client:
        for host in ("tools.example.com", "tools.example.com:8443", "127.0.0.1:8787", DOMAIN):
            statuses.append((await client.post(LIST.having(host=host))).status_code)
    assert statuses == [200, 421, 421, 421]


async def test_a_preflight_of_a_page_of_this_machine_is_answered_before_auth():
    async with client_of(app_of(Service())) as client:
        answer = await client.http.options(
            "/mcp", headers={"origin": "http://localhost:6274", "access-control-request-method": "POST"}
        )
    assert answer.status_code == 204
    assert {
        name: value for name, value in answer.headers.items() if name.startswith("access-control") or name == "vary"
    } == {
        "access-control-allow-origin": "http://localhost:6274",
        "access-control-allow-methods": "GET, POST",
        "access-control-allow-headers": "accept, authorization, content-type, last-event-id, mcp-method, mcp-name, "
        "mcp-protocol-version, mcp-session-id",
        "access-control-expose-headers": "www-authenticate, retry-after",
        "access-control-max-age": "600",
        "vary": "Origin",
    }


async def test_a_page_of_this_machine_may_read_the_answer():
    async with client_of(app_of(Service())) as client:
        answer = await client.post(LIST.having(origin="http://localhost:6274"))
    assert answer.headers["access-control-allow-origin"] == "http://localhost:6274"
    assert answer.headers["vary"] == "Accept-Encoding, Origin"


async def test_no_other_request_gets_cors_headers():
    app = app_of(Service(), allowed_origins=["https://partner.example"])
    async with client_of(app) as client:
        for request in (LIST, LIST.having(origin="https://partner.example")):
            answer = await client.post(request)
            assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    ("domain", "host", "public_url", "local", "expected"),
    [
        (DOMAIN, DOMAIN, None, False, (f"https://{DOMAIN}",)),
        (DOMAIN, "evil.example", PUBLIC, False, (PUBLIC, f"https://{DOMAIN}")),
        ("localhost", "127.0.0.1:3000", None, False, ("https://127.0.0.1:3000",)),
        (None, "127.0.0.1:3000", None, False, ()),
        (None, "127.0.0.1:3000", None, True, ("https://127.0.0.1:3000",)),
        (None, "evil.example", "https://tools.example.com:443/", True, (PUBLIC,)),
    ],
)
def test_a_server_s_origins_are_those_something_trusted_vouches_for(
    domain: str | None, host: str, public_url: str | None, local: bool, expected: tuple[str, ...]
):
    """aws.md: never ``Host`` taken on trust; SAM CLI's gateway calls itself localhost."""
    scope: dict[str, Any] = {"type": "http", "scheme": "https", "headers": [(b"host", host.encode())]}
    if domain is not None:
        scope["aws.event"] = {"requestContext": {"domainName": domain}}
    assert own_origins(scope, public_url, local=local) == expected


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        ("HTTPS://Tools.Example.com:443/", PUBLIC),
        ("http://[::1]:80", "http://[::1]"),
        ("http://host:8080", "http://host:8080"),
        ("https://user@host", None),
        ("https://host/path", None),
        ("https://host:99999", None),
        ("https://[::1", None),
        ("ftp://host", None),
        ("https://", None),
    ],
)
def test_an_origin_has_one_spelling(origin: str, expected: str | None):
    assert normal_origin(origin) == expected
