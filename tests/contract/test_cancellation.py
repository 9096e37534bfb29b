"""A run whose client hangs up, and calls that outlive their program: what a serial runtime cannot show (L1, L2, V1)."""

import json
import os
import select
import socket
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.contract.gated import HOLDING, gated_server, programs_of, run
from tests.fixtures.local_server import LocalServer

SAYING = (
    "async () => { gate.wait().then(() => console.log('settled'), () => console.log('rejected')); "
    "await gate.somebody(); return 1; }"
)


def test_a_client_that_hangs_up_ends_its_run_its_calls_and_its_child(tmp_path: Path) -> None:
    """L2, E5: nobody is left to be told, but the call's record says it (V2)."""
    with gated_server(tmp_path, spares=0) as (server, gate):
        with connected(server) as client:
            client.sendall(request(server, HOLDING))
            gate.wait_for_arrivals(1)
            children = [os.pidfd_open(pid) for pid in programs_of(server)]
        gate.wait_for_leavers(1)
        assert ended(children) == len(children) == 1
        assert run(server, "async () => 'well'") == {"result": "well"}
    [event] = events(server)
    assert (event["address"], event["outcome"], event["errorCode"]) == ("gate.wait", "cancelled", "cancelled")


def test_a_call_still_in_flight_when_its_program_returns_is_aborted_and_recorded_as_cancelled(tmp_path: Path) -> None:
    """L1, L2, E5."""
    with gated_server(tmp_path, spares=0) as (server, gate):
        assert run(server, SAYING) == {"result": 1}
        gate.wait_for_leavers(1)
        assert programs_of(server) == []
    assert sorted((event["address"], event["outcome"]) for event in events(server)) == [
        ("gate.somebody", "success"),
        ("gate.wait", "cancelled"),
    ]


def test_the_deadline_aborts_what_is_in_flight_and_leaves_nothing(tmp_path: Path) -> None:
    """L2, L3: host waits are included."""
    with gated_server(tmp_path, spares=0, run_s=3.0) as (server, gate):
        answer = run(server, HOLDING)
        assert answer["error"]["code"] == "run_deadline"
        assert "deadline of 3 s" in answer["error"]["message"]
        gate.wait_for_leavers(1)
        assert programs_of(server) == []
    assert [event["outcome"] for event in events(server)] == ["cancelled"]


def connected(server: LocalServer) -> socket.socket:
    url = urlsplit(server.url)
    return socket.create_connection((url.hostname or "", url.port or 0), 10)


def request(server: LocalServer, program: str) -> bytes:
    call = {"name": "execute_code", "arguments": {"code": program}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).encode()
    head = (
        f"POST /mcp HTTP/1.1\r\nhost: {urlsplit(server.url).netloc}\r\ncontent-type: application/json\r\n"
        "accept: application/json, text/event-stream\r\nmcp-protocol-version: 2025-11-25\r\n"
        f"content-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def ended(watched: list[int]) -> int:
    """How many of these processes are gone within 10 s; closes what watches them."""
    until = time.monotonic() + 10
    waiting: list[int] = list(watched)
    while waiting and (over := select.select(waiting, [], [], max(0, until - time.monotonic()))[0]):
        waiting = [each for each in waiting if each not in over]
    for each in watched:
        os.close(each)
    return len(watched) - len(waiting)


def events(server: LocalServer) -> list[dict[str, Any]]:
    """What the server recorded of calls, read once it has stopped."""
    lines = [line for line in server.log.read_text().splitlines() if line.startswith("{")]
    return [call for entry in map(json.loads, lines) for call in entry.get("calls", ())]
