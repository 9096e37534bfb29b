"""The local server: the deployment on loopback, its state in an emulator that survives restarts."""

import asyncio
import importlib
import os
import socket
import sys
import webbrowser
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, suppress
from pathlib import Path
from typing import Any

import uvicorn

from connecta.auth.callers import SECRET_VARIABLE, TOKEN_VARIABLE, Bearer, Open
from connecta.auth.sign_in.secret import FILE_VARIABLE
from connecta.auth.vault.keys import FILE_VARIABLE as KEY_FILE_VARIABLE
from connecta.auth.vault.local_key import FILE as KEY_FILE
from connecta.composition import Application, compose, load_deployment
from connecta.deployment import Connecta, DeploymentError
from connecta.local.emulator import EmulatorError, running_emulator
from connecta.local.errors import CommandError
from connecta.local.passphrase import local_secret
from connecta.local.preview.site import PATH, About, local_site

HOST = "127.0.0.1"
TABLE = "connecta"

PROGRAM = """async () => {
  const { tools } = await connecta.search({ safety: "readOnly" });
  await connecta.ui("<h1>It works</h1><ul>" + tools.map((t) => `<li>${t.address}</li>`).join("") + "</ul>");
  return tools.map((t) => t.address);
}"""


class StartError(CommandError):
    """The server cannot start; the message says what to change."""


def serve(deployment: str, port: int, data: Path, *, show_preview: bool = False) -> None:
    """Serve until interrupted; with ``show_preview`` a browser is opened. Raises ``StartError``."""
    with ExitStack() as running:
        # Claimed before anything else is started. The views' port is any: only the page has to know it.
        listening = [running.enter_context(_listening(each)) for each in (port, 0)]
        sys.path.insert(0, os.getcwd())
        try:
            running.enter_context(_local_servers(deployment))
            loaded = load_deployment(deployment)
            endpoint = running.enter_context(running_emulator(data))
        except (ValueError, RuntimeError, ImportError, DeploymentError, EmulatorError) as error:
            raise StartError(str(error)) from error
        environ = {FILE_VARIABLE: str(local_secret(data)), KEY_FILE_VARIABLE: str(data / KEY_FILE), **os.environ}
        application = compose(loaded, table=TABLE, endpoint_url=endpoint, environ=environ)
        token = _wants_token(loaded)
        about = About(deployment, token=token, port=port, sandbox_port=listening[1].getsockname()[1])
        print(banner(port, deployment, token=token), flush=True)
        if show_preview:
            open_page(preview_url(port))
        # Ctrl-C is how it is meant to stop.
        with suppress(KeyboardInterrupt):
            asyncio.run(_serve(application, about, listening))


def _listening(port: int) -> socket.socket:
    try:
        return socket.create_server((HOST, port))
    except OSError:
        raise StartError(f"Port {port} is taken. Stop what listens there, or choose another with --port.") from None


def open_page(url: str) -> None:
    """Open ``url`` in a browser with windows, where this machine has a screen for one."""
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return
    webbrowser.open(url)


def _local_servers(deployment: str) -> AbstractContextManager[Any]:
    """What the deployment's module starts beside the server, if it has a ``start_local_servers()``."""
    try:
        module = importlib.import_module(deployment.partition(":")[0])
    except ImportError as error:
        raise StartError(f"The deployment {deployment!r} cannot be imported: {error}.") from error
    start: Callable[[], AbstractContextManager[Any]] | None = getattr(module, "start_local_servers", None)
    return start() if start else ExitStack()


async def _serve(application: Application, about: About, listening: list[socket.socket]) -> None:
    await application.sandbox.warm()
    site = local_site(application.asgi, about)
    server = uvicorn.Server(
        uvicorn.Config(site, log_level="warning", lifespan="off", access_log=False, proxy_headers=False)
    )
    try:
        await server.serve(sockets=listening)
    finally:
        await application.close()


def _wants_token(deployment: Connecta) -> bool:
    """Whether clients must send a token. Raises ``StartError`` where none could be the right one."""
    if any(isinstance(kind, Open) for kind in deployment.auth) or not deployment.auth:
        return False
    configured = bool(os.environ.get(TOKEN_VARIABLE) or os.environ.get(SECRET_VARIABLE))
    if not configured and all(isinstance(kind, Bearer) for kind in deployment.auth):
        raise StartError(
            f"This deployment lets in who sends its token, and there is none: set {TOKEN_VARIABLE}, for example "
            f"{TOKEN_VARIABLE}=test python -m connecta dev …"
        )
    return configured


def preview_url(port: int) -> str:
    return f"http://{HOST}:{port}{PATH}"


def banner(port: int, deployment: str, *, token: bool) -> str:
    """What a person who just started the server needs next."""
    url = f"http://{HOST}:{port}/mcp"
    flag = f' --header "Authorization: Bearer ${TOKEN_VARIABLE}"' if token else ""
    headers = f', "headers": {{"Authorization": "Bearer ${{env:{TOKEN_VARIABLE}}}"}}' if token else ""
    return f"""
Connecta serves {deployment} at

    {url}

Claude Code     claude mcp add --transport http connecta {url}{flag}
Cursor          in .cursor/mcp.json: {{"mcpServers": {{"connecta": {{"url": "{url}"{headers}}}}}}}
MCP Inspector   npx @modelcontextprotocol/inspector, then Streamable HTTP and the URL above

Your own pages (connectors, credentials, access, activity):

    http://{HOST}:{port}/

Write programs and see their views, in a host made for that:

    {preview_url(port)}

A program to try with execute_code:

{PROGRAM}

Stop with Ctrl-C; the state stays.
"""
