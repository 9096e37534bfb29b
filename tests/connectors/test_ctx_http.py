"""``ctx.http``: what it sends, and that nothing an argument holds leads it out of ``base_url`` (tools.md)."""

import json
from typing import Any

import pytest

from connecta import Context, Token, api
from connecta.failures import Failure
from connecta.text import Json, JsonObject
from tests.fixtures.misbehaving_server import MisbehavingServer, misbehaving_server


async def called(server: MisbehavingServer, path: str, how: str = "get", **options: Any) -> Json:
    """What one request of ``ctx.http`` comes to, as the tool's own value; ``base_url`` ends in ``/v2``."""
    connector = api("things", base_url=f"{server.url}/v2", allow_private=True, credential=options.pop("auth", None))

    @connector.tool(read_only=True)
    async def look(ctx: Context) -> object:
        """Look."""
        answer = await getattr(ctx.http, how)(path, **options)
        return answer.hex() if isinstance(answer, bytes) else answer

    connection = connector.open()
    try:
        (tool,) = await connection.list_tools()
        return (await connection.call(tool, {}, 10.0)).unwrap()
    finally:
        await connection.close()


async def failure_of(server: MisbehavingServer, path: str, how: str = "get", **options: Any) -> JsonObject:
    with pytest.raises(Failure) as caught:
        await called(server, path, how, **options)
    return caught.value.envelope()


OUTSIDE: JsonObject = {
    "code": "invalid_args",
    "message": 'The arguments make a path "things" cannot have: it must stay inside its base URL, without '
    "'?', '#', '\\' or '..'.",
    "retryable": False,
}


@pytest.mark.parametrize(
    ("how", "options", "method", "target", "body"),
    [
        ("get", {"params": {"a": True, "b": None, "c": [1, "two"]}}, "GET", "/v2/x?a=true&c=1&c=two", None),
        ("get", {"params": {"q": "a&b=c#d ?é/.."}}, "GET", "/v2/x?q=a%26b%3Dc%23d+%3F%C3%A9%2F..", None),
        ("post", {"json": {"text": "é"}}, "POST", "/v2/x", {"text": "é"}),
        ("post", {}, "POST", "/v2/x", None),
        ("put", {"json": [1]}, "PUT", "/v2/x", [1]),
        ("patch", {"json": 0, "params": {"x": 1.5}}, "PATCH", "/v2/x?x=1.5", 0),
        ("delete", {}, "DELETE", "/v2/x", None),
        ("get_text", {}, "GET", "/v2/x", None),
        ("get_bytes", {}, "GET", "/v2/x", None),
    ],
)
async def test_each_method_sends_what_it_is_given(
    server: MisbehavingServer, how: str, options: JsonObject, method: str, target: str, body: Json
) -> None:
    expected = {"get_text": '{"well":true}', "get_bytes": b'{"well":true}'.hex()}.get(how, {"well": True})
    assert await called(server, "/x", how, **options) == expected
    assert [(sent, path) for sent, path, _ in server.requests] == [(method, target)]
    assert [json.loads(sent) if sent else None for sent in server.bodies] == [body]


async def test_headers_go_along_and_the_credential_is_the_connectors_own(
    server: MisbehavingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THINGS_TOKEN", "s3cret")
    given = {"If-Match": '"1"', "AUTHORIZATION": "Bearer other", "Accept": "text/csv"}
    await called(server, "/x", "get_text", headers=given, auth=Token(env="THINGS_TOKEN"))
    (_, _, headers) = server.requests[0]
    sent = {name: headers[name] for name in ("if-match", "authorization", "accept", "accept-encoding")}
    assert sent == {
        "if-match": '"1"',
        "authorization": "Bearer s3cret",
        "accept": "text/csv",
        "accept-encoding": "identity",
    }


@pytest.mark.parametrize(
    "headers",
    [
        {"x": "a\r\nhost: evil.example"},
        {"x": "a\nb"},
        {"x": "a\0"},
        {"x": "é"},
        {"x\r\ny": "a"},
        {"": "a"},
        {"x y": "a"},
        {"Host": "evil.example"},
        {"content-length": "0"},
        {"Transfer-Encoding": "chunked"},
        {"accept-encoding": "gzip"},
    ],
)
async def test_a_header_that_would_frame_another_request_is_refused(
    server: MisbehavingServer, headers: dict[str, str]
) -> None:
    assert await failure_of(server, "/x", headers=headers) == {
        "code": "invalid_args",
        "message": 'The arguments make a header "things" cannot be sent: one line of printable ASCII, '
        "and none of those that frame a request.",
        "retryable": False,
    }
    assert server.requests == []


@pytest.mark.parametrize(
    "path",
    [
        *("/..", "/../admin", "/a/../../admin", "/.", "/./a", "/a/..", "/..\\admin", "/a\\b", "/a%5c..%5cb"),
        *("/%2e%2e/admin", "/%2E./admin", "/..%2fadmin", "/%2e%2e%2fadmin", "/a%2f..%2f..%2fadmin"),
        *("/%252e%252e/admin", "/..%252fadmin", "/%25252e%25252e/admin", "/%2525252525252e/admin"),
        *("/..;/admin", "/..;x=1/admin", "/%2e%2e;/admin", "/.;/a", "/%20../admin", "/..%3b/admin"),
        *("/x?y=1", "/x#y", "//evil.example", "//evil.example/v2", "x", "", "?x", "\\\\evil.example"),
        *("https://evil.example/", "http://user:pass@evil.example/", "@evil.example", ":80/x", ".evil.example/"),
    ],
)
async def test_no_path_leads_out_of_the_base_url(server: MisbehavingServer, path: str) -> None:
    assert await failure_of(server, path) == OUTSIDE
    assert server.requests == []


@pytest.mark.parametrize("path", ["/a\r\nx: y", "/a%0d%0ab", "/a%00", "/\u202ea", "/a\x7f"])
async def test_a_path_with_control_characters_is_refused(server: MisbehavingServer, path: str) -> None:
    assert (await failure_of(server, path))["code"] == "invalid_args"
    assert server.requests == []


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("/a%2fb", "/v2/a%2fb"),
        ("/a@evil.example", "/v2/a@evil.example"),
        ("/https://evil.example", "/v2/https://evil.example"),
        ("/...", "/v2/..."),
        ("/.hidden", "/v2/.hidden"),
        ("/a..b;c", "/v2/a..b;c"),
        ("/100%25", "/v2/100%25"),
        ("/é x", "/v2/%C3%A9%20x"),
        ("/", "/v2/"),
    ],
)
async def test_what_only_looks_like_a_way_out_stays_inside(server: MisbehavingServer, path: str, target: str) -> None:
    assert await called(server, path) == {"well": True}
    assert [path for _, path, _ in server.requests] == [target]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_carries_no_credential_anywhere(
    server: MisbehavingServer, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    """It is not followed at all: not to another host, and not within the same one."""
    monkeypatch.setenv("THINGS_TOKEN", "s3cret")
    async with misbehaving_server() as other:
        for location in (f"{other.url}/x", "/v2/y", f"//127.0.0.1:{other.port}/x"):
            server.redirect_to, server.behaviour = location, f"redirect {status}"
            failure = await failure_of(server, "/x", auth=Token(env="THINGS_TOKEN"))
            message = f'"things" redirects elsewhere (HTTP {status}), which is not followed.'
            assert failure == {"code": "connector_call_failed", "message": message, "retryable": False}
        assert other.requests == []
    assert [path for _, path, _ in server.requests] == ["/v2/x"] * 3


@pytest.mark.parametrize(
    ("charset", "body", "text"),
    [
        ("; charset=utf-8", "é".encode(), "é"),
        ("; charset=iso-8859-1", "é".encode("latin-1"), "é"),
        ("", "é".encode(), "é"),
        ("; charset=nonsense", "é".encode(), "é"),
        ("; charset=utf-8", b"\xff", "\ufffd"),
        *(
            (f"; charset={codec}", "é-6c".encode(), "é-6c")
            for codec in ("hex", "idna", "punycode", "undefined", "rot13")
        ),
        ("; charset=unicode_escape", rb"\u00e9", r"\u00e9"),
    ],
)
async def test_text_is_read_in_the_charset_the_answer_names(
    server: MisbehavingServer, charset: str, body: bytes, text: str
) -> None:
    """As UTF-8 where that is none, though Python has a codec of the name."""
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/plain{charset}\r\nContent-Length: {len(body)}\r\n\r\n"
    server.behaviour = f"RAW {head}{body.decode('latin-1')}"
    assert await called(server, "/x", "get_text") == text
