"""Where answers may be sent (RFC 8252 section 7, RFC 9700 4.1)."""

import pytest

from connecta import DeclaredClient
from connecta.auth.authorization_server.redirects import host_of, is_application, is_redirect, matches
from connecta.limits import LIMITS


@pytest.mark.parametrize(
    "uri",
    [
        "https://claude.ai/api/mcp/auth_callback",
        "https://client.example:8443/cb?x=1",
        "http://localhost/callback",
        "http://localhost:33418",
        "http://127.0.0.1:1/",
        "http://[::1]:1/cb",
        "cursor://anysphere.cursor-retrieval/oauth/user-agent-callback",
        "com.example.app:/callback",
        "msteams:/callback",
    ],
)
def test_a_client_may_be_answered_there(uri: str):
    assert is_redirect(uri, LIMITS)
    assert matches(uri, uri)


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "/callback",
        "client.example/callback",
        "https:///callback",
        "https:callback",
        "https://client.example/callback#fragment",
        "https://client.example/callback#",
        "https://user@client.example/callback",
        "https://client.example:99999/",
        "https://client.example/a b",
        "https://client.example/\ncallback",
        "https://client.example\\@evil.example/",
        "https://clïent.example/",
        "http://client.example/callback",
        "http://127.0.0.1.example/",
        "http://127.0.0.1@evil.example/",
        "http://10.0.0.1/",
        "javascript:alert(1)",
        "JavaScript://x/%0aalert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "vbscript:x",
        "blob:https://x/y",
        "ws://127.0.0.1/",
        "microsoft-edge:https://evil.example/x",
        "x-safari-https://evil.example/x",
        "search-ms:query=x&crumb=location:evil.example",
        "smb://evil.example/share",
        "ms-word:ofe|u|https://evil.example/x".replace("|", "%7C"),
        "itms-services://?action=download-manifest&url=https://evil.example/x",
        "http://[::1/",
        "http://[::1]evil.example/",
        "https://[::1]evil.example/",
        "https://claude.ai%2eevil.example/",
        "https://claude.ai%E3%80%82evil.example/",
        "https://claude.ai,evil.example/",
        f"https://{'a' * 254}/",
    ],
)
def test_nobody_is_answered_there(uri: str):
    assert not is_redirect(uri, LIMITS)


@pytest.mark.parametrize(
    ("asked", "known", "same"),
    [
        ("http://127.0.0.1:5000/cb", "http://127.0.0.1/cb", True),
        ("http://localhost:5000/cb?x=1", "http://localhost:1/cb?x=1", True),
        ("http://[::1]:5000/cb", "http://[::1]/cb", True),
        ("http://127.0.0.1:5000/cb", "http://localhost/cb", False),
        ("http://127.0.0.1:5000/other", "http://127.0.0.1/cb", False),
        ("http://127.0.0.1:5000/cb#x", "http://127.0.0.1/cb", False),
        ("http://x@127.0.0.1:5000/cb", "http://127.0.0.1/cb", False),
        ("http://127.0.0.1:/cb", "http://127.0.0.1/cb", False),
        ("HTTP://127.0.0.1:5000/cb", "http://127.0.0.1/cb", False),
        ("https://127.0.0.1:5000/cb", "https://127.0.0.1/cb", False),
        ("https://a.example:5000/cb", "https://a.example/cb", False),
        ("https://a.example/cb", "https://a.example/CB", False),
    ],
)
def test_only_a_loopback_port_may_differ(asked: str, known: str, same: bool):
    assert matches(asked, known) is same


@pytest.mark.parametrize(
    ("uri", "host"),
    [
        ("https://claude.ai/x", "claude.ai"),
        ("http://[::1]:1/", "::1"),
        ("com.example:/x", "com.example:"),
        ("com.example://claude.ai/x", "com.example:"),
    ],
)
def test_a_person_sees_where_the_answer_goes(uri: str, host: str):
    assert host_of(uri) == host


@pytest.mark.parametrize(
    ("uri", "is_one"),
    [
        ("com.example:/x", True),
        ("com.example://claude.ai/x", True),
        ("https://a.example/", False),
        ("HTTPS://a/", False),
    ],
)
def test_only_a_scheme_of_its_own_leads_to_an_application(uri: str, is_one: bool):
    assert is_application(uri) is is_one


@pytest.mark.parametrize(
    ("id", "redirect_uris"),
    [("", ["https://a.example/"]), ("https://a.example/x", ["https://a.example/"]), ("a", []), ("a", ["x"])],
)
def test_a_declared_client_that_could_not_be_used_is_refused(id: str, redirect_uris: list[str]):
    with pytest.raises(ValueError, match="DeclaredClient"):
        DeclaredClient(id, "A", redirect_uris)
