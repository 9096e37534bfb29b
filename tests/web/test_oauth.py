"""The embedded authorization server over HTTP: what a client finds, and the whole way to a tool call."""

import json
from typing import Any

import pytest

from connecta import AuthorizationServer
from connecta.auth.callers import Caller
from connecta.limits import LIMITS
from connecta.state import State, open_state
from connecta.web.oauth import NoSignIn
from tests.fixtures.dynamodb import Clock
from tests.fixtures.mcp_messages import call, modern
from tests.fixtures.oauth import (
    CALLBACK,
    DESK_CALLBACK,
    ORIGIN,
    STATE,
    answer_in,
    app_with_oauth,
    oauth_client,
    refusal_in,
)
from tests.fixtures.tool_service import Service

CHALLENGE = f'Bearer resource_metadata="{ORIGIN}/.well-known/oauth-protected-resource/mcp", scope="mcp"'
ECHO = modern("tools/call", call("echo"))
REGISTRATION: dict[str, Any] = {
    "client_name": "Claude",
    "redirect_uris": [CALLBACK],
    "grant_types": ["authorization_code", "refresh_token"],
    "response_types": ["code"],
    "token_endpoint_auth_method": "client_secret_post",
    "scope": "mcp",
    "logo_uri": "https://claude.ai/logo.png",
}


async def test_a_client_finds_its_way_from_the_challenge_to_a_tool_call(oauth_state: State):
    """mcp.md "Authorization": the sequence of a client that was given nothing but the URL."""
    service = Service()
    async with oauth_client(app_with_oauth(oauth_state, service=service)) as client:
        challenge = await client.http.post("/mcp", content=ECHO.body, headers=ECHO.headers)
        assert (challenge.status_code, challenge.headers["www-authenticate"]) == (401, CHALLENGE)
        tokens = await client.tokens()
        assert {name: value for name, value in tokens.items() if not name.endswith("_token")} == {
            "token_type": "Bearer",
            "expires_in": 3_600,
            "scope": "mcp",
        }
        assert await client.calls(tokens["access_token"]) == 200
    [request] = service.requests
    assert request.caller == Caller("oauth", "owner", "The Desk")


async def test_the_resource_names_its_authorization_server_at_both_addresses(oauth_state: State):
    """RFC 9728; without auth, because API Gateway may rename the header that says where."""
    async with oauth_client(app_with_oauth(oauth_state)) as client:
        path = "/.well-known/oauth-protected-resource"
        answers = [await client.http.get(path), await client.http.get(f"{path}/mcp")]
    assert [answer.json() for answer in answers] == 2 * [
        {
            "resource": f"{ORIGIN}/mcp",
            "resource_name": "connecta",
            "authorization_servers": [ORIGIN],
            "bearer_methods_supported": ["header"],
            "scopes_supported": ["mcp"],
        }
    ]


async def test_the_authorization_server_says_what_it_can(oauth_state: State):
    """RFC 8414, RFC 9207, client-id metadata documents."""
    async with oauth_client(app_with_oauth(oauth_state)) as client:
        answer = await client.http.get("/.well-known/oauth-authorization-server")
    assert answer.json() == {
        "issuer": ORIGIN,
        "authorization_endpoint": f"{ORIGIN}/oauth/authorize",
        "token_endpoint": f"{ORIGIN}/oauth/token",
        "registration_endpoint": f"{ORIGIN}/oauth/register",
        "revocation_endpoint": f"{ORIGIN}/oauth/revoke",
        "scopes_supported": ["mcp", "offline_access"],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "authorization_response_iss_parameter_supported": True,
        "client_id_metadata_document_supported": True,
    }


async def test_a_local_server_is_its_own_issuer_wherever_it_is_asked(oauth_state: State):
    async with oauth_client(app_with_oauth(oauth_state, local=True), origin="http://localhost:8787") as client:
        issuer = (await client.http.get("/.well-known/oauth-authorization-server")).json()["issuer"]
        assert issuer == "http://localhost:8787"
        assert await client.calls((await client.tokens())["access_token"]) == 200


async def test_a_forged_host_changes_no_document(oauth_state: State):
    async with oauth_client(app_with_oauth(oauth_state)) as client:
        path = "/.well-known/oauth-authorization-server"
        forwarded = {"x-forwarded-host": "evil.example", "x-forwarded-proto": "http", "forwarded": "host=evil.example"}
        assert (await client.http.get(path, headers=forwarded)).json()["issuer"] == ORIGIN
        assert (await client.http.get(path, headers={"host": "evil.example"})).status_code == 421


async def test_the_answer_to_an_approved_request_says_who_gives_it(oauth_state: State):
    """RFC 9207; the state is the client's, whatever it is."""
    async with oauth_client(app_with_oauth(oauth_state)) as client:
        answer = await client.authorize()
    assert answer.headers["location"].startswith(f"{DESK_CALLBACK}?")
    assert answer_in(answer) == {"code": answer_in(answer)["code"], "state": STATE, "iss": ORIGIN}
    assert (answer.headers["cache-control"], answer.headers["referrer-policy"]) == ("no-store", "no-referrer")


async def test_a_client_registers_and_is_told_what_it_is_registered_with(oauth_state: State, clock: Clock):
    """RFC 7591 section 3.2.1: what the server does not have, it replaces."""
    async with oauth_client(app_with_oauth(oauth_state)) as client:
        answer = await client.http.post("/oauth/register", json=REGISTRATION)
        id = answer.json()["client_id"]
        assert (answer.status_code, answer.json()) == (
            201,
            {
                "client_id": id,
                "client_id_issued_at": int(clock.seconds),
                "client_name": "Claude",
                "redirect_uris": [CALLBACK],
                "grant_types": ["authorization_code", "refresh_token"],
                "response_types": ["code"],
                "token_endpoint_auth_method": "none",
            },
        )
    async with oauth_client(app_with_oauth(oauth_state), id=id, redirect_uri=CALLBACK) as client:
        tokens = await client.tokens()
        assert await client.calls(tokens["access_token"]) == 200
        # It is forgotten when nobody uses it; it has just been used.
        clock.seconds += LIMITS.client_unused_s + 1
        refreshed = await client.refresh(tokens["refresh_token"])
        assert refreshed.status_code == 200
        await oauth_state.registrations.remove(id)
        assert refusal_in(await client.refresh(refreshed.json()["refresh_token"])) == (401, "invalid_client")
        assert (await client.authorize()).status_code == 400


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"redirect_uris": []}, "invalid_redirect_uri"),
        ({"redirect_uris": None}, "invalid_redirect_uri"),
        ({"redirect_uris": "https://a.example/"}, "invalid_redirect_uri"),
        ({"redirect_uris": ["http://a.example/"]}, "invalid_redirect_uri"),
        ({"redirect_uris": ["javascript:alert(1)"]}, "invalid_redirect_uri"),
        (
            {"redirect_uris": [f"https://a.example/{n}" for n in range(LIMITS.client_redirects + 1)]},
            "invalid_redirect_uri",
        ),
        ({"redirect_uris": ["https://a.example/" + "x" * LIMITS.oauth_parameter_chars]}, "invalid_redirect_uri"),
        ({"grant_types": ["client_credentials"]}, "invalid_client_metadata"),
        ({"response_types": ["token"]}, "invalid_client_metadata"),
        ({"client_name": "x" * LIMITS.oauth_form_bytes}, "invalid_request"),
    ],
)
async def test_a_registration_out_of_bounds_is_refused(oauth_state: State, change: dict[str, Any], error: str):
    async with oauth_client(app_with_oauth(oauth_state)) as client:
        answer = await client.http.post("/oauth/register", json={**REGISTRATION, **change})
    assert refusal_in(answer) == (400, error)


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff", b"[" * 5_000, b'"x"'])
async def test_a_registration_that_is_no_object_is_refused(oauth_state: State, body: bytes):
    async with oauth_client(app_with_oauth(oauth_state)) as client:
        answer = await client.http.post("/oauth/register", content=body, headers={"content-type": "application/json"})
    assert refusal_in(answer) == (400, "invalid_client_metadata")


async def test_a_name_is_short_and_printable(oauth_state: State):
    async with oauth_client(app_with_oauth(oauth_state)) as client:
        given = {**REGISTRATION, "client_name": "Cl\u202eau\nde" + "e" * 500}
        name = (await client.http.post("/oauth/register", json=given)).json()["client_name"]
        nameless = (await client.http.post("/oauth/register", json={"redirect_uris": [CALLBACK]})).json()
    assert (name[:8], len(name)) == ("Cl\ufffdau\ufffdde", LIMITS.client_name_chars)
    assert nameless["client_name"] == "claude.ai"


async def test_a_flood_of_registrations_is_stopped_by_address(oauth_state: State, clock: Clock):
    app = app_with_oauth(oauth_state)
    async with oauth_client(app) as client, oauth_client(app, address="203.0.113.10") as other:
        statuses = [
            (await client.http.post("/oauth/register", json=REGISTRATION)).status_code
            for _ in range(LIMITS.registrations_each + 1)
        ]
        assert statuses == [201] * LIMITS.registrations_each + [429]
        refused = await client.http.post("/oauth/register", json=REGISTRATION)
        assert refusal_in(refused) == (429, "temporarily_unavailable")
        assert 1 <= int(refused.headers["retry-after"]) <= LIMITS.strangers_window_s + 1
        assert (await other.http.post("/oauth/register", json=REGISTRATION)).status_code == 201
        clock.seconds += LIMITS.strangers_window_s + 1
        assert (await client.http.post("/oauth/register", json=REGISTRATION)).status_code == 201


@pytest.mark.parametrize("path", ["/oauth/token", "/oauth/register", "/oauth/revoke"])
async def test_a_client_in_a_browser_may_read_what_it_is_answered(oauth_state: State, path: str):
    """No cookie is read there, so any page may ask."""
    page = {"origin": "https://inspector.example"}
    preflight = {**page, "access-control-request-method": "POST", "access-control-request-headers": "content-type"}
    async with oauth_client(app_with_oauth(oauth_state)) as client:
        allowed = await client.http.options(path, headers=preflight)
        answer = await client.http.post(path, headers=page)
    assert (allowed.status_code, allowed.headers["access-control-allow-origin"]) == (204, "*")
    assert "content-type" in allowed.headers["access-control-allow-headers"]
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (400, "*")
    assert "access-control-allow-credentials" not in answer.headers


async def test_metadata_may_be_read_by_any_page_and_the_rest_by_none(oauth_state: State):
    page = {"origin": "https://inspector.example"}
    async with oauth_client(app_with_oauth(oauth_state)) as client:
        for path in ("oauth-protected-resource", "oauth-protected-resource/mcp", "oauth-authorization-server"):
            answer = await client.http.get(f"/.well-known/{path}", headers=page)
            assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, "*")
        for method, path in (("GET", "/oauth/authorize"), ("POST", "/oauth/authorize"), ("POST", "/mcp")):
            assert (await client.http.request(method, path, headers=page)).status_code == 403


async def test_a_deployment_without_pages_grants_nothing(oauth_state: State):
    app = app_with_oauth(oauth_state, auth=[AuthorizationServer()], pages=lambda _: NoSignIn())
    async with oauth_client(app) as client:
        registered = await client.http.post("/oauth/register", json=REGISTRATION)
        answer = await client.authorize(client_id=registered.json()["client_id"], redirect_uri=CALLBACK)
    assert (answer.status_code, answer.json()["error"]["code"]) == (501, "no_sign_in")


async def test_a_table_that_cannot_be_reached_is_a_503_for_clients_and_callers():
    state = open_state("connecta", "nowhere", endpoint_url="http://127.0.0.1:9")
    async with oauth_client(app_with_oauth(state)) as client:
        answer = await client.redeem("ctk_" + "a" * 65)
        assert refusal_in(answer) == (503, "temporarily_unavailable")
        assert answer.headers["retry-after"] == "5"
        assert await client.calls("cto_" + "a" * 65) == 503
        assert await client.calls("not a token of ours") == 401
    await state.close()


async def test_a_revoked_token_is_refused_everywhere_within_thirty_seconds(oauth_state: State, clock: Clock):
    """auth.md: verified tokens are cached 30 s per process."""
    first, second = app_with_oauth(oauth_state), app_with_oauth(oauth_state)
    async with oauth_client(first) as client, oauth_client(second) as elsewhere:
        token = (await client.tokens())["access_token"]
        assert [await client.calls(token), await elsewhere.calls(token)] == [200, 200]
        assert (await client.revoke(token)).status_code == 200
        clock.seconds += LIMITS.token_memory_s
        assert [await client.calls(token), await elsewhere.calls(token)] == [401, 401]


async def test_an_expired_token_is_refused_though_it_was_verified_a_moment_ago(oauth_state: State, clock: Clock):
    async with oauth_client(app_with_oauth(oauth_state)) as client:
        token = (await client.tokens())["access_token"]
        clock.seconds += LIMITS.oauth_access_s - 1
        assert await client.calls(token) == 200
        clock.seconds += 1
        assert await client.calls(token) == 401


async def test_a_token_in_the_query_is_none(oauth_state: State):
    """RFC 9700 4.3.2."""
    async with oauth_client(app_with_oauth(oauth_state)) as client:
        token = (await client.tokens())["access_token"]
        answer = await client.http.post(f"/mcp?access_token={token}", content=ECHO.body, headers=ECHO.headers)
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, CHALLENGE)


async def test_a_wrong_token_is_told_so(oauth_state: State):
    async with oauth_client(app_with_oauth(oauth_state)) as client:
        echo = ECHO.having(authorization="Bearer cto_x")
        answer = await client.http.post("/mcp", content=echo.body, headers=echo.headers)
    assert answer.headers["www-authenticate"] == CHALLENGE.replace("Bearer ", 'Bearer error="invalid_token", ')


async def test_nothing_secret_is_logged(oauth_state: State, caplog: pytest.LogCaptureFixture, clock: Clock):
    async with oauth_client(app_with_oauth(oauth_state)) as client:
        code = await client.code()
        first = (await client.redeem(code)).json()
        second = (await client.refresh(first["refresh_token"])).json()
        clock.seconds += LIMITS.oauth_grace_s
        assert refusal_in(await client.refresh(first["refresh_token"])) == (400, "invalid_grant")
    logged = json.dumps([vars(record) for record in caplog.records], default=repr)
    assert "A refresh token was used again" in logged
    secrets = [code, *(tokens[name] for tokens in (first, second) for name in ("access_token", "refresh_token"))]
    assert not [secret for secret in secrets if secret[4:] in logged]
