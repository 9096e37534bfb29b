"""The local server: the deployment on loopback, its state in an emulator that survives restarts."""

import asyncio
import importlib
import os
import socket
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, suppress
from pathlib import Path
from typing import Any

import uvicorn

from connecta.auth.callers import SECRET_VARIABLE, TOKEN_VARIABLE, Open
from connecta.composition import Application, compose, load_deployment
from connecta.deployment import Connecta, DeploymentError
from connecta.local.emulator import EmulatorError, running_emulator
from connecta.local.errors import CommandError

HOST = "127.0.0.1"
TABLE = "connecta"

PROGRAM = """async () => {
  const { tools } = await connecta.search({ safety: "readOnly" });
  await connecta.ui("<h1>It works</h1><ul>" + tools.map((t) => `<li>${t.address}</li>`).join("") + "</ul>");
  return tools.map((t) => t.address);
}"""


class StartError(CommandError):
    """The server cannot start; the message says what to change."""


def serve(deployment: str, port: int, data: Path) -> None:
    """Serve until interrupted. Raises ``StartError``."""
    _claim(port)
    sys.path.insert(0, os.getcwd())
    with ExitStack() as running:
        try:
            running.enter_context(_local_servers(deployment))
            loaded = load_deployment(deployment)
            endpoint = running.enter_context(running_emulator(data))
        except (ValueError, RuntimeError, ImportError, DeploymentError, EmulatorError) as error:
            raise StartError(str(error)) from error
        application = compose(loaded, table=TABLE, endpoint_url=endpoint)
        print(banner(port, deployment, token=_wants_token(loaded)), flush=True)
        # Ctrl-C is how it is meant to stop.
        with suppress(KeyboardInterrupt):
            asyncio.run(_serve(application, port))


def _claim(port: int) -> None:
    """Refuse a port that is taken before anything else has been started."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            raise StartError(f"Port {port} is taken. Stop what listens there, or choose another with --port.") from None


def _local_servers(deployment: str) -> AbstractContextManager[Any]:
    """What the deployment's module starts beside the server, if it has a ``start_local_servers()``."""
    try:
        module = importlib.import_module(deployment.partition(":")[0])
    except ImportError as error:
        raise StartError(f"The deployment {deployment!r} cannot be imported: {error}.") from error
    start: Callable[[], AbstractContextManager[Any]] | None = getattr(module, "start_local_servers", None)
    return start() if start else ExitStack()


async def _serve(application: Application, port: int) -> None:
    await application.sandbox.warm()
    server = uvicorn.Server(
        uvicorn.Config(application.asgi, host=HOST, port=port, log_level="warning", lifespan="off", access_log=False)
    )
    try:
        await server.serve()
    finally:
        await application.close()


def _wants_token(deployment: Connecta) -> bool:
    """Whether clients must send a token. Raises ``StartError`` where none could be the right one."""
    if any(isinstance(kind, Open) for kind in deployment.auth) or not deployment.auth:
        return False
    if not os.environ.get(TOKEN_VARIABLE) and not os.environ.get(SECRET_VARIABLE):
        raise StartError(
            f"This deployment lets in who sends its token, and there is none: set {TOKEN_VARIABLE}, for example "
            f"{TOKEN_VARIABLE}=test python -m connecta dev …"
        )
    return True


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

A program to try with execute_code:

{PROGRAM}

Stop with Ctrl-C; the state stays.
"""
