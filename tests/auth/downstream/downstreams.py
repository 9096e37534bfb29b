"""Downstreams with authorization servers of their own, as processes, and a person who agrees to everything."""

import re
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol
from urllib.parse import parse_qsl, urljoin, urlsplit

import httpx2

from connecta.auth.downstream.model import Downstream, callback_of
from connecta.auth.downstream.oauth import DownstreamOAuth
from examples.shop.servers import serving_process
from tests.fixtures.node import NodeProject
from tests.fixtures.processes import free_port, wait_for_port

ORIGIN: Final = "https://tools.example.com"
START_S: Final = 90.0


class Running(Protocol):
    """A downstream that is running at ``origin``."""

    origin: str

    async def consent(self, url: str, *, agrees: bool = True) -> dict[str, str]:
        """The query a person who was sent to ``url`` comes back with."""
        ...


async def asked(url: str, **parameters: str) -> dict[str, Any]:
    async with httpx2.AsyncClient(trust_env=False, timeout=60) as client:
        answer = await client.get(url, params=parameters)
        assert answer.status_code == 200, answer.text
        return answer.json()


async def connect(oauth: DownstreamOAuth, server: Downstream, running: Running) -> None:
    """The whole way of a person who agrees."""
    parameters = await running.consent(await oauth.begin(server, origin=ORIGIN, by="owner"))
    await oauth.finish(server, parameters, origin=ORIGIN)


@dataclass
class SdkDownstream:
    origin: str

    async def consent(self, url: str, *, agrees: bool = True) -> dict[str, str]:
        async with httpx2.AsyncClient(trust_env=False, timeout=60) as client:
            answer = await client.get(url)
        return came_back_with(answer.headers["location"])

    async def told(self, **control: Any) -> None:
        """Does this from now on, and nothing else out of the ordinary."""
        async with httpx2.AsyncClient(trust_env=False, timeout=60) as client:
            assert (await client.post(f"{self.origin}/control", json=control)).status_code == 200

    async def seen(self) -> dict[str, Any]:
        return await asked(f"{self.origin}/seen")


@dataclass
class NodeDownstream:
    origin: str

    async def consent(self, url: str, *, agrees: bool = True) -> dict[str, str]:
        """Signs in, and agrees, on the pages the provider has for trying it out."""
        async with httpx2.AsyncClient(trust_env=False, timeout=60) as client:
            answer = await client.get(url)
            while True:
                while answer.is_redirect:
                    at = urljoin(str(answer.url), answer.headers["location"])
                    if at.startswith(ORIGIN):
                        return came_back_with(at)
                    answer = await client.get(at)
                assert answer.status_code == 200, answer.text
                if not agrees and 'value="consent"' in answer.text:
                    answer = await client.get(f"{answer.url}/abort")
                    continue
                [prompt] = re.findall(r'name="prompt" value="(\w+)"', answer.text)
                form = {"prompt": prompt, **({"login": "owner", "password": "any"} if prompt == "login" else {})}
                answer = await client.post(str(answer.url), data=form)


def came_back_with(location: str) -> dict[str, str]:
    assert location.startswith(callback_of(ORIGIN, "notes")), location
    return dict(parse_qsl(urlsplit(location).query))


@contextmanager
def sdk_downstream() -> Generator[SdkDownstream]:
    with serving_process("tests.auth.downstream.sdk_process", 0) as origin:
        yield SdkDownstream(origin)


@contextmanager
def node_downstream(project: NodeProject, folder: Path, client_document: str = "") -> Generator[NodeDownstream]:
    port, log = free_port(), folder / "authorization_server.log"
    command = [project.node, project.folder / "authorization_server.js", str(port), client_document]
    with log.open("wb") as output, subprocess.Popen(command, stdout=output, stderr=output) as process:
        try:
            wait_for_port(port, process, log, START_S)
            yield NodeDownstream(f"http://127.0.0.1:{port}")
        finally:
            process.terminate()
