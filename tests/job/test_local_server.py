"""The local server under load and across restarts: right answers, typed overload, nothing left behind."""

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import httpx2

from tests.fixtures.job import JOB_PROGRAM, check_job_result
from tests.fixtures.local_server import LocalServer, call_tool, running_local_server
from tests.fixtures.programs import open_files


async def run_many(url: str, count: int) -> list[dict[str, Any]]:
    """``count`` runs of the job at once; each answer's result."""

    async def one(client: httpx2.AsyncClient, id: int) -> dict[str, Any]:
        message = {
            "jsonrpc": "2.0",
            "id": id,
            "method": "tools/call",
            "params": {"name": "execute_code", "arguments": {"code": JOB_PROGRAM}},
        }
        answer = await client.post(url, json=message, headers={"accept": "application/json, text/event-stream"})
        assert answer.status_code == 200
        body = answer.json()
        assert body["id"] == id
        return body["result"]

    limits = httpx2.Limits(max_connections=count)
    async with httpx2.AsyncClient(trust_env=False, timeout=60, limits=limits) as client:
        return list(await asyncio.gather(*(one(client, id) for id in range(count))))


def processes_below(pid: int) -> set[int]:
    """Every live descendant of ``pid``."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (FileNotFoundError, ProcessLookupError):
                continue
            children.setdefault(parent, []).append(int(entry.name))
    found: set[int] = set()
    waiting = [pid]
    while waiting:
        for child in children.get(waiting.pop(), []):
            found.add(child)
            waiting.append(child)
    return found


def settles(reading: Any, expected: Any) -> bool:
    """Whether ``reading()`` comes to ``expected`` within a few seconds: children are reaped after the answer."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        if reading() == expected:
            return True
        time.sleep(0.05)
    return False


def test_twenty_programs_at_once_are_twenty_right_answers_and_leave_nothing(shop_server: LocalServer) -> None:
    """L2, L7."""
    asyncio.run(run_many(shop_server.url, 20))
    processes, files = len(processes_below(shop_server.pid)), open_files(shop_server.pid)
    for result in asyncio.run(run_many(shop_server.url, 20)):
        check_job_result(result)
    assert settles(lambda: len(processes_below(shop_server.pid)), processes)
    assert settles(lambda: open_files(shop_server.pid) <= files + 4, True)


def test_sixty_programs_at_once_are_answered_or_refused_typed_and_a_retry_succeeds(shop_server: LocalServer) -> None:
    """L7, E5."""
    answered = 0
    for result in asyncio.run(run_many(shop_server.url, 60)):
        if not result.get("isError"):
            check_job_result(result)
            answered += 1
            continue
        error = result["structuredContent"]["error"]
        assert (error["code"], error["retryable"], error["retryAfterMs"] > 0) == ("executor_overloaded", True, True)
    assert answered >= 2
    [retried] = asyncio.run(run_many(shop_server.url, 1))
    check_job_result(retried)


def test_state_is_still_there_after_a_restart(tmp_path: Path) -> None:
    """A view rendered before the restart is fetched by its id after it (U3)."""
    with running_local_server(tmp_path) as server:
        result = call_tool(server.url, "execute_code", {"code": JOB_PROGRAM})
        view = check_job_result(result)
        html = result["_meta"]
    with running_local_server(tmp_path) as server:
        assert call_tool(server.url, "get_result", {"id": view})["_meta"] == html


def test_the_server_says_how_to_connect_and_its_program_runs(shop_server: LocalServer) -> None:
    printed = shop_server.log.read_text()
    assert shop_server.url in printed
    assert "claude mcp add --transport http connecta" in printed
    program = printed.partition("A program to try with execute_code:")[2].partition("Stop with")[0].strip()
    result = call_tool(shop_server.url, "execute_code", {"code": program})
    content: Any = result["content"]
    assert "shop.list_orders" in json.loads(content[0]["text"])["result"]
