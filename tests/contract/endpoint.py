"""What a case is run against: the whole product over HTTP, the downstream it reaches, and the log it writes."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.request import ProxyHandler, Request, build_opener
from uuid import uuid4

from tools.events import request

LOG_S = 10.0
ABOUT = ("request_id", "actor", "deployment")
"""What a line of the log says of all its calls."""
HASTY: Final = {"run_s": 5.0, "host_call_s": 2.8}
"""Bounds of time that a case can wait for; two calls that wait one after the other meet the run's. All other cases have
a deployment's own, which no busy machine meets."""
_opener = build_opener(ProxyHandler({}))


@dataclass(frozen=True)
class Downstream:
    """The process behind the connectors. ``url`` is its origin."""

    url: str

    def calls(self) -> list[dict[str, Any]]:
        """What the connectors were asked since the last reset, in order: ``{ server, method, name, arguments }``,
        where ``method`` is ``tools/list``, ``tools/call``, or an HTTP verb whose ``name`` is the path."""
        with _opener.open(f"{self.url}/calls", timeout=10) as answer:
            return json.load(answer)

    def asked(self, server: str, method: str = "tools/call") -> list[dict[str, Any]]:
        return [call for call in self.calls() if (call["server"], call["method"]) == (server, method)]

    def reset(self) -> None:
        _opener.open(Request(f"{self.url}/calls", method="DELETE"), timeout=10).close()


@dataclass(frozen=True)
class Endpoint:
    """``send`` takes an API Gateway event and gives the JSON-RPC answer; ``log`` is what the server prints."""

    send: Callable[[dict[str, Any]], dict[str, Any]]
    downstream: Downstream
    log: Path

    def rpc(self, method: str, params: dict[str, Any], *, name: str | None = None) -> dict[str, Any]:
        """The whole answer to one request. ``name`` is what the ``Mcp-Name`` header mirrors, where there is one."""
        return self.send(request(method, params, name=name))

    def tool(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The result of one ``tools/call``."""
        answer = self.rpc("tools/call", {"name": name, "arguments": arguments}, name=name)
        assert "result" in answer, answer
        return answer["result"]

    def run(self, program: str, **arguments: Any) -> dict[str, Any]:
        """The result of one ``execute_code``."""
        return self.tool("execute_code", {"code": program, **arguments})

    def events(self, act: Callable[[], object]) -> list[dict[str, Any]]:
        """The activity events that ``act`` caused, in order: what the server's log has of calls (V1)."""
        before = self._fence()
        act()
        after = self._fence()
        recorded = self._recorded()
        return recorded[_position(recorded, before) + 1 : _position(recorded, after)]

    def _fence(self) -> str:
        """A call of nothing, once the log has it: whatever was recorded before it is in the log, too."""
        address = f"fence.{uuid4().hex}"
        self.tool("call_tool", {"address": address})
        end = time.monotonic() + LOG_S
        while address not in self.log.read_text():
            # A line of another process's log is no event of ours: all there is to do is to look again.
            assert time.monotonic() < end, "the call never came into the log"
            time.sleep(0.01)
        return address

    def _recorded(self) -> list[dict[str, Any]]:
        lines = [line for line in self.log.read_text().splitlines() if line.startswith("{")]
        entries = [json.loads(line) for line in lines]
        told = [entry for entry in entries if entry.get("message") == "calls"]
        return [{**call, **{key: entry[key] for key in ABOUT}} for entry in told for call in entry["calls"]]


def _position(events: list[dict[str, Any]], address: str) -> int:
    return next(place for place, event in enumerate(events) if event["address"] == address)
