"""The suite's scenarios for authorization servers against the embedded one, with a person who signs in and agrees."""

import asyncio
import json
import re
from pathlib import Path
from urllib.parse import urljoin

import httpx2
import pytest

from connecta.local.doctor.forms import Form, forms_in
from tests.fixtures.doctored_deployment import PASSPHRASE
from tests.fixtures.local_server import running_local_server
from tests.fixtures.node import NodeProject
from tests.fixtures.processes import free_port
from tests.local.doctor.conftest import DEPLOYMENT, set_passphrase

SUITE = Path("node_modules/@modelcontextprotocol/conformance/dist/index.js")
RUN_S = 120.0


@pytest.fixture(scope="session")
def origin(tmp_path_factory: pytest.TempPathFactory):
    """Of a deployment that people sign in to."""
    data = tmp_path_factory.mktemp("authorization")
    set_passphrase(data)
    with running_local_server(data, DEPLOYMENT, {"DOCTORED_TOKEN": "unused"}) as server:
        yield server.origin


async def registered(origin: str, redirect_uri: str) -> str:
    async with httpx2.AsyncClient(trust_env=False, timeout=60) as http:
        answer = await http.post(
            f"{origin}/oauth/register", json={"client_name": "Suite", "redirect_uris": [redirect_uri]}
        )
        return answer.json()["client_id"]


async def sign_in_and_agree(url: str, origin: str) -> None:
    """What a person does in their browser, to the page of the application at the end."""
    async with httpx2.AsyncClient(trust_env=False, timeout=60, follow_redirects=True) as browser:
        page = await browser.get(url)
        for filled in (("passphrase", PASSPHRASE), ("action", "allow")):
            form = _form(page, filled[0])
            fields = dict([*form.hidden, *form.buttons[:1], filled])
            target = urljoin(str(page.url), form.action)
            page = await browser.post(target, data=fields, headers={"origin": origin})
        assert page.text == "OK. You can close this page."


def results_in(folder: Path) -> dict[str, str]:
    checks = [check for file in folder.glob("*/checks.json") for check in json.loads(file.read_text())]
    return {check["id"]: check["status"] for check in checks}


def _form(page: httpx2.Response, field: str) -> Form:
    forms = forms_in(page.content)
    return next(form for form in forms if form.password == field or any(name == field for name, _ in form.buttons))


async def test_the_embedded_server_passes_what_the_suite_asks_of_authorization_servers(
    origin: str, conformance: NodeProject, tmp_path: Path
):
    port = free_port()
    client = await registered(origin, f"http://127.0.0.1:{port}/callback")
    arguments = ["--url", origin, "--client-id", client, "--resource", f"{origin}/mcp", "-p", str(port)]
    suite = await asyncio.create_subprocess_exec(
        conformance.node,
        SUITE,
        "authorization",
        *arguments,
        "-o",
        tmp_path,
        cwd=conformance.folder,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    assert suite.stdout is not None
    said = ""
    async with asyncio.timeout(RUN_S):
        async for line in suite.stdout:
            said += line.decode()
            if re.match(rf"{re.escape(origin)}/oauth/authorize\?", line.decode()):
                await sign_in_and_agree(line.decode().strip(), origin)
        status = await suite.wait()
    assert results_in(tmp_path) == {
        "authorization-server-metadata": "SUCCESS",
        "authorization-server-metadata-cimd": "SUCCESS",
        "authorization-code-grant": "SUCCESS",
    }, said
    assert status == 0
