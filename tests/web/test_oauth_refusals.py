"""What the authorization server refuses, each with the right error and nothing left behind."""

import pytest

from connecta import AuthorizationServer, DeclaredClient
from connecta.limits import LIMITS
from connecta.state import State
from tests.fixtures.dynamodb import Clock
from tests.fixtures.oauth import (
    DESK,
    DESK_CALLBACK,
    ORIGIN,
    STATE,
    VERIFIER,
    OAuthClient,
    answer_in,
    app_with_oauth,
    oauth_client,
    refusal_in,
)

OTHER = DeclaredClient("other", "The Other", ["https://other.example/callback"])


async def granted_nothing(client: OAuthClient, code: str) -> bool:
    """Whether the code is spent, and nothing came of it."""
    return refusal_in(await client.redeem(code)) == (400, "invalid_grant")


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"response_type": None}, "unsupported_response_type"),
        ({"response_mode": "fragment"}, "invalid_request"),
        ({"code_challenge_method": "plain", "code_challenge": VERIFIER}, "invalid_request"),
        ({"code_challenge_method": None}, "invalid_request"),
        ({"code_challenge": None}, "invalid_request"),
        ({"code_challenge": "short"}, "invalid_request"),
        ({"resource": "https://evil.example/mcp"}, "invalid_target"),
        ({"resource": f"{ORIGIN}/mcp/other"}, "invalid_target"),
        ({"resource": f"{ORIGIN}.evil.example"}, "invalid_target"),
        ({"resource": "https://tools.example.com@evil.example"}, "invalid_target"),
    ],
)
async def test_a_wrong_request_of_a_known_client_goes_back_to_it(
    oauth_state: State, change: dict[str, str | None], error: str
):
    """RFC 6749 4.1.2.1, RFC 7636 4.4.1, RFC 8707 2, RFC 9207 2."""
    async with oauth_client(app_with_oauth(oauth_state)) as client:
        answer = await client.authorize(**change)
    told = answer_in(answer)
    assert answer.headers["location"].startswith(f"{DESK_CALLBACK}?")
    assert {**told, "error_description": ""} == {"error": error, "error_description": "", "state": STATE, "iss": ORIGIN}


@pytest.mark.parametrize(
    ("redirect_uri", "status"),
    [
        ("https://evil.example/landing", 400),
        ("HTTPS://evil.example/landing", 400),
        ("http://127.0.0.1:5000/cb", 302),
        ("http://localhost/cb", 302),
        ("com.app:/cb", 400),
        ("browser-of-somebody:https://evil.example/landing", 400),
    ],
)
async def test_a_wrong_request_takes_nobody_to_where_anybody_may_have_it_registered(
    oauth_state: State, redirect_uri: str, status: int
):
    """RFC 9700 4.11.2: a link to this server would lead on to the site, or to whatever an application opens, before
    anybody was asked anything."""
    async with oauth_client(app_with_oauth(oauth_state)) as client:
        registered = await client.http.post("/oauth/register", json={"redirect_uris": [redirect_uri]})
        id = registered.json()["client_id"]
        answer = await client.authorize(client_id=id, redirect_uri=redirect_uri, response_type="token")
    assert (answer.status_code, "location" in answer.headers) == (status, status == 302)


@pytest.mark.parametrize("resource", [None, f"{ORIGIN}/mcp", f"{ORIGIN}/mcp/", ORIGIN, f"{ORIGIN}/"])
async def test_this_server_is_meant_by_its_url_its_origin_or_nothing(oauth_state: State, resource: str | None):
    async with oauth_client(app_with_oauth(oauth_state)) as client:
        code = await client.code(resource=resource)
        assert (await client.redeem(code, resource=resource)).status_code == 200


@pytest.mark.parametrize(
    "redirect_uri",
    [
        "https://evil.example/callback",
        f"{DESK_CALLBACK}/",
        f"{DESK_CALLBACK}?x=1",
        f"{DESK_CALLBACK}#x",
        "https://desk.example/Callback",
        "https://desk.example:444/callback",
        "http://desk.example/callback",
        "https://desk.example/callback/../elsewhere",
        "http://localhost/callback",
        "http://127.0.0.1:99999/callback",
        "http://127.0.0.1@evil.example/callback",
        "http://127.0.0.1:80@evil.example/callback",
        "http://127.0.0.1.evil.example/callback",
        "javascript:alert(1)",
        None,
    ],
)
async def test_a_redirect_that_is_not_the_client_s_is_shown_and_not_followed(
    oauth_state: State, redirect_uri: str | None
):
    """RFC 9700 4.1.3: exact match. Without one, the client has to have exactly one."""
    async with oauth_client(app_with_oauth(oauth_state)) as client:
        answer = await client.authorize(redirect_uri=redirect_uri)
    assert answer.status_code == 400
    assert answer.json()["refused"].startswith("The Desk asks to be answered at an address")


@pytest.mark.parametrize("port", ["", ":1", ":51234"])
async def test_a_loopback_port_is_the_client_s_to_choose(oauth_state: State, port: str):
    """RFC 8252 section 7.3."""
    async with oauth_client(app_with_oauth(oauth_state)) as client:
        answer = await client.authorize(redirect_uri=f"http://127.0.0.1{port}/callback")
    assert answer.headers["location"].startswith(f"http://127.0.0.1{port}/callback?code=")


@pytest.mark.parametrize(
    "client_id", [None, "", "nobody", "ctc_" + "a" * 22, "http://a.example/x", "https://a.example/"]
)
async def test_an_unknown_client_is_shown_and_never_redirected(oauth_state: State, client_id: str | None):
    async with oauth_client(app_with_oauth(oauth_state)) as client:
        answer = await client.authorize(client_id=client_id)
    assert answer.status_code == 400
    assert "not known to this server" in answer.json()["refused"]


@pytest.mark.parametrize(
    "query",
    [
        "client_id=desk&client_id=other",
        f"client_id={'x' * (LIMITS.oauth_parameter_chars + 1)}",
        "client_id=%ff",
        "&".join(f"p{n}=1" for n in range(LIMITS.oauth_parameters + 1)),
    ],
)
async def test_a_query_that_cannot_be_read_is_refused(oauth_state: State, query: str):
    async with oauth_client(app_with_oauth(oauth_state)) as client:
        answer = await client.http.get(f"/oauth/authorize?{query}")
    assert (answer.status_code, list(answer.json())) == (400, ["refused"])


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        ({"code": "ctk_" + "a" * 65}, (400, "invalid_grant")),
        ({"code": "x"}, (400, "invalid_grant")),
        ({"code": None}, (400, "invalid_request")),
        ({"code_verifier": "w" * 64}, (400, "invalid_grant")),
        ({"code_verifier": "short"}, (400, "invalid_request")),
        ({"code_verifier": None}, (400, "invalid_request")),
        ({"redirect_uri": "http://127.0.0.1/callback"}, (400, "invalid_grant")),
        ({"client_id": "other"}, (400, "invalid_grant")),
        ({"client_id": "nobody"}, (401, "invalid_client")),
        ({"client_id": None}, (400, "invalid_request")),
        ({"resource": "https://evil.example/mcp"}, (400, "invalid_target")),
        ({"grant_type": "client_credentials"}, (400, "unsupported_grant_type")),
        ({"grant_type": "password"}, (400, "unsupported_grant_type")),
        ({"grant_type": None}, (400, "invalid_request")),
    ],
)
async def test_a_code_is_redeemed_only_by_who_asked_for_it_as_it_was_asked_for(
    oauth_state: State, change: dict[str, str | None], refusal: tuple[int, str]
):
    """RFC 6749 5.2."""
    app = app_with_oauth(oauth_state, auth=[AuthorizationServer(clients=[DESK, OTHER])])
    async with oauth_client(app) as client:
        code = await client.code()
        assert refusal_in(await client.redeem(code, **change)) == refusal
        if refusal[1] == "invalid_grant" and "code" not in change:
            assert await granted_nothing(client, code)


async def test_a_code_is_redeemed_without_the_redirect_it_was_sent_to(oauth_state: State):
    """OAuth 2.1 has no redirect_uri there any more: PKCE binds the code."""
    async with oauth_client(app_with_oauth(oauth_state)) as client:
        assert (await client.redeem(await client.code(), redirect_uri=None)).status_code == 200


async def test_a_code_used_twice_ends_what_came_of_it(oauth_state: State):
    """RFC 6749 4.1.2."""
    async with oauth_client(app_with_oauth(oauth_state)) as client:
        code = await client.code()
        tokens = (await client.redeem(code)).json()
        assert await granted_nothing(client, code)
        assert await client.calls(tokens["access_token"]) == 401
        assert refusal_in(await client.refresh(tokens["refresh_token"])) == (400, "invalid_grant")


async def test_a_code_is_good_for_a_minute(oauth_state: State, clock: Clock):
    async with oauth_client(app_with_oauth(oauth_state)) as client:
        code = await client.code()
        clock.seconds += LIMITS.code_s + 1
        assert await granted_nothing(client, code)


async def test_a_refresh_token_used_again_later_ends_the_family(oauth_state: State, clock: Clock):
    async with oauth_client(app_with_oauth(oauth_state)) as client:
        first = await client.tokens()
        second = (await client.refresh(first["refresh_token"])).json()
        again = (await client.refresh(first["refresh_token"])).json()
        assert again == second
        clock.seconds += LIMITS.oauth_grace_s
        assert refusal_in(await client.refresh(first["refresh_token"])) == (400, "invalid_grant")
        assert refusal_in(await client.refresh(second["refresh_token"])) == (400, "invalid_grant")
        assert await client.calls(second["access_token"]) == 401


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        ({"refresh_token": "ctr_" + "a" * 65}, (400, "invalid_grant")),
        ({"refresh_token": "x"}, (400, "invalid_grant")),
        ({"refresh_token": None}, (400, "invalid_request")),
        ({"client_id": "other"}, (400, "invalid_grant")),
        ({"client_id": "nobody"}, (401, "invalid_client")),
        ({"resource": "https://evil.example/mcp"}, (400, "invalid_target")),
    ],
)
async def test_a_refresh_token_is_its_client_s_alone_and_survives_a_wrong_try(
    oauth_state: State, change: dict[str, str | None], refusal: tuple[int, str]
):
    app = app_with_oauth(oauth_state, auth=[AuthorizationServer(clients=[DESK, OTHER])])
    async with oauth_client(app) as client:
        token = (await client.tokens())["refresh_token"]
        form = {"grant_type": "refresh_token", "refresh_token": token, "client_id": "desk", **change}
        assert refusal_in(await client.post("/oauth/token", form)) == refusal
        assert (await client.refresh(token)).status_code == 200


async def test_revocation_never_tells_whether_there_was_such_a_token(oauth_state: State):
    """RFC 7009 2.2: an unknown token is no error, and a foreign one stays good."""
    app = app_with_oauth(oauth_state, auth=[AuthorizationServer(clients=[DESK, OTHER])])
    async with oauth_client(app) as client:
        tokens = await client.tokens()
        foreign = await client.revoke(tokens["access_token"], client_id="other")
        unknown = await client.revoke("x", token_type_hint="access_token")
        assert [(answer.status_code, answer.content) for answer in (foreign, unknown)] == 2 * [(200, b"")]
        assert await client.calls(tokens["access_token"]) == 200
        assert refusal_in(await client.revoke("")) == (400, "invalid_request")
        assert refusal_in(await client.revoke(tokens["access_token"], client_id="nobody")) == (401, "invalid_client")


@pytest.mark.parametrize("path", ["/oauth/token", "/oauth/revoke"])
async def test_parameters_come_in_a_form_of_bounded_size(oauth_state: State, path: str):
    """RFC 6749 3.2: never in the query."""
    form = {"content-type": "application/x-www-form-urlencoded"}
    query = "grant_type=refresh_token&client_id=desk&refresh_token=x&token=x"
    async with oauth_client(app_with_oauth(oauth_state)) as client:
        answers = [
            await client.http.post(f"{path}?{query}", headers=form),
            await client.http.post(path, content=query, headers={"content-type": "application/json"}),
            await client.http.post(path, content=b"a" * (LIMITS.oauth_form_bytes + 1), headers=form),
            await client.http.post(path, content="client_id=desk&client_id=desk", headers=form),
            await client.http.post(path, content=b"client_id=\xff", headers=form),
            await client.http.post(path, content="client_id=%ff", headers=form),
        ]
        assert [refusal_in(answer) for answer in answers] == 6 * [(400, "invalid_request")]
        assert [(await client.http.get(path)).status_code] == [405]


async def test_refusals_quote_nothing(oauth_state: State):
    async with oauth_client(app_with_oauth(oauth_state)) as client:
        answers = [
            await client.redeem("hunter2", client_id="hunter2"),
            await client.post("/oauth/token", {"grant_type": "hunter2", "client_id": "desk"}),
            await client.refresh("hunter2"),
            await client.authorize(client_id="hunter2"),
            await client.authorize(redirect_uri="https://hunter2.example/"),
            await client.authorize(code_challenge="hunter2"),
        ]
    assert not [answer for answer in answers if "hunter2" in answer.text + str(answer.headers)]
