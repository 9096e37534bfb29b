"""Answers that fit through Lambda (aws.md, "Front door")."""

import gzip
import json
import random

import pytest

from connecta.limits import LIMITS, Limits
from connecta.text import JsonObject
from connecta.tools.definition import Answer, text_block
from connecta.web.fitting import Fitted, encoded_size, fit
from connecta.web.negotiation import accepts_gzip
from tests.fixtures.mcp_client import app_of, client_of
from tests.fixtures.mcp_messages import call, legacy, modern
from tests.fixtures.tool_service import Service, definition

CALL = modern("tools/call", call("blocks"))
SMALL = Limits(response_bytes=40_000)


def noise(length: int) -> str:
    """Text that hardly compresses."""
    return random.Random(7).randbytes(length // 2).hex()


@pytest.mark.parametrize(
    ("accept_encoding", "expected"),
    [
        ("gzip, deflate, br", True),
        ("GZIP;q=0.5", True),
        ("*", True),
        ("", False),
        ("br", False),
        ("gzip;q=0", False),
        ("gzip;q=0, *", False),
        ("gzip;q=x", False),
    ],
)
def test_gzip_is_used_when_the_client_takes_it(accept_encoding: str, expected: bool):
    """RFC 9110 section 12.5.3."""
    assert accepts_gzip(accept_encoding) is expected


def test_a_short_body_is_not_worth_compressing():
    body = b"a" * (LIMITS.gzip_from_bytes - 1)
    assert fit(body, "gzip", LIMITS) == Fitted(body, len(body) * 6, gzipped=False)


def test_a_compressed_body_is_measured_as_base64():
    body = b"a" * LIMITS.gzip_from_bytes
    fitted = fit(body, "gzip", LIMITS)
    assert (gzip.decompress(fitted.body), fitted.gzipped) == (body, True)
    assert fitted.encoded == (len(fitted.body) + 2) // 3 * 4


@pytest.mark.parametrize(
    ("content", "each"),
    [('"', 4), ("\n", 3), ("\x01", 7), ("a", 1), ("é", 2), ("\\", 4)],
)
def test_a_plain_body_is_measured_as_a_json_string_in_the_proxy_response(content: str, each: int):
    """aws.md: in HTML inside JSON ``"`` costs 4 bytes, a newline 3, a control character 7."""
    count = 50_000
    body = json.dumps(content * count, ensure_ascii=False).encode()
    outer_quotes = 2 * len('\\"') + 2
    assert encoded_size(body, SMALL) == count * each + outer_quotes


def test_bytes_that_are_no_text_are_measured_as_base64():
    assert encoded_size(b"\xff" * 30_000, SMALL) == 40_000


async def test_a_large_answer_is_compressed_for_a_client_that_takes_it():
    service = Service(Answer([text_block("a" * 100_000)]))
    async with client_of(app_of(service)) as client:
        packed = await client.post(CALL.having(accept_encoding="gzip"))
        plain = await client.post(CALL.having(accept_encoding="identity"))
    assert (packed.headers["content-encoding"], packed.headers["vary"]) == ("gzip", "Accept-Encoding")
    assert int(packed.headers["content-length"]) < 2_000
    assert "content-encoding" not in plain.headers
    assert packed.json() == plain.json()


async def test_what_fits_only_compressed_is_sent_compressed():
    service = Service(Answer([text_block("a" * 100_000)]))
    async with client_of(app_of(service, limits=SMALL)) as client:
        packed = await client.post(CALL.having(accept_encoding="gzip"))
        plain = await client.post(CALL.having(accept_encoding="identity"))
    assert "isError" in packed.json()["result"]
    assert packed.json()["result"]["isError"] is False
    assert plain.json()["result"]["isError"] is True


@pytest.mark.parametrize(
    "request_", [modern("tools/call", call("blocks"), id="a"), legacy("tools/call", call("blocks"), id="a")]
)
async def test_a_result_that_does_not_fit_becomes_a_failure_under_its_own_id(request_: object):
    image: JsonObject = {"type": "image", "data": noise(80_000), "mimeType": "image/png"}
    service = Service(Answer([text_block("here"), image], {"n": 1}))
    async with client_of(app_of(service, limits=SMALL)) as client:
        answer = await client.post(request_)  # pyright: ignore[reportArgumentType]
    assert (answer.status_code, answer.json()["id"]) == (200, "a")
    result = answer.json()["result"]
    error = result["structuredContent"]["error"]
    assert (result["isError"], error["code"], error["retryable"]) == (True, "result_too_large", False)
    assert "40,000 fit. Its largest part is the image block 1 with 80," in error["message"]
    assert "select fields" in error["message"]


async def test_the_backstop_keeps_any_other_response_from_killing_the_runtime():
    many = [definition(f"tool_{index}", {"note": noise(2_000)}) for index in range(50)]
    async with client_of(app_of(Service(definitions=many), limits=SMALL)) as client:
        answer = await client.post(modern("tools/list").having(accept_encoding="identity"))
    error = {"code": "result_too_large", "message": "The response was too large to send."}
    assert (answer.status_code, answer.json()) == (500, {"error": error})
