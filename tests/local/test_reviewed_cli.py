"""``python -m connecta reviewed`` as a person runs it, against a real MCP server whose tools change."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from connecta.auth.vault.keys import FILE_VARIABLE, keys_in
from connecta.auth.vault.local_key import FILE
from connecta.auth.vault.slots import Slots
from connecta.auth.vault.vault import Vault
from connecta.local.emulator import reachable_emulator
from connecta.local.states import LOCAL_TABLE
from connecta.state import open_state
from tests.fixtures.misbehaving_server import MisbehavingServer, misbehaving_server

ROOT = Path(__file__).parents[2]
DEPLOYMENT = """
from pathlib import Path
from connecta import Connecta, Open, remote_mcp

LIST = Path(__file__).with_name("docs.tools.json")
docs = remote_mcp("docs", url="{url}/mcp", allow_private=True, read_only={{"look"}}, reviewed={reviewed})
other = remote_mcp("other", url="{url}/mcp", allow_private=True)
deployment = Connecta(connectors=[docs, other], auth=[Open()])
"""
LOOK: dict[str, Any] = {"name": "look", "description": "Look.", "inputSchema": {"type": "object"}}
SAVE: dict[str, Any] = {"name": "save", "inputSchema": {}, "annotations": {"destructiveHint": True}}


@pytest.fixture
async def server() -> AsyncIterator[MisbehavingServer]:
    async with misbehaving_server() as running:
        yield running


def lists(server: MisbehavingServer, *tools: dict[str, Any]) -> None:
    server.answers["tools/list"] = {"tools": list(tools), "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}


def deploy(folder: Path, server: MisbehavingServer, reviewed: str) -> None:
    (folder / "deployment.py").write_text(DEPLOYMENT.format(url=server.url, reviewed=reviewed))


async def fill_in(data: Path, deployment: str, connector: str, value: str) -> None:
    """As the credentials page of the local server does."""
    vault = Vault(keys_in({FILE_VARIABLE: str(data / FILE)}), deployment)
    with reachable_emulator(data, table=LOCAL_TABLE) as endpoint_url:
        state = open_state(LOCAL_TABLE, deployment, endpoint_url=endpoint_url)
        await Slots(state.credentials, vault).put(connector, {"value": value}, "owner")
        await state.close()
    await vault.close()


async def run(folder: Path, *arguments: str) -> tuple[int, str, str]:
    """One run of the command in ``folder``: its status, and what it printed where."""
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "connecta", "reviewed", *arguments),
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    said, complained = await child.communicate()
    return child.returncode or 0, said.decode(), complained.decode()


async def test_a_list_is_written_once_and_then_drift_is_counted_against_it(
    server: MisbehavingServer, tmp_path: Path
) -> None:
    lists(server, LOOK, SAVE)
    deploy(tmp_path, server, "None")
    assert await run(tmp_path) == (0, "docs: 2 tools, no reviewed list\nother: 2 tools, no reviewed list\n", "")
    written = await run(tmp_path, "docs", "--write", "docs.tools.json")
    assert written == (0, "docs: 2 tools written to docs.tools.json\n", "")
    # What the server says, not what the deployment makes of it.
    assert json.loads((tmp_path / "docs.tools.json").read_text()) == {
        "look": {"annotations": {}, "description": "Look.", "inputSchema": {"type": "object"}},
        "save": {"annotations": {"destructiveHint": True}, "description": "", "inputSchema": {}},
    }
    deploy(tmp_path, server, "LIST")
    none = "0 added, 0 removed, 0 schema changed, 0 annotation changed"
    assert await run(tmp_path, "docs") == (0, f"docs: 2 tools, {none}\n", "")
    lists(server, {**LOOK, "inputSchema": {"type": "object", "required": ["id"]}}, {**SAVE, "name": "new"})
    some = "1 added, 1 removed, 1 schema changed, 0 annotation changed"
    assert await run(tmp_path, "docs") == (0, f"docs: 2 tools, {some}\n", "")
    assert (await run(tmp_path, "docs", "--write", "docs.tools.json"))[0] == 0
    assert await run(tmp_path, "docs") == (0, f"docs: 2 tools, {none}\n", "")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nobody"], '"nobody" is no remote_mcp(…) connector of this deployment; those are: docs, other.'),
        (["--write", "x.json"], "--write takes the tools of one connector; name it."),
        (["docs", "--write", "none/x.json"], "none/x.json cannot be written: No such file or directory."),
        (["docs", "--deployment", "deployment"], "A deployment is named module:name, like deployment:deployment; "),
    ],
)
async def test_a_mistake_is_one_sentence(
    server: MisbehavingServer, tmp_path: Path, arguments: list[str], complaint: str
) -> None:
    deploy(tmp_path, server, "None")
    status, said, complained = await run(tmp_path, *arguments)
    assert (status, said, complained.startswith(f"connecta: {complaint}")) == (1, "", True)


async def test_a_server_that_fails_is_one_sentence_and_leaves_the_list_alone(
    server: MisbehavingServer, tmp_path: Path
) -> None:
    deploy(tmp_path, server, "None")
    (tmp_path / "docs.tools.json").write_text("{}")
    server.behaviour = "503"
    message = 'The tools of "docs" could not be listed: "docs" failed on its side (HTTP 503).'
    assert await run(tmp_path, "docs", "--write", "docs.tools.json") == (1, "", f"connecta: {message}\n")
    assert (tmp_path / "docs.tools.json").read_text() == "{}"


async def test_a_server_that_wants_a_credential_is_asked_with_the_one_that_was_filled_in(
    server: MisbehavingServer, tmp_path: Path
) -> None:
    lists(server, LOOK)
    server.wants = "Bearer key-of-docs"
    (tmp_path / "deployment.py").write_text(
        "from connecta import Connecta, Credential, Open, remote_mcp\n"
        f"docs = remote_mcp('docs', url='{server.url}/mcp', allow_private=True, auth=Credential('Docs key'))\n"
        "deployment = Connecta(connectors=[docs], auth=[Open()])\n"
    )
    nowhere = "connecta: There is no local state in .connecta. Start a server with python -m connecta dev, "
    assert (await run(tmp_path))[2].startswith(nowhere)
    data = tmp_path / ".connecta"
    data.mkdir()
    wanted = 'connecta: "docs" needs the credential "Docs key": the operator fills it in on the credentials page.\n'
    assert await run(tmp_path) == (1, "", wanted)
    await fill_in(data, "connecta", "docs", "key-of-docs")
    assert await run(tmp_path) == (0, "docs: 1 tools, no reviewed list\n", "")
