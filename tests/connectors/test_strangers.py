"""Fetching a stranger's document: nothing private, nothing large, nothing by way of somewhere else, nothing slow."""

from collections.abc import Iterator

import pytest

from connecta.auth.exchange import document
from connecta.connectors.strangers import exchange
from connecta.failures import Failure
from tests.fixtures.http_server import Handler, serving

LIMIT = 1_000
HUGE = 50 * 1024 * 1024


@pytest.fixture
def asked() -> list[str]:
    """The paths the stranger was asked for."""
    return []


@pytest.fixture
def stranger(asked: list[str]) -> Iterator[str]:
    """The origin of a server on this machine that answers in every wrong way there is."""

    class Answer(Handler):
        def do_GET(self) -> None:
            asked.append(self.path)
            if self.path == "/redirects":
                self.head(302, location="/good")
            elif self.path == "/declares-too-much":
                self.head(200, content_length=str(HUGE))
            elif self.path == "/sends-too-much":
                self.head(200)
                try:
                    for _ in range(HUGE // LIMIT):
                        self.wfile.write(b"x" * LIMIT)
                except OSError:
                    asked.append("cut off")
            elif self.path == "/compressed":
                self.head(200, content_encoding="gzip", content_length="1")
            elif self.path == "/missing":
                self.reply(404)
            elif self.path == "/never":
                self.rfile.read(1)
            else:
                self.reply(200, b"{}")

    with serving(Answer) as url:
        yield url


async def test_a_document_is_its_bytes(stranger: str):
    assert await document(exchange(allow_private=True), f"{stranger}/good?x=1", limit=2, wait_s=10) == b"{}"


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/redirects", "connector_call_failed"),
        ("/declares-too-much", "result_too_large"),
        ("/sends-too-much", "result_too_large"),
        ("/compressed", "connector_call_failed"),
        ("/missing", "connector_call_failed"),
        ("/never", "timeout"),
    ],
)
async def test_anything_but_a_small_document_is_refused(stranger: str, asked: list[str], path: str, code: str):
    ask, wait_s = exchange(allow_private=True), 1 if path == "/never" else 10
    with pytest.raises(Failure) as refused:
        await document(ask, f"{stranger}{path}", limit=LIMIT, wait_s=wait_s)
    assert refused.value.code == code
    assert asked[0] == path
    assert "/good" not in asked


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "169.254.169.254", "10.0.0.1"])
async def test_a_private_address_is_not_even_asked(stranger: str, asked: list[str], host: str):
    port = stranger.rpartition(":")[2]
    for scheme in ("https", "http"):
        with pytest.raises(Failure, match=r"network address|own https address"):
            await document(exchange(), f"{scheme}://{host}:{port}/good", limit=LIMIT, wait_s=10)
    assert asked == []


@pytest.mark.parametrize("url", ["https://a.example:99999/", "not a url", "https://[::1/"])
async def test_what_is_no_address_is_refused(url: str):
    with pytest.raises(Failure):
        await document(exchange(), url, limit=LIMIT, wait_s=10)
