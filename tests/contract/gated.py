"""The local server with programs that wait at a gate, for what takes requests in parallel to show."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from tests.contract.gate import Gate, running_gate
from tests.fixtures.local_server import LocalServer, call_tool, running_local_server

HOLDING: Final = "async () => { await gate.wait(); return 'held'; }"
DEPLOYMENT: Final = "tests.contract.gated_deployment:deployment"


@contextmanager
def gated_server(data: Path, **limits: float) -> Generator[tuple[LocalServer, Gate]]:
    with running_gate() as gate:
        environ = {"GATE_URL": gate.url, "GATE_LIMITS": json.dumps(limits)}
        with running_local_server(data, DEPLOYMENT, environ) as server:
            yield server, gate


def run(server: LocalServer, program: str) -> dict[str, Any]:
    return call_tool(server.url, "execute_code", {"code": program})["structuredContent"]


def programs_of(server: LocalServer) -> list[int]:
    """Process ids of the server's children that run or wait for a program, the dead that nobody reaped included."""
    tasks = Path(f"/proc/{server.pid}/task").iterdir()
    pids = [int(pid) for each in tasks for pid in (each / "children").read_text().split()]
    commands = {pid: Path(f"/proc/{pid}/cmdline").read_bytes() for pid in pids}
    return [pid for pid, command in commands.items() if not command or b"child.py" in command]
