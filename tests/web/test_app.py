"""The routes around the endpoint: auth in front of it, health beside it, and nothing else."""

from dataclasses import dataclass
from typing import Any

import pytest
from fastapi import FastAPI

from connecta import Bearer, Open
from connecta.auth.authenticator import UnsafeDeployment
from connecta.auth.callers import Caller
from connecta.limits import LIMITS
from connecta.tools.definition import ToolRequest
from connecta.version import VERSION
from connecta.web.backstop import Backstop
from tests.fixtures.mcp_client import ORIGIN, Client, app_of, client_of
from tests.fixtures.mcp_messages import call, modern
from tests.fixtures.tool_service import Service

TOKEN = "correct horse battery staple"
ECHO = modern("tools/call", call("echo"))


@dataclass(frozen=True)
class Hardened:
    ready: bool
    degraded: tuple[str, ...]


async def test_a_request_without_a_token_is_challenged(monkeypatch: pytest.MonkeyPatch):
    """RFC 6750 section 3; authorization is checked before the body is read."""
    monkeypatch.setenv("CONNECTA_TOKEN", TOKEN)
    async with client_of(app_of(Service(), auth=[Bearer()])) as client:
        bare = await client.post(ECHO.without("content-type"))
        wrong = await client.post(ECHO.having(authorization="Bearer x"))
    error = {"error": {"code": "unauthorized", "message": "A valid bearer token is required."}}
    assert (bare.status_code, bare.headers["www-authenticate"], bare.json()) == (401, "Bearer", error)
    assert wrong.headers["www-authenticate"] == 'Bearer error="invalid_token"'


async def test_a_tool_is_told_who_calls_and_how_long_there_is(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CONNECTA_TOKEN", TOKEN)
    service = Service()
    async with client_of(app_of(service, auth=[Bearer()])) as client:
        await client.result(ECHO.having(authorization=f"Bearer {TOKEN}"))
    [request] = service.requests
    assert len(request.request_id) == 32
    caller = Caller("bearer", "token", "Bearer token")
    assert request == ToolRequest(caller, request.request_id, LIMITS.request_s, ORIGIN)


async def test_the_public_url_is_the_origin_a_tool_sees(client: Client, monkeypatch: pytest.MonkeyPatch):
    """aws.md: the template gives it in $PUBLIC_URL; the deployment's own code comes first."""
    origins: list[str] = []
    monkeypatch.setenv("PUBLIC_URL", "https://from-template.example")
    for public_url in (None, "https://from-code.example"):
        service = Service()
        async with client_of(app_of(service, public_url=public_url)) as client:
            await client.result(ECHO)
        origins.extend(request.origin for request in service.requests)
    assert origins == ["https://from-template.example", "https://from-code.example"]


async def test_a_secret_that_cannot_be_read_is_a_503(monkeypatch: pytest.MonkeyPatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "x")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    monkeypatch.setenv("AWS_ENDPOINT_URL_SECRETS_MANAGER", "http://127.0.0.1:1")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    async with client_of(app_of(Service(), auth=[Bearer(secret="token")])) as client:
        answer = await client.post(ECHO.having(authorization="Bearer x"))
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    message = "The server cannot check tokens at the moment. Try again shortly."
    assert answer.json() == {"error": {"code": "unavailable", "message": message}}


async def test_a_local_server_without_auth_turns_other_addresses_away():
    service = Service()
    async with client_of(app_of(service), address="203.0.113.9") as client:
        assert (await client.post(ECHO)).status_code == 401
    assert service.requests == []


def test_an_application_elsewhere_without_auth_does_not_start():
    with pytest.raises(UnsafeDeployment):
        app_of(Service(), local=False)
    app_of(Service(), local=False, auth=[Open()])


@pytest.mark.parametrize(
    ("hardened", "sandbox"),
    [
        (None, "unknown"),
        (Hardened(ready=True, degraded=()), "ready"),
        (Hardened(ready=True, degraded=("seccomp",)), "degraded"),
        (Hardened(ready=False, degraded=("seccomp",)), "refused"),
    ],
)
async def test_health_is_open_and_says_nothing_of_anybody(hardened: Hardened | None, sandbox: str):
    app = app_of(Service(), local=False, auth=[Bearer()], public_url=ORIGIN, sandbox_status=lambda: hardened)
    async with client_of(app) as client:
        answer = await client.http.get("/health")
    assert answer.status_code == 200
    assert answer.json() == {
        "status": "degraded" if sandbox == "refused" else "ok",
        "version": VERSION,
        "connectors": {"total": 1, "ready": 1, "failing": 0, "auth_required": 0, "unlisted": 0},
        "sandbox": sandbox,
        "table": "reachable",
    }


@pytest.mark.parametrize("path", ["/", "/docs", "/redoc", "/openapi.json", "/mcp/", "/sse", "/.well-known/nothing"])
async def test_nothing_else_is_served(client: Client, path: str):
    for method in ("GET", "POST"):
        answer = await client.http.request(method, path)
        assert (answer.status_code, answer.json()) == (404, {"error": {"code": "refused", "message": "Not Found"}})


async def test_answers_are_not_kept_or_guessed_at(client: Client):
    headers = (await client.post(modern("tools/list"))).headers
    assert (headers["cache-control"], headers["x-content-type-options"]) == ("no-store", "nosniff")
    assert headers["content-type"] == "application/json"


async def test_what_the_application_raises_is_a_500_that_only_names_its_log_entry(caplog: pytest.LogCaptureFixture):
    app = FastAPI()

    @app.get("/break")
    async def broken() -> None:  # pyright: ignore[reportUnusedFunction]
        raise RuntimeError("hunter2")

    app.add_middleware(Backstop, limits=LIMITS)
    async with client_of(app) as client:
        answer = await client.http.get("/break")
    [id] = [logged["correlation_id"] for logged in records_of(caplog) if "correlation_id" in logged]
    message = f"Something went wrong on the server. Its log has it under {id}."
    assert (answer.status_code, answer.json()) == (500, {"error": {"code": "internal_error", "message": message}})


def records_of(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    return [record.__dict__ for record in caplog.records]
