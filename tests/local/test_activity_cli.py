"""``python -m connecta activity`` as a person runs it, on the local server's table and on a deployed one."""

import asyncio
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from connecta.local.emulator import PORT, running_emulator
from connecta.state import open_state
from connecta.state.activity import Entry, Observation
from tests.fixtures.dynamodb import TABLE, running_moto
from tests.fixtures.local_server import LocalServer, call_tool

ROOT = Path(__file__).parents[2]
# Whole milliseconds, as JSON tells them, and in this order: the last is the newest.
BEGAN = float(int(time.time()))
OLD = Entry(
    at=BEGAN - 3 * 24 * 3_600,
    connector="weather",
    tool="get_forecast",
    source="call_tool",
    outcome="success",
    duration_ms=41,
    attempts=2,
    request_id="request-1",
    actor="bearer:operator",
    deployment="connecta",
)
FAILED = replace(OLD, at=BEGAN - 120, outcome="error", error_code="auth_required", friction="auth_required", attempts=0)
SHOWN = (Observation("ui://x/\x1b[2J", "embedded", "sha256:00"), Observation("ui://y", "unresolvable"))
HOSTILE = replace(
    FAILED, at=BEGAN - 60, connector="\x1b[2J\u202eevil", tool="x" * 200, error_code="unknown_address", observed=SHOWN
)
WHOSE = {"requestId": "request-1", "actor": "bearer:operator", "deployment": "connecta"}


def run(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """One run of the command, in the repository's folder."""
    return subprocess.run(
        [sys.executable, "-m", "connecta", "activity", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), **environ},
        capture_output=True,
        text=True,
        timeout=60,
    )


def listed(*arguments: str, **environ: str) -> list[dict[str, Any]]:
    """What the command lists with ``--json``."""
    done = run("--json", *arguments, **environ)
    assert (done.returncode, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


async def keep(endpoint_url: str, table: str, *entries: Entry, deployment: str = "connecta") -> None:
    state = open_state(table, deployment, endpoint_url=endpoint_url)
    assert await state.activity.write(entries, within_s=30) == 0
    await state.close()


@pytest.fixture(scope="module")
def aws() -> Iterator[dict[str, str]]:
    """The environment of a person with credentials for an account where three calls were recorded."""
    with running_moto() as endpoint_url:
        asyncio.run(keep(endpoint_url, TABLE, OLD, FAILED, HOSTILE))
        yield {
            "AWS_ENDPOINT_URL_DYNAMODB": endpoint_url,
            "AWS_ACCESS_KEY_ID": "person",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_DEFAULT_REGION": "us-east-1",
        }


def test_json_has_every_field_of_every_call_newest_first(aws: dict[str, str]) -> None:
    """V2, one object a line."""
    calls = listed("--table", TABLE, **aws)

    assert [call["connectorId"] for call in calls] == [HOSTILE.connector, "weather", "weather"]
    assert calls[0]["observations"] == [
        {"toolName": HOSTILE.tool, "resourceUri": "ui://x/\x1b[2J", "contentHash": "sha256:00", "pin": "embedded"},
        {"toolName": HOSTILE.tool, "resourceUri": "ui://y", "pin": "unresolvable"},
    ]
    assert calls[2] == {
        "time": time.strftime("%Y-%m-%dT%H:%M:%S.000+00:00", time.gmtime(OLD.at)),
        "at": OLD.at,
        "address": "weather.get_forecast",
        "connectorId": "weather",
        "toolName": "get_forecast",
        "source": "call_tool",
        "outcome": "success",
        "durationMs": 41,
        "attempts": 2,
        "errorCode": None,
        "friction": None,
        **WHOSE,
    }


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (["--since", "2h"], [HOSTILE.at, FAILED.at]),
        (["--since", "7d", "--connector", "weather", "--outcome", "success"], [OLD.at]),
        (["--since", "7d", "--outcome", "error", "--limit", "1"], [HOSTILE.at]),
        (["--since", "90s", "--outcome", "cancelled"], []),
        (["--since", "7d", "--caller", "bearer:operator", "--limit", "1"], [HOSTILE.at]),
        (["--since", "7d", "--caller", "bearer"], []),
    ],
)
def test_calls_are_filtered_by_connector_outcome_caller_and_time(
    aws: dict[str, str], asked: list[str], expected: list[float]
) -> None:
    assert [call["at"] for call in listed("--table", TABLE, *asked, **aws)] == expected


def test_the_page_names_every_field_and_every_option(aws: dict[str, str]) -> None:
    """docs/activity.md says what the command does."""
    page = (ROOT / "docs/activity.md").read_text()
    [newest] = listed("--table", TABLE, "--since", "2h", "--limit", "1", **aws)
    named = set(re.findall(r"^\| `([a-zA-Z]+)` \|", page, re.MULTILINE))
    options = set(re.findall(r"--[a-z]+", run("--help").stdout)) - {"--help"}

    assert named == set(newest) - {"at"}
    assert options == set(re.findall(r"--[a-z]+", page))


def test_a_person_reads_columns_and_no_control_character_a_caller_wrote(aws: dict[str, str]) -> None:
    """V3 keeps an unknown connector as written; a terminal must not obey it."""
    done = run("--table", TABLE, **aws)

    headings, hostile, failed, old = done.stdout.splitlines()
    assert headings.split() == ["TIME", "(UTC)", "OUTCOME", "MS", "ADDRESS", "SOURCE", "ACTOR", "ERROR", "UI"]
    assert hostile.split()[4].startswith("?[2J?evil.xxx")
    assert hostile.endswith("unknown_address  embedded +1 ui://x/?[2J")
    assert len(hostile) < 200
    assert failed.split()[2:] == [
        "error",
        "41",
        "weather.get_forecast",
        "call_tool",
        "bearer:operator",
        "auth_required",
    ]
    assert old.split()[2:] == ["success", "41", "weather.get_forecast", "call_tool", "bearer:operator"]
    assert all(char.isprintable() for line in (hostile, failed, old) for char in line)


def test_calls_of_a_running_local_server_are_listed(shop_server: LocalServer) -> None:
    """Its emulator is the only one that may have the folder, so it is asked."""
    call_tool(shop_server.url, "call_tool", {"address": "shop.get_order", "args": {"id": "o-2003"}})
    shop = ["--deployment", "examples.shop.deployment:deployment", "--data", str(shop_server.log.parent)]

    [newest] = listed(*shop, "--limit", "1", "--connector", "shop")

    told = {name: newest[name] for name in ("address", "source", "outcome", "attempts", "errorCode")}
    assert told == {
        "address": "shop.get_order",
        "source": "call_tool",
        "outcome": "success",
        "attempts": 1,
        "errorCode": None,
    }


def test_calls_are_listed_after_the_local_server_has_stopped(tmp_path: Path) -> None:
    with running_emulator(tmp_path) as endpoint_url:
        asyncio.run(keep(endpoint_url, "connecta", FAILED))

    assert [call["at"] for call in listed("--data", str(tmp_path))] == [FAILED.at]


def test_a_server_that_has_not_said_where_it_listens_is_one_sentence(tmp_path: Path) -> None:
    with running_emulator(tmp_path):
        (tmp_path / PORT).unlink()
        done = run("--data", str(tmp_path))

    said = f"connecta: The local server using {tmp_path} is just starting. Try again.\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", said)


def test_a_folder_without_state_is_one_sentence_and_is_not_made(tmp_path: Path) -> None:
    folder = tmp_path / "none"
    done = run("--data", str(folder))

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"connecta: There is no local state in {folder}. Start a server")
    assert not folder.exists()


def test_a_deployment_that_is_not_there_is_one_sentence() -> None:
    done = run("--deployment", "nothing_here:deployment", "--table", TABLE)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "connecta: No module named 'nothing_here'\n"


def test_a_table_aws_refuses_is_told_on_stderr_with_the_cause(aws: dict[str, str]) -> None:
    done = run("--table", "nobody-made-this", "--json", **aws)

    assert (done.returncode, done.stdout) == (1, "")
    logged, said = done.stderr.splitlines()[0], done.stderr.splitlines()[-1]
    assert json.loads(logged)["cause"] == "ResourceNotFoundException"
    assert said.startswith("connecta: The table this deployment keeps its state in refused a request.")


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (["--since", "yesterday"], "a time is a number and a unit, like 90s, 30m, 2h or 7d"),
        (["--since", "-2h"], "expected one argument"),
        (["--since", "٣h"], "a time is a number and a unit, like 90s, 30m, 2h or 7d"),
        (["--limit", "0"], "a limit is a number from 1 to 10000"),
        (["--limit", "many"], "a limit is a number from 1 to 10000"),
        (["--outcome", "fine"], "invalid choice: 'fine'"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_starts(asked: list[str], told: str) -> None:
    done = run(*asked)

    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr
