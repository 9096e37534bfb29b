"""The two downstreams of the shop as processes of their own, on loopback."""

import os
import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, build_opener

HOST = "127.0.0.1"
START_S = 30.0
ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class ShopUrls:
    """Where the shop's HTTP API and its MCP server are."""

    api: str
    mcp: str


@contextmanager
def running_servers(at: ShopUrls | None = None) -> Generator[ShopUrls]:
    """Both servers, at the ports of ``at`` or at free ones, answering until the block ends or this process does.

    Raises ``RuntimeError`` when a port is taken or a server does not come up.
    """
    with ExitStack() as running:
        api = running.enter_context(serving_process("examples.shop.service", _port(at.api) if at else 0))
        mcp = running.enter_context(serving_process("examples.shop.documents", _port(at.mcp) if at else 0))
        yield ShopUrls(api, f"{mcp}/mcp")


@contextmanager
def serving_process(module: str, port: int) -> Generator[str]:
    """``module`` as a child that serves on a socket opened here: nobody can take the port in between, and whoever
    connects early waits instead of failing."""
    with _listening(port) as listening:
        descriptor, url = listening.fileno(), f"http://{HOST}:{listening.getsockname()[1]}"
        child = subprocess.Popen(
            [sys.executable, "-m", module, str(descriptor)],
            stdin=subprocess.PIPE,
            pass_fds=[descriptor],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
    try:
        _wait_until_ready(url, module)
        yield url
    finally:
        child.terminate()
        child.communicate()


def _listening(port: int) -> socket.socket:
    opened = socket.socket()
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        opened.bind((HOST, port))
    except OSError as error:
        opened.close()
        raise RuntimeError(f"Port {port} is taken, and the example shop needs it. Stop what listens there.") from error
    opened.listen(128)
    return opened


def _wait_until_ready(url: str, module: str) -> None:
    try:
        # Proxies of the environment are for other hosts than this one.
        with build_opener(ProxyHandler({})).open(f"{url}/ready", timeout=START_S) as answer:
            answer.read()
    except OSError as error:
        raise RuntimeError(f"{module} did not come up; what it printed says why.") from error


def _port(url: str) -> int:
    return urlsplit(url).port or 0
