"""What claude.ai does with the URL of a deployment that has just been deployed: from the first 401 to a program's
answer, and through all that may end in between (mcp.md, "Authorization"; auth.md).

The artifact is the one that ships, in Lambda's runtime loop, behind SAM CLI's gateway with the template's routes. In
place of AWS there is moto, in place of Claude's own servers and a browser there are their requests, and of TLS nothing.
Claude's client document lies on the internet: where it cannot be fetched, the one the artifact brings is used.
"""

import html
import re
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx2
import pytest

from connecta.limits import LIMITS
from connecta.state.client import open_client
from tests.fixtures.artifact import Artifact
from tests.fixtures.claude import (
    DOCUMENT,
    ORIGIN,
    RESOURCE,
    Claude,
    Connection,
    brought_back,
    followed,
    heading,
    https_to,
    submitted,
)
from tests.fixtures.dynamodb import TABLE
from tests.fixtures.gateway import running_gateway
from tests.fixtures.job import TOOL_NAMES
from tests.fixtures.mcp_messages import modern
from tests.fixtures.rie import RunningFunction, running_function
from tests.fixtures.shipped import Stack, shipped_stack

PASSPHRASE = "correct horse battery staple"
PROGRAM = modern("tools/call", {"name": "execute_code", "arguments": {"code": "async () => 6 * 7"}})


@dataclass(frozen=True, slots=True)
class Deployed:
    """One function instance of the stack behind a gateway."""

    function: RunningFunction
    claude: Claude
    gateway: str


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    with shipped_stack() as running:
        running.set_passphrase(PASSPHRASE)
        yield running


def instance(stack: Stack, artifact: Artifact, folder: Path, here: ExitStack) -> Deployed:
    function = here.enter_context(running_function(artifact, stack.environ, folder))
    gateway = here.enter_context(running_gateway(function, folder))
    return Deployed(function, Claude(here.enter_context(https_to(gateway))), gateway)


@pytest.fixture(scope="module")
def deployed(stack: Stack, lambda_artifact: Artifact, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployed]:
    with ExitStack() as here:
        yield instance(stack, lambda_artifact, tmp_path_factory.mktemp("claude"), here)


@pytest.fixture(scope="module")
def an_hour_later(
    stack: Stack, lambda_artifact: Artifact, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Deployed]:
    """Another instance on the same table, which remembers nothing of the first one's."""
    with ExitStack() as here:
        yield instance(stack, lambda_artifact, tmp_path_factory.mktemp("later"), here)


@pytest.fixture
def browser(deployed: Deployed) -> Iterator[httpx2.Client]:
    with https_to(deployed.gateway) as http:
        yield http


@pytest.fixture(scope="module")
def server(deployed: Deployed) -> dict[str, Any]:
    """The authorization server as Claude finds it."""
    [issuer] = deployed.claude.resource_metadata(sees_the_header=True)["authorization_servers"]
    return deployed.claude.server_metadata(issuer)


def items(stack: Stack, kind: str) -> list[dict[str, Any]]:
    with closing(open_client(stack.aws_url, LIMITS)) as client:
        found: list[dict[str, Any]] = [*client.scan(TableName=TABLE)["Items"]]
    return [item for item in found if item["pk"]["S"].startswith(f"{kind}#")]


def end_access_tokens(stack: Stack) -> None:
    """As an hour does."""
    with closing(open_client(stack.aws_url, LIMITS)) as client:
        for item in items(stack, "grant"):
            client.put_item(TableName=TABLE, Item={**item, "access_until": {"N": "1"}})


def forget_registrations(stack: Stack) -> None:
    with closing(open_client(stack.aws_url, LIMITS)) as client:
        for item in items(stack, "client"):
            client.delete_item(TableName=TABLE, Key={name: item[name] for name in ("pk", "sk")})


def signed_in_and_allowed(browser: httpx2.Client, connection: Connection) -> str:
    """The code that Claude's callback gets from a person who signs in and agrees."""
    asked = connection.start(browser)
    assert (asked.status_code, heading(asked)) == (200, "Sign in")
    return allowed(browser, connection, followed(browser, submitted(browser, asked, "sign-in", passphrase=PASSPHRASE)))


def allowed(browser: httpx2.Client, connection: Connection, consent: httpx2.Response) -> str:
    assert (consent.status_code, heading(consent)) == (200, "Allow Claude to use this server?")
    back = submitted(browser, consent, "allow")
    assert back.status_code == 303, back.text
    told = brought_back(back)
    assert told == {"code": told["code"], "state": connection.state, "iss": ORIGIN}
    return told["code"]


def tokens(claude: Claude, connection: Connection, code: str) -> dict[str, Any]:
    answer = claude.token(connection.server, **connection.redemption(code))
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store"), answer.text
    got = answer.json()
    assert got == {
        "access_token": got["access_token"],
        "token_type": "Bearer",
        "expires_in": LIMITS.oauth_access_s,
        "refresh_token": got["refresh_token"],
        "scope": "mcp",
    }
    return got


def refreshed(claude: Claude, connection: Connection, refresh_token: str) -> httpx2.Response:
    form = {"grant_type": "refresh_token", "refresh_token": refresh_token, "client_id": connection.client_id}
    return claude.token(connection.server, **form)


def use(claude: Claude, token: str) -> None:
    """What Claude asks once it is in: who is there, which tools, and a program."""
    assert claude.result(modern("server/discover"), token)["supportedVersions"][0] == "2026-07-28"
    assert [tool["name"] for tool in claude.result(modern("tools/list"), token)["tools"]] == TOOL_NAMES
    assert claude.result(PROGRAM, token)["structuredContent"]["result"] == 42


@pytest.mark.parametrize("sees_the_header", [True, False])
def test_claude_finds_out_how_to_sign_in_with_and_without_the_header(deployed: Deployed, sees_the_header: bool) -> None:
    """RFC 9728, RFC 8414: at the root of the host, whatever becomes of the challenge on its way."""
    found = deployed.claude.resource_metadata(sees_the_header=sees_the_header)
    assert found == {
        "resource": RESOURCE,
        "resource_name": found["resource_name"],
        "authorization_servers": [ORIGIN],
        "bearer_methods_supported": ["header"],
        "scopes_supported": ["mcp"],
    }
    assert deployed.claude.root_resource_metadata() == found
    server = deployed.claude.server_metadata(ORIGIN)
    assert {name: value for name, value in server.items() if name.endswith("_endpoint")} == {
        "authorization_endpoint": f"{ORIGIN}/oauth/authorize",
        "token_endpoint": f"{ORIGIN}/oauth/token",
        "registration_endpoint": f"{ORIGIN}/oauth/register",
        "revocation_endpoint": f"{ORIGIN}/oauth/revoke",
    }
    assert (server["issuer"], server["code_challenge_methods_supported"]) == (ORIGIN, ["S256"])
    assert server["token_endpoint_auth_methods_supported"] == ["none"]
    assert server["client_id_metadata_document_supported"] is True
    assert server["authorization_response_iss_parameter_supported"] is True


def test_claude_comes_in_by_its_own_document(
    deployed: Deployed, server: dict[str, Any], browser: httpx2.Client
) -> None:
    connection = Connection(server, DOCUMENT)
    code = signed_in_and_allowed(browser, connection)
    got = tokens(deployed.claude, connection, code)
    use(deployed.claude, got["access_token"])
    log = deployed.function.log.read_text()
    secrets = (PASSPHRASE, code, connection.verifier, got["access_token"], got["refresh_token"])
    assert [secret for secret in secrets if secret in log] == []


def test_a_client_that_was_forgotten_registers_again_and_its_person_need_not_sign_in_again(
    stack: Stack, deployed: Deployed, an_hour_later: Deployed, server: dict[str, Any], browser: httpx2.Client
) -> None:
    """RFC 7591 and 6749: ``invalid_client`` with 401 is what makes Claude register again (mcp.md)."""
    first = Connection(server, deployed.claude.register(server))
    got = tokens(deployed.claude, first, signed_in_and_allowed(browser, first))
    use(deployed.claude, got["access_token"])

    end_access_tokens(stack)
    later = an_hour_later.claude
    refused = later.post(modern("tools/list"), got["access_token"])
    assert refused.status_code == 401, refused.text
    assert 'error="invalid_token"' in refused.headers["www-authenticate"]
    renewed = refreshed(later, first, got["refresh_token"])
    assert renewed.status_code == 200, renewed.text
    use(later, renewed.json()["access_token"])

    forget_registrations(stack)
    unknown = refreshed(later, first, renewed.json()["refresh_token"])
    assert (unknown.status_code, unknown.json()["error"]) == (401, "invalid_client")
    stranger = first.start(browser)
    assert (stranger.status_code, "location" in stranger.headers) == (400, False)

    again = Connection(server, later.register(server))
    assert again.client_id != first.client_id
    code = allowed(browser, again, again.start(browser))
    use(later, tokens(later, again, code)["access_token"])


def test_a_cookie_comes_through_the_gateway_as_it_was_set(server: dict[str, Any], browser: httpx2.Client) -> None:
    """API Gateway takes cookies in a list of their own (payload 2.0)."""
    connection = Connection(server, DOCUMENT)
    page = connection.start(browser)
    [cookie] = page.headers.get_list("set-cookie")
    name, _, attributes = cookie.partition("; ")
    assert name.startswith("__Host-connecta-session=")
    assert sorted(attributes.split("; ")) == [
        "HttpOnly",
        f"Max-Age={LIMITS.sign_in_session_s}",
        "Path=/",
        "SameSite=lax",
        "Secure",
    ]
    assert page.headers["content-security-policy"].count("frame-ancestors 'none'") == 1


def test_a_request_that_is_refused_before_anybody_signed_in_sends_nobody_elsewhere(
    server: dict[str, Any], browser: httpx2.Client
) -> None:
    """The page has a link instead, which tells the client what is wrong."""
    connection = Connection(server, DOCUMENT)
    refused = connection.start(browser, code_challenge_method="plain")
    assert (refused.status_code, "location" in refused.headers) == (400, False)
    [link] = re.findall(r'href="(https://claude\.ai/[^"]+)"', refused.text)
    told = dict(parse_qsl(urlsplit(html.unescape(link)).query))
    assert (told["error"], told["state"], told["iss"]) == ("invalid_request", connection.state, ORIGIN)


def test_a_wrong_passphrase_is_told_and_leads_nowhere(server: dict[str, Any], browser: httpx2.Client) -> None:
    connection = Connection(server, DOCUMENT)
    refused = submitted(browser, connection.start(browser), "sign-in", passphrase="not the passphrase")
    assert (refused.status_code, heading(refused)) == (403, "Sign in")
    assert "That is not the passphrase." in refused.text
    assert heading(connection.start(browser)) == "Sign in"
