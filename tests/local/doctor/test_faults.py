"""Each thing that can be wrong, once: the one check that says so, what it says to do, and what is not tried then."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from connecta.local.doctor.checks import CHECKS
from tests.fixtures.doctored_deployment import PASSPHRASE
from tests.fixtures.faulty_proxy import Asked, Fault, Forward, Proxy, Told
from tests.local.doctor.conftest import Examine

SERVER = "/.well-known/oauth-authorization-server"
RESOURCE = "/.well-known/oauth-protected-resource"
NEEDS_A_TOKEN = ["modern", "legacy", "tools", "program", "shell"]
NEEDS_METADATA = ["registration", "client-document", "sign-in", "token", "refresh", *NEEDS_A_TOKEN, "revocation"]
NEEDS_SIGN_IN = ["token", "refresh", *NEEDS_A_TOKEN, "revocation"]


def at(place: str, change: Callable[[Told], Told], *, method: str | None = None, holding: bytes = b"") -> Fault:
    """Changes what is answered at one place, to requests whose body has ``holding`` in it."""

    def fault(asked: Asked, forward: Forward) -> Told:
        told = forward(asked)
        meant = asked.place == place and method in (None, asked.method) and holding in asked.body
        return change(told) if meant else told

    return fault


def status(status: int, body: bytes = b"{}") -> Callable[[Told], Told]:
    return lambda told: Told(status, [("content-type", "application/json")], body)


def edited(edit: Callable[[dict[str, Any]], object]) -> Callable[[Told], Told]:
    """The JSON object of the answer, changed."""

    def change(told: Told) -> Told:
        body = json.loads(told.body)
        edit(body)
        return Told(told.status, told.headers, json.dumps(body).encode())

    return change


def having(**fields: Any) -> Callable[[Told], Told]:
    return edited(lambda body: body.update(fields))


def unauthorized(change: Callable[[Told], Told]) -> Fault:
    """Changes the challenge to who has no token."""

    def fault(asked: Asked, forward: Forward) -> Told:
        told = forward(asked)
        return change(told) if told.status == 401 and "authorization" not in asked.headers else told

    return fault


def redirected(change: Callable[[str], str]) -> Fault:
    """Changes where the person is sent with a code."""

    def fault(asked: Asked, forward: Forward) -> Told:
        told = forward(asked)
        there = dict(told.headers).get("location", "")
        return told.header("location", change(there)) if "code=" in there and "iss=" in there else told

    return fault


def waved_through(asked: Asked, forward: Forward) -> Told:
    """A gateway that puts a token of its own into every request that has one."""
    if asked.place == "/mcp" and "authorization" in asked.headers:
        return forward(Asked(asked.method, asked.path, {**asked.headers, "authorization": "Bearer x"}, asked.body))
    return forward(asked)


def without_cookies(asked: Asked, forward: Forward) -> Told:
    return forward(asked).header("set-cookie", None)


def lost_refresh(told: Told) -> Told:
    return edited(lambda body: body.pop("refresh_token"))(told)


def unlabelled(body: dict[str, Any]) -> None:
    body["result"]["tools"][0].pop("annotations")


def one_tool_less(body: dict[str, Any]) -> None:
    body["result"]["tools"].pop()


def failing_run(body: dict[str, Any]) -> None:
    body["result"] |= {"isError": True, "content": [{"type": "text", "text": "no child\x1b[31m"}]}


def other_shell(body: dict[str, Any]) -> None:
    body["result"]["contents"][0]["mimeType"] = "text/html"


FAULTS: dict[str, tuple[Fault, dict[str, str], list[str]]] = {
    "the server fails": (at("/health", status(502)), {"health": "error in deployment.py"}, []),
    "the server has another name": (at("/health", status(421)), {"health": "Set the template's PublicUrl"}, []),
    "something else is there": (at("/health", status(200, b'{"up": true}')), {"health": "is not Connecta"}, []),
    "something without JSON is there": (at("/health", status(200, b"<html>")), {"health": "is not JSON"}, []),
    "programs cannot run": (at("/health", having(sandbox="refused")), {"health": "locked down"}, []),
    "its table is out of reach": (at("/health", having(table="unreachable")), {"health": "cannot reach the table"}, []),
    "a firewall": (
        unauthorized(status(403)),
        {"challenge": "an allow-list of addresses"},
        ["refusal", "resource", "root-resource", "server-metadata", *NEEDS_METADATA],
    ),
    "a challenge to another host": (
        unauthorized(lambda told: told.header("www-authenticate", 'Bearer resource_metadata="https://x.example/"')),
        {"challenge": "Set the template's PublicUrl"},
        ["refusal", "resource", "root-resource", "server-metadata", *NEEDS_METADATA],
    ),
    "another kind of login": (
        unauthorized(lambda told: told.header("www-authenticate", 'Basic realm="x"')),
        {"challenge": "asks for another login"},
        ["refusal", "resource", "root-resource", "server-metadata", *NEEDS_METADATA],
    ),
    "no resource document": (
        at(f"{RESOURCE}/mcp", status(404)),
        {"resource": "It has to be served at the host's root"},
        [],
    ),
    "no root document": (at(RESOURCE, status(404)), {"root-resource": "a named stage"}, []),
    "a document of another resource": (
        at(f"{RESOURCE}/mcp", having(resource="https://other.example/mcp")),
        {"resource": "PublicUrl"},
        [],
    ),
    "a document without servers": (at(RESOURCE, having(authorization_servers=[])), {"root-resource": "names no"}, []),
    "no server metadata": (at(SERVER, status(404)), {"server-metadata": "at the host's root"}, NEEDS_METADATA),
    "metadata of another issuer": (
        at(SERVER, having(issuer="https://x.example")),
        {"server-metadata": "Set PublicUrl"},
        NEEDS_METADATA,
    ),
    "an endpoint in the clear": (
        at(SERVER, having(token_endpoint="http://x.example/oauth/token")),
        {"server-metadata": "plain HTTP"},
        NEEDS_METADATA,
    ),
    "an endpoint elsewhere": (
        at(SERVER, having(authorization_endpoint="https://x.example/oauth/authorize")),
        {"server-metadata": "on another host than its issuer"},
        NEEDS_METADATA,
    ),
    "an endpoint that is no address": (
        at(SERVER, having(token_endpoint="https://[x/oauth/token")),
        {"server-metadata": "named an address that is none"},
        NEEDS_METADATA,
    ),
    "a page that leads to no address": (
        redirected(lambda there: there.replace("http://127.0.0.1", "https://[x")),
        {"sign-in": "named an address that is none"},
        NEEDS_SIGN_IN,
    ),
    "a challenge that is no address": (
        unauthorized(lambda told: told.header("www-authenticate", 'Bearer resource_metadata="https://[x/"')),
        {"challenge": "named an address that is none"},
        ["refusal", "resource", "root-resource", "server-metadata", *NEEDS_METADATA],
    ),
    "plain PKCE": (
        at(SERVER, having(code_challenge_methods_supported=["plain"])),
        {"server-metadata": "lacks S256"},
        NEEDS_METADATA,
    ),
    "no client documents": (
        at(SERVER, having(client_id_metadata_document_supported=False)),
        {"server-metadata": "client_id_metadata_document_supported"},
        NEEDS_METADATA,
    ),
    "too many registrations": (
        at("/oauth/register", status(429)),
        {"registration": "Wait ten minutes"},
        ["sign-in", *NEEDS_SIGN_IN],
    ),
    "no registration": (
        at("/oauth/register", status(400, b'{"error": "invalid_redirect_uri"}')),
        {"registration": '400 "invalid_redirect_uri"'},
        ["sign-in", *NEEDS_SIGN_IN],
    ),
    "lost cookies": (without_cookies, {"sign-in": "The passphrase was not taken"}, NEEDS_SIGN_IN),
    "a lost state": (
        redirected(lambda there: there.replace("state=", "stat=")),
        {"sign-in": "lost the client's state"},
        NEEDS_SIGN_IN,
    ),
    "a lost issuer": (redirected(lambda there: there.replace("iss=", "is=")), {"sign-in": "(iss)"}, NEEDS_SIGN_IN),
    "no tokens for a code": (
        at("/oauth/token", status(400, b'{"error": "invalid_grant"}')),
        {"token": '400 "invalid_grant"'},
        ["refresh", *NEEDS_A_TOKEN, "revocation"],
    ),
    "a token that no header can carry": (
        at("/oauth/token", having(access_token="tök")),
        {"modern": "no header can carry", "legacy": "no header can carry"},
        ["tools", "program", "shell"],
    ),
    "no refresh token": (
        at("/oauth/token", lost_refresh, holding=b"authorization_code"),
        {"refresh": "sign in every hour"},
        [],
    ),
    "no refresh": (
        at("/oauth/token", status(400, b'{"error": "invalid_grant"}'), holding=b"=refresh_token"),
        {"refresh": '400 "invalid_grant"'},
        [],
    ),
    "a token that is taken away": (
        waved_through,
        {"modern": "The token is refused", "legacy": "The token is refused"},
        ["tools", "program", "shell"],
    ),
    "no modern era": (
        at("/mcp", edited(lambda body: body["result"].update(supportedVersions=[])), holding=b"server/discover"),
        {"modern": "does not speak 2026-07-28"},
        ["tools", "program", "shell"],
    ),
    "a tool too few": (
        at("/mcp", edited(one_tool_less), holding=b"tools/list"),
        {"tools": "not the seven"},
        ["program", "shell"],
    ),
    "a tool without hints": (
        at("/mcp", edited(unlabelled), holding=b"tools/list"),
        {"tools": "without a title or hints"},
        ["program", "shell"],
    ),
    "a program that fails": (
        at("/mcp", edited(failing_run), holding=b"tools/call"),
        {"program": 'only multiplies fails: "no child\ufffd[31m"'},
        [],
    ),
    "another shell": (at("/mcp", edited(other_shell), holding=b"resources/read"), {"shell": "not the page"}, []),
    "no revocation": (at("/oauth/revoke", status(500)), {"revocation": "answered 500"}, []),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_named_and_only_what_needs_the_part_is_not_tried(name: str, proxy: Proxy, examine: Examine):
    proxy.fault, said, not_tried = FAULTS[name]
    report = examine(f"{proxy.origin}/mcp")
    failed = report.outcome("failed")
    assert {check: message for check, message in said.items() if message not in failed.get(check, "")} == {}, failed
    assert (report.status, report.ok, list(failed)) == (1, False, list(said))
    assert list(report.outcome("not tried")) == [check.name for check in CHECKS if check.name in not_tried]


def test_a_header_that_api_gateway_renamed_is_no_fault(proxy: Proxy, examine: Examine):
    """mcp.md, authorization: the documents have to do alone."""

    def renamed(told: Told) -> Told:
        header = dict(told.headers)["www-authenticate"]
        return told.header("www-authenticate", None).header("x-amzn-remapped-www-authenticate", header)

    proxy.fault = unauthorized(renamed)
    report = examine(f"{proxy.origin}/mcp")
    assert report.outcome("ok")["challenge"] == "401 with a challenge, renamed by API Gateway"
    proxy.fault = unauthorized(lambda told: told.header("www-authenticate", None))
    without = examine(f"{proxy.origin}/mcp")
    assert (report.status, without.status) == (0, 0)
    assert "clients depend on the documents" in without.outcome("ok")["challenge"]


def test_a_wrong_passphrase_is_not_taken_for_anything_else(proxy: Proxy, examine: Examine):
    report = examine(f"{proxy.origin}/mcp", passphrase="not the passphrase of this")
    said = "The passphrase was not taken. Check it, or set a new one: python -m connecta passphrase"
    assert report.outcome("failed") == {"sign-in": said}


def test_a_passphrase_goes_to_the_deployment_s_own_host_only(proxy: Proxy, examine: Examine):
    """A form that leads elsewhere gets nothing."""

    def elsewhere(told: Told) -> Told:
        body = told.body.replace(b'action="/oauth/authorize', b'action="http://127.0.0.1:9/oauth/authorize')
        return Told(told.status, told.headers, body)

    proxy.fault = at("/oauth/authorize", elsewhere, method="GET")
    report = examine(f"{proxy.origin}/mcp")
    assert "another host, so nothing was sent there" in report.outcome("failed")["sign-in"]
    assert not any(PASSPHRASE.encode().replace(b" ", b"+") in asked.body for asked in proxy.seen)
