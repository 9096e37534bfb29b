"""The guarded transport: which addresses are reached at all, and that nothing else is (mcp.md, "Downstream client")."""

import asyncio
import socket
import ssl
from typing import Any

import pytest

from connecta.connectors.transport import guarded_client, is_public, tls
from connecta.failures import Failure
from tests.fixtures.misbehaving_server import MisbehavingServer

PRIVATE = (
    '"things" points at a network address this deployment does not connect to. Its owner allows '
    "private addresses with allow_private=True; plain http stays limited to them."
)
NOT_ITS_OWN = '"things" may only be reached at its own https address.'


async def refusal(url: str, *, allow_private: bool, path: str = "/") -> str:
    async with guarded_client(url, "things", allow_private=allow_private, limit=1_000) as client:
        with pytest.raises(Failure) as caught:
            await client.get(path)
    return caught.value.message


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1:248:1893:25c8:1946", True),
        ("127.0.0.1", False),
        ("10.1.2.3", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("::1", False),
        ("fe80::1%eth0", False),
        ("fd00:ec2::254", False),
        ("::ffff:10.0.0.1", False),
        ("::ffff:169.254.169.254", False),
        ("::ffff:0:10.0.0.1", False),
        ("::10.0.0.1", False),
        ("::", False),
        ("64:ff9b::10.0.0.1", False),
        ("64:ff9b::93.184.216.34", True),
        ("64:ff9b:1::93.184.216.34", False),
        ("2002:a00:1::1", False),
        ("2002:5db8:d822::1", False),
        ("2001:0:a00:1::1", False),
        ("fec0::1", False),
        ("fc00::1", False),
        ("ff0e::1", False),
        ("2001:db8::1", False),
        ("192.0.2.1", False),
        ("192.168.0.1", False),
        ("172.31.255.255", False),
        ("198.18.0.1", False),
        ("240.0.0.1", False),
        ("255.255.255.255", False),
    ],
)
def test_only_addresses_of_the_public_internet_are_public(address: str, public: bool) -> None:
    assert is_public(address) is public


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "localhost", "[::1]", "169.254.169.254", "[::ffff:127.0.0.1]"),
        *("2130706433", "0x7f000001", "127.1", "0", "[::]", "[64:ff9b::7f00:1]"),
    ],
)
async def test_a_private_address_is_refused_before_anything_is_sent(host: str) -> None:
    assert await refusal(f"https://{host}:9", allow_private=False) == PRIVATE


async def test_every_address_of_a_name_is_judged_and_the_judged_one_is_connected_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A name that has a public and a private address, or another one at the second look, must not get through."""
    asked: list[str] = []

    async def resolve(host: str, *_: object, **__: object) -> list[Any]:
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (a, 443)) for a in ("93.184.216.34", "10.0.0.1")]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", resolve)
    assert await refusal("https://rebinding.example", allow_private=False) == PRIVATE
    assert asked == ["rebinding.example"]


async def test_plain_http_needs_allow_private_and_then_stays_private() -> None:
    assert await refusal("http://127.0.0.1:9", allow_private=False) == NOT_ITS_OWN
    assert await refusal("http://93.184.216.34", allow_private=True) == PRIVATE


@pytest.mark.parametrize(
    "elsewhere", ["https://other.example/", "http://things.example/", "https://things.example:444/"]
)
async def test_no_other_origin_is_reached(elsewhere: str) -> None:
    assert await refusal("https://things.example", allow_private=False, path=elsewhere) == NOT_ITS_OWN


async def test_a_name_that_does_not_resolve_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    async def resolve(*_: object, **__: object) -> list[Any]:
        raise socket.gaierror(socket.EAI_NONAME, "no such host")

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", resolve)
    assert await refusal("https://nowhere.example", allow_private=False) == '"things" could not be reached.'


async def test_the_next_address_is_tried_when_one_does_not_answer(
    server: MisbehavingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lambda has no way out over IPv6, which most names resolve to first."""

    async def resolve(*_: object, **__: object) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (a, server.port)) for a in ("127.0.0.2", "127.0.0.1")]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", resolve)
    async with guarded_client(server.url, "things", allow_private=True, limit=1_000) as client:
        assert (await client.get("/")).json() == {"well": True}


async def test_proxies_of_the_environment_are_ignored(
    server: MisbehavingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    async with guarded_client(server.url, "things", allow_private=True, limit=1_000) as client:
        assert (await client.get("/")).json() == {"well": True}


@pytest.mark.parametrize(("limit", "fits"), [(len(b'{"well":true}'), True), (len(b'{"well":true}') - 1, False)])
async def test_a_body_of_exactly_the_limit_is_read(server: MisbehavingServer, limit: int, fits: bool) -> None:
    async with guarded_client(server.url, "things", allow_private=True, limit=limit) as client:
        if fits:
            assert (await client.get("/")).content == b'{"well":true}'
        else:
            with pytest.raises(Failure, match=f"more than {limit} bytes"):
                await client.get("/")


def test_the_one_tls_context_verifies_certificates_and_names() -> None:
    assert tls() is tls()
    assert (tls().verify_mode, tls().check_hostname) == (ssl.CERT_REQUIRED, True)
