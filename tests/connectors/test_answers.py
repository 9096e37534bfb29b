"""Every kind of answer a downstream should not give, from a process of its own, over both kinds of connector: a typed
failure that says whether to try again, and the next call works (E2)."""

import time
from collections.abc import Iterator
from email.utils import formatdate
from typing import Any, Final

import httpx2
import pytest

from connecta.connectors.answers import retry_after_s
from connecta.text import Json, JsonObject
from tests.fixtures.misbehaving_process import MisbehavingProcess, misbehaving_process
from tests.fixtures.things import opened, outcome

WELL: Final[dict[str, Json]] = {"api": {"well": True}, "mcp": "well"}
KINDS: Final = ("api", "mcp")


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MisbehavingProcess]:
    with misbehaving_process(tmp_path_factory.mktemp("certificates")) as running:
        yield running


async def outcomes(process: MisbehavingProcess, kind: str, behaviour: str, deadline_s: float = 20.0) -> list[Json]:
    """What comes of a call on a new connection and on one that has worked; each is well again afterwards."""
    found: list[Json] = []
    for warm in (False, True):
        connection = opened(kind, process.url)
        process.behave(None)
        if warm:
            assert await outcome(connection) == WELL[kind]
        process.behave(behaviour)
        found.append(await outcome(connection, deadline_s))
        process.behave(None)
        assert await outcome(connection) == WELL[kind]
        await connection.close()
    return found


def raw(status: str, *headers: str, body: str = "") -> str:
    """An answer as it is, to the byte; the connection ends with it."""
    return "RAW " + "\r\n".join([f"HTTP/1.1 {status}", *headers]) + "\r\n\r\n" + body


def empty(status: str, *headers: str) -> str:
    return raw(status, "Content-Length: 0", *headers)


def typed(body: str, kind: str = "application/json") -> str:
    return raw("200 OK", f"Content-Type: {kind}", f"Content-Length: {len(body)}", body=body)


def failure(code: str, message: str, *, retryable: bool, after_ms: int | None = None) -> JsonObject:
    told: JsonObject = {"code": code, "message": f'"things" {message}', "retryable": retryable}
    return told if after_ms is None else {**told, "retryAfterMs": after_ms}


def final(message: str) -> JsonObject:
    return failure("connector_call_failed", message, retryable=False)


def refused(status: int) -> JsonObject:
    return final(f"refused the request (HTTP {status}).")


def no_answer(status: int) -> JsonObject:
    return final(f"answered with HTTP {status}, which is no answer to this request.")


def redirects(status: int) -> JsonObject:
    return final(f"redirects elsewhere (HTTP {status}), which is not followed.")


BROKE_OFF: Final = failure("unavailable", "broke off in the middle of its answer.", retryable=True)
NOT_HTTP: Final = final("answered with something that is not HTTP.")
NOT_JSON: Final = final("answered with something that is not JSON.")
NOT_MCP: Final = final("answered with something that is not MCP.")
COMPRESSED: Final = final("answered with a compressed body nobody asked for.")
JSON_TYPE: Final = "Content-Type: application/json"
CHUNKED: Final = "Transfer-Encoding: chunked"

BOTH: dict[str, tuple[str, JsonObject]] = {
    "400": (empty("400 Bad"), refused(400)),
    "402": (empty("402 Pay"), refused(402)),
    "404": (empty("404 None"), failure("not_found", "has nothing there (HTTP 404).", retryable=False)),
    "405": (empty("405 No"), refused(405)),
    "406": (empty("406 No"), refused(406)),
    "408": (empty("408 Late"), failure("timeout", "gave up waiting (HTTP 408).", retryable=True)),
    "409": (empty("409 Conflict"), refused(409)),
    "410": (empty("410 Gone"), failure("not_found", "has nothing there (HTTP 410).", retryable=False)),
    "413": (empty("413 Large"), refused(413)),
    "422": (empty("422 No"), refused(422)),
    "429": (empty("429 Slow"), failure("rate_limited", "wants fewer calls (HTTP 429).", retryable=True)),
    "500": (empty("500 Oops"), failure("unavailable", "failed on its side (HTTP 500).", retryable=True)),
    "502": (empty("502 Bad"), failure("unavailable", "failed on its side (HTTP 502).", retryable=True)),
    "503": (empty("503 Busy"), failure("unavailable", "failed on its side (HTTP 503).", retryable=True)),
    "504": (empty("504 Late"), failure("timeout", "gave up waiting (HTTP 504).", retryable=True)),
    "599": (empty("599 Odd"), failure("unavailable", "failed on its side (HTTP 599).", retryable=True)),
    "after interim answers": (
        raw("100 Continue") + "HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 409 Conflict\r\nContent-Length: 0\r\n\r\n",
        refused(409),
    ),
    "only an interim answer": (raw("100 Continue"), BROKE_OFF),
    "another protocol": (raw("101 Switching", "Connection: upgrade", "Upgrade: x"), NOT_HTTP),
    "300": (empty("300 Many"), no_answer(300)),
    "304": (raw("304 Same"), no_answer(304)),
    "301": (empty("301 Moved", "Location: /mcp"), redirects(301)),
    "303": (empty("303 See", "Location: /mcp"), redirects(303)),
    "redirect to nowhere": (empty("307 There"), no_answer(307)),
    "redirect to nonsense": (empty("307 There", "Location: http://[bad"), redirects(307)),
    "redirect to another host": (empty("308 There", "Location: http://127.0.0.2:1/mcp"), redirects(308)),
    "redirect with a login": (empty("307 There", "Location: http://u:p@127.0.0.1:1/mcp"), redirects(307)),
    "redirect to a file": (empty("307 There", "Location: file:///etc/passwd"), redirects(307)),
    "chunks that are none": (raw("200 OK", JSON_TYPE, CHUNKED, body="zz\r\n{}\r\n0\r\n\r\n"), NOT_HTTP),
    "a chunk less than nothing": (raw("200 OK", JSON_TYPE, CHUNKED, body="-2\r\n{}\r\n0\r\n\r\n"), NOT_HTTP),
    "a chunk beyond counting": (raw("200 OK", JSON_TYPE, CHUNKED, body="f" * 30 + "\r\n{}"), NOT_HTTP),
    "chunks that end early": (raw("200 OK", JSON_TYPE, CHUNKED, body="2\r\n{}"), BROKE_OFF),
    "two lengths": (raw("200 OK", JSON_TYPE, "Content-Length: 2", "Content-Length: 3", body="{}"), NOT_HTTP),
    "a length less than nothing": (raw("200 OK", JSON_TYPE, "Content-Length: -2", body="{}"), NOT_HTTP),
    "a length that is none": (raw("200 OK", JSON_TYPE, "Content-Length: two", body="{}"), NOT_HTTP),
    "a body that ends early": (raw("200 OK", JSON_TYPE, "Content-Length: 9", body="{}"), BROKE_OFF),
    "compressed chunks": (raw("200 OK", JSON_TYPE, "Transfer-Encoding: gzip, chunked", body="0\r\n\r\n"), NOT_HTTP),
    "gzip": (empty("200 OK", JSON_TYPE, "Content-Encoding: GZIP"), COMPRESSED),
    "brotli": (empty("200 OK", JSON_TYPE, "Content-Encoding: br"), COMPRESSED),
    "gzip twice": (empty("200 OK", "Content-Encoding: identity", "Content-Encoding: gzip"), COMPRESSED),
    "nothing at all": ("RAW ", BROKE_OFF),
    "half a head": ("RAW HTTP/1.1 200 OK\r\n", BROKE_OFF),
    "binary": ("RAW \0\1\2\3\r\n\r\n", NOT_HTTP),
    "a status that is none": ("RAW HTTP/1.1 2000 OK\r\n\r\n", NOT_HTTP),
    "another version": ("RAW HTTP/3 200 OK\r\n\r\n", NOT_HTTP),
    "a header that is none": ("RAW HTTP/1.1 200 OK\r\nbad header\r\n\r\n", NOT_HTTP),
    "reset in the middle": ("reset in the middle", BROKE_OFF),
    "endless header": ("endless header", NOT_HTTP),
    "compressed bomb": ("compressed bomb", COMPRESSED),
}
NOT_THE_ANSWER: dict[str, str] = {
    "HTML": typed("<h1>Sign in</h1>", "text/html"),
    "HTML said to be JSON": typed("<h1>Sign in</h1>"),
    "half of it": typed('{"jsonrpc":"2.0","id":1,"res'),
    "another charset": typed('{"name":"Jos\xe9"}'),
    "no end": raw("200 OK", JSON_TYPE, body='{"a"'),
    "depth": typed("[" * 100_000),
    "not a number": typed("NaN"),
}
MCP_ONLY: dict[str, tuple[str, JsonObject]] = {
    "no content": (raw("204 None"), NOT_MCP),
    "an empty body": (empty("200 OK", JSON_TYPE), NOT_MCP),
    "JSON of another type": (typed('{"jsonrpc":"2.0","id":1,"result":{}}', "text/plain"), NOT_MCP),
    "no JSON-RPC": (typed('{"hunter2":1}'), NOT_MCP),
    "neither result nor error": (typed('{"jsonrpc":"2.0","id":1}'), NOT_MCP),
    "a result that is none": (typed('{"jsonrpc":"2.0","id":1,"result":"hunter2"}'), NOT_MCP),
    "an error that is none": (typed('{"jsonrpc":"2.0","id":1,"error":"hunter2"}'), NOT_MCP),
    "another JSON-RPC": (typed('{"jsonrpc":"1.0","id":1,"result":{}}'), NOT_MCP),
    "a list": (typed("[1]"), NOT_MCP),
    "events that end": (typed("data: {", "text/event-stream"), BROKE_OFF),
    "no events": (empty("200 OK", "Content-Type: text/event-stream"), BROKE_OFF),
    "refused with its own words": (
        raw("400 Bad", JSON_TYPE, body='{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"No such thing"}}'),
        final("refused the request (JSON-RPC error -32602): No such thing"),
    ),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", BOTH)
async def test_an_answer_that_is_a_failure_is_typed(process: MisbehavingProcess, kind: str, case: str) -> None:
    behaviour, expected = BOTH[case]
    assert await outcomes(process, kind, behaviour) == [expected, expected]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", NOT_THE_ANSWER)
async def test_an_answer_that_cannot_be_read_is_final(process: MisbehavingProcess, kind: str, case: str) -> None:
    expected: Json = NOT_JSON if kind == "api" else NOT_MCP
    assert await outcomes(process, kind, NOT_THE_ANSWER[case]) == [expected, expected]


@pytest.mark.parametrize("case", MCP_ONLY)
async def test_an_answer_that_is_no_mcp_is_final_and_none_of_it_is_told(process: MisbehavingProcess, case: str) -> None:
    behaviour, expected = MCP_ONLY[case]
    assert await outcomes(process, "mcp", behaviour) == [expected, expected]


@pytest.mark.parametrize("status", ["200 OK", "201 Made", "202 Accepted", "204 None", "205 Reset"])
async def test_an_empty_success_of_an_api_is_no_value(process: MisbehavingProcess, status: str) -> None:
    assert await outcomes(process, "api", raw(status) if status[:3] == "204" else empty(status)) == [None, None]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_redirect_that_leads_to_itself_is_not_followed_for_ever(process: MisbehavingProcess, kind: str) -> None:
    path, expected = ("/mcp", final("redirects in circles.")) if kind == "mcp" else ("/thing", redirects(307))
    assert await outcomes(process, kind, empty("307 There", f"Location: {path}")) == [expected, expected]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "behaviour",
    [
        *("slow", "slow drip of a header", "slow drip of a body", "slow drip of chunks", "slow drip of events"),
        *("slow interim answers", "slow in the middle"),
    ],
)
async def test_an_answer_that_does_not_come_to_an_end_is_given_up(
    process: MisbehavingProcess, kind: str, behaviour: str
) -> None:
    said = "finish" if kind == "api" else "answer"
    expected = {"code": "timeout", "message": f"things.look did not {said} within 0.5 s.", "retryable": True}
    assert await outcomes(process, kind, behaviour, 0.5) == [expected, expected]


RETRY_AFTER: list[tuple[list[str], int | None]] = [
    ([], None),
    (["0"], 0),
    (["7"], 7_000),
    ([" 7 "], 7_000),
    (["007"], 7_000),
    (["1.5"], 1_500),
    (["-5"], None),
    (["+5"], None),
    (["1e3"], None),
    (["5 s"], None),
    (["soon"], None),
    ([""], None),
    (["9" * 400], 999_999_999_000),
    (["Sun, 06 Nov 1994 08:49:37 GMT"], 0),
    (["Sunday, 06-Nov-94 08:49:37 GMT"], 0),
    (["Sun Nov  6 08:49:37 1994"], 0),
    (["Mon, 32 Nov 2026 25:61:61 GMT"], None),
    (["Sun, 06 Nov 99999999 08:49:37 GMT"], None),
    (["Sun, 06"], None),
    (["\xb2"], None),
    (["7", "9"], 9_000),
    (["soon", "7"], 7_000),
    (["7", "Sun, 06 Nov 1994 08:49:37 GMT"], 7_000),
]
WITH_PAUSE: dict[str, tuple[str, str, bool]] = {
    "429 Slow": ("rate_limited", "wants fewer calls (HTTP 429).", True),
    "503 Busy": ("unavailable", "failed on its side (HTTP 503).", True),
    "504 Late": ("timeout", "gave up waiting (HTTP 504).", True),
    "413 Large": ("connector_call_failed", "refused the request (HTTP 413).", False),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("status", WITH_PAUSE)
@pytest.mark.parametrize(("said", "after_ms"), RETRY_AFTER, ids=[repr(said)[:40] for said, _ in RETRY_AFTER])
async def test_retry_after_is_handed_on_in_every_form(
    process: MisbehavingProcess, kind: str, status: str, said: list[str], after_ms: int | None
) -> None:
    """RFC 9110, 10.2.3. It makes a refused size worth another attempt (15.5.14)."""
    code, message, retryable = WITH_PAUSE[status]
    retryable = retryable or after_ms is not None
    process.behave(empty(status, *(f"Retry-After: {value}" for value in said)))
    connection = opened(kind, process.url)
    assert await outcome(connection) == failure(code, message, retryable=retryable, after_ms=after_ms)
    await connection.close()


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/New_York"])
@pytest.mark.parametrize("form", ["%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"])
def test_a_date_is_in_gmt_wherever_the_process_is(form: str, zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """RFC 9110, 5.6.7: the three forms, of which the last names no zone."""
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        said = time.strftime(form, time.gmtime(time.time() + 3_600))
        seconds = retry_after_s(httpx2.Headers({"retry-after": said}))
    finally:
        monkeypatch.undo()
        time.tzset()
    assert seconds is not None
    assert 3_500 < seconds <= 3_600


def test_the_pause_until_a_date_is_what_is_left_of_it() -> None:
    headers: Any = [("retry-after", formatdate(time.time() + 60, usegmt=True)), ("retry-after", "5")]
    seconds = retry_after_s(httpx2.Headers(headers))
    assert seconds is not None
    assert 50 < seconds <= 60
