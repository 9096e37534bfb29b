"""Clients that other people wrote, unmodified: each finds its way in from the URL alone, with a person who signs in and
agrees in Chromium, then lists the tools and runs a program (auth.md "The embedded authorization server")."""

import asyncio
import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.auth import OAuthClientProvider, TokenStorage
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl

from tests.clients.person import Person
from tests.fixtures.job import TOOL_NAMES
from tests.fixtures.local_server import LocalServer
from tests.fixtures.node import NodeProject
from tests.fixtures.processes import free_port

PROGRAM = "async () => 6 * 7"
ANSWER = {"result": 42}
CLAUDE_CODE = "https://claude.ai/oauth/claude-code-client-metadata"
INSPECTOR = Path("node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js")
MCP_REMOTE = Path("node_modules/mcp-remote/dist/proxy.js")
FASTMCP = Path(__file__).with_name("fastmcp_client.py")
RUN_S = 90.0


@dataclass
class Kept(TokenStorage):
    """What the SDK's client keeps, for as long as the test."""

    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


def sdk_auth(url: str, person: Person, kept: Kept, document: str | None) -> OAuthClientProvider:
    """The SDK's OAuth client, whose browser is the person's."""
    landed: list[str] = []

    async def redirect(address: str) -> None:
        landed.append(await person.agrees(address))

    async def callback() -> AuthorizationCodeResult:
        answer = parse_qs(urlsplit(landed.pop()).query)
        return AuthorizationCodeResult(code=answer["code"][0], state=answer["state"][0], iss=answer["iss"][0])

    redirect_uri = AnyUrl(f"http://127.0.0.1:{person.browser.client}/callback")
    metadata = OAuthClientMetadata(client_name="SDK", redirect_uris=[redirect_uri])
    return OAuthClientProvider(url, metadata, kept, redirect, callback, client_metadata_url=document)


async def seen_by(client: Client) -> tuple[list[str], Any]:
    async with client:
        tools = await client.list_tools()
        result = await client.call_tool("execute_code", {"code": PROGRAM})
    return [tool.name for tool in tools.tools], result.structured_content


@pytest.mark.parametrize("document", [None, CLAUDE_CODE], ids=["registers", "has a document"])
async def test_the_python_sdk_s_oauth_client(server: LocalServer, person: Person, document: str | None):
    kept = Kept()
    auth = sdk_auth(server.url, person, kept, document)
    async with httpx2.AsyncClient(auth=auth, trust_env=False, timeout=RUN_S) as http:
        seen = await seen_by(Client(streamable_http_client(server.url, http_client=http)))
    assert seen == (TOOL_NAMES, ANSWER)
    assert kept.client is not None
    assert kept.client.client_id == document or (document is None and kept.client.client_id.startswith("ctc_"))


def test_fastmcp_s_client(server: LocalServer, person: Person, fastmcp_python: Path):
    said = run(person, fastmcp_python, FASTMCP, server.url, PROGRAM)
    assert json.loads(said) == {"tools": TOOL_NAMES, "answer": ANSWER}


async def test_mcp_remote(server: LocalServer, person: Person, npm_clients: NodeProject, tmp_path: Path):
    """As Claude Desktop runs it: a server on stdio that is this one from afar."""
    arguments = [str(npm_clients.folder / MCP_REMOTE), server.url, str(free_port())]
    remote = StdioServerParameters(command=str(npm_clients.node), args=arguments, env=person.environ)
    with (tmp_path / "remote.log").open("w") as log:
        agreeing = asyncio.create_task(asyncio.to_thread(person.lets_in))
        seen = await seen_by(Client(stdio_client(remote, errlog=log)))
        await agreeing
    assert seen == (TOOL_NAMES, ANSWER)


def test_the_inspector_on_the_command_line(server: LocalServer, person: Person, npm_clients: NodeProject):
    """A command in each era; those after the first come in with what it was given."""
    callback = f"http://127.0.0.1:{free_port()}/oauth/callback"
    usual = ("--cli", server.url, "--transport", "http", "--callback-url", callback, "--format", "json")
    command = (npm_clients.node, npm_clients.folder / INSPECTOR, *usual)
    listed = run(person, *command, "--method", "tools/list")
    assert [tool["name"] for tool in json.loads(listed)["result"]["tools"]] == TOOL_NAMES
    program = ("--tool-name", "execute_code", "--tool-args-json", json.dumps({"code": PROGRAM}))
    for era in ("legacy", "modern"):
        call = (*command, "--stored-auth-only", "--protocol-era", era, "--method", "tools/call", *program)
        assert json.loads(run(person, *call, asks=False))["result"]["structuredContent"] == ANSWER


def run(person: Person, *command: str | Path, asks: bool = True) -> str:
    """What a client printed that ``asks`` for a person to sign in, or does not. The Inspector is told that there is a
    browser and to keep tokens in a file, since there is neither a terminal nor a keychain."""
    environ = {**person.environ, "MCP_AUTO_OPEN_ENABLED": "true", "MCP_INSPECTOR_SECRET_STORE": "file"}
    with subprocess.Popen(
        command, env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            if asks:
                person.lets_in()
            said, complaints = process.communicate(timeout=RUN_S)
        finally:
            process.kill()
    assert process.returncode == 0, complaints[-4000:]
    return said
