"""Downstreams whose TLS is wrong, each a process's real socket: final, because nobody's retry puts it right."""

import asyncio
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest

from connecta.connectors import transport
from connecta.text import Json, JsonObject
from tests.fixtures.misbehaving_process import MisbehavingProcess, misbehaving_process
from tests.fixtures.things import opened, outcome

UNTRUSTED: JsonObject = {
    "code": "unavailable",
    "message": '"things" could not be reached securely: its TLS certificate cannot be trusted, or it does not speak '
    "TLS. Its owner has to correct that.",
    "retryable": False,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("certificates")


@pytest.fixture(scope="module")
def process(folder: Path) -> Iterator[MisbehavingProcess]:
    with misbehaving_process(folder) as running:
        yield running


@pytest.fixture
def trusting(process: MisbehavingProcess, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The authority of these tests is trusted as those of the system are."""
    context = ssl.create_default_context(cafile=folder / "authority.pem")
    monkeypatch.setattr(transport, "tls", lambda: context)


async def called_once(kind: str, url: str, deadline_s: float = 20.0) -> Json:
    connection = opened(kind, url)
    try:
        return await outcome(connection, deadline_s)
    finally:
        await connection.close()


@pytest.mark.usefixtures("trusting")
@pytest.mark.parametrize(("kind", "well"), [("api", {"well": True}), ("mcp", "well")])
async def test_a_certificate_of_a_trusted_authority_for_this_host_is_taken(
    process: MisbehavingProcess, kind: str, well: Json
) -> None:
    assert await called_once(kind, process.tls["good"]) == well


@pytest.mark.usefixtures("trusting")
@pytest.mark.parametrize("kind", ["api", "mcp"])
@pytest.mark.parametrize("wrong", ["self-signed", "expired", "not yet valid", "of another host", "plain text"])
async def test_what_is_wrong_about_tls_is_final(process: MisbehavingProcess, kind: str, wrong: str) -> None:
    assert await called_once(kind, process.tls[wrong]) == UNTRUSTED


@pytest.mark.parametrize("kind", ["api", "mcp"])
async def test_an_authority_nobody_knows_is_final(process: MisbehavingProcess, kind: str) -> None:
    assert await called_once(kind, process.tls["good"]) == UNTRUSTED


@pytest.mark.parametrize("kind", ["api", "mcp"])
async def test_a_server_that_takes_no_connection_is_given_up_at_the_deadline(kind: str) -> None:
    """Its queue is full, so that nothing answers at all, as behind a firewall that drops."""
    said = "finish" if kind == "api" else "answer"
    with socket.socket() as deaf, socket.socket() as first, socket.socket() as second:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(0)
        for waiting in (first, second):
            waiting.setblocking(False)
            waiting.connect_ex(deaf.getsockname())
        assert await called_once(kind, f"http://127.0.0.1:{deaf.getsockname()[1]}", 0.5) == {
            "code": "timeout",
            "message": f"things.look did not {said} within 0.5 s.",
            "retryable": True,
        }


@pytest.mark.parametrize("kind", ["api", "mcp"])
async def test_a_handshake_that_breaks_off_may_be_tried_again(kind: str) -> None:
    """Unlike a certificate that is wrong, this passes by itself."""

    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.close()

    async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as server:
        found = await called_once(kind, f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    assert found == {"code": "unavailable", "message": '"things" could not be reached.', "retryable": True}
