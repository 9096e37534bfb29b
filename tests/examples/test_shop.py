"""The example shop: both servers are real processes, and its deployment reaches everything they offer."""

import os
import signal
import subprocess
import sys
import zlib
from base64 import b64decode
from collections.abc import Iterator
from urllib.request import ProxyHandler, build_opener

import pytest

from connecta import Connecta
from connecta.connectors.model import ToolResult
from connecta.failures import Failure
from connecta.text import JsonObject
from examples.shop.deployment import deployment, shop
from examples.shop.servers import ROOT, ShopUrls, running_servers


@pytest.fixture(scope="module")
def running() -> Iterator[Connecta]:
    with running_servers() as urls:
        yield shop(urls)


async def called(running: Connecta, connector: str, name: str, args: JsonObject | None = None) -> ToolResult:
    connection = running.by_id[connector].open()
    try:
        tools = {tool.name: tool for tool in await connection.list_tools()}
        return await connection.call(tools[name], args or {}, 10.0)
    finally:
        await connection.close()


async def test_orders_of_one_customer_add_up(running: Connecta) -> None:
    assert (await called(running, "shop", "list_orders", {"customer_id": "c-103", "status": "delivered"})).unwrap() == {
        "orders": [
            {"id": "o-2003", "customer_id": "c-103", "placed": "2026-06-21", "status": "delivered", "total": 91.6},
            {"id": "o-2008", "customer_id": "c-103", "placed": "2026-08-19", "status": "delivered", "total": 133.9},
        ],
        "count": 2,
    }


@pytest.mark.parametrize(("connector", "name"), [("shop", "revenue_chart"), ("documents", "order_flow")])
async def test_pictures_are_real_png_images(running: Connecta, connector: str, name: str) -> None:
    block = (await called(running, connector, name)).content[-1]
    data = b64decode(str(block["data"]))
    width, height = (int.from_bytes(data[start : start + 4]) for start in (16, 20))
    pixels = zlib.decompress(data[data.index(b"IDAT") + 4 : data.index(b"IEND") - 8])
    assert (block["mimeType"], data[:8]) == ("image/png", b"\x89PNG\r\n\x1a\n")
    assert len(pixels) == height * (1 + 3 * width)


async def test_a_refund_is_written_and_cannot_exceed_the_order(running: Connecta) -> None:
    refund: JsonObject = {"order_id": "o-2006", "amount": 36.5, "reason": "a broken mug"}
    assert (await called(running, "shop", "create_refund", refund)).unwrap() == {"id": "r-3001", **refund}
    with pytest.raises(Failure) as caught:
        await called(running, "shop", "create_refund", {**refund, "amount": 50})
    assert caught.value.code == "connector_call_failed"


async def test_writes_and_unannotated_tools_are_not_for_programs(running: Connecta) -> None:
    closed = {
        f"{connector.id}.{tool.name}"
        for connector in running.connectors
        for tool in await connector.open().list_tools()
        if not tool.annotations.program_may_call
    }
    assert closed == {"shop.create_refund", "shop.cancel_order", "documents.count_words", "documents.archive"}


def test_the_deployment_of_make_run_is_at_fixed_loopback_ports() -> None:
    assert {c.id: getattr(c, "url", None) for c in deployment.connectors} == {
        "shop": "http://127.0.0.1:8788",
        "documents": "http://127.0.0.1:8789/mcp",
    }


def test_a_taken_port_is_named() -> None:
    with running_servers() as urls, pytest.raises(RuntimeError, match=r"Port \d+ is taken"), running_servers(urls):
        pass


def test_the_servers_end_when_their_parent_is_killed() -> None:
    """A connection refused, not a zombie, is what is left."""
    program = (
        "import sys\nfrom examples.shop.servers import running_servers\n"
        "with running_servers() as urls:\n    print(urls.api, urls.mcp, flush=True)\n    sys.stdin.read()\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    urls = ShopUrls(*parent.stdout.readline().split())
    parent.send_signal(signal.SIGKILL)
    # Its output ends when the last process that holds it has ended: the children inherited it.
    parent.communicate(timeout=20)
    for url in (urls.api, urls.mcp):
        with pytest.raises(OSError, match="refused"):
            build_opener(ProxyHandler({})).open(url, timeout=5)
