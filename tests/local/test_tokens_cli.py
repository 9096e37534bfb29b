"""``python -m connecta tokens`` as a person runs it, on a deployed table and on the local one."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.dynamodb import TABLE, running_moto

ROOT = Path(__file__).parents[2]
Run = Callable[..., subprocess.CompletedProcess[str]]

DEPLOYMENT = """
from connecta import AccessTokens, Connecta, Open
from tests.fixtures.mcp_client import notes
deployment = Connecta(connectors=[notes()], auth=[AccessTokens()], name="tokens-test")
without = Connecta(connectors=[notes()], auth=[Open()], name="tokens-test")
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """Runs the command in a folder with a deployment, on a deployed table."""
    folder = tmp_path_factory.mktemp("deployment")
    (folder / "tokens_deployment.py").write_text(DEPLOYMENT)
    with running_moto() as endpoint_url:

        def once(*arguments: str, deployment: str = "deployment") -> subprocess.CompletedProcess[str]:
            place = ["--deployment", f"tokens_deployment:{deployment}", "--table", TABLE]
            return subprocess.run(
                [sys.executable, "-m", "connecta", "tokens", *arguments, *place],
                cwd=folder,
                env={
                    **os.environ,
                    "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}",
                    "AWS_ENDPOINT_URL_DYNAMODB": endpoint_url,
                    "AWS_ACCESS_KEY_ID": "x",
                    "AWS_SECRET_ACCESS_KEY": "x",
                    "AWS_DEFAULT_REGION": "us-east-1",
                },
                capture_output=True,
                text=True,
                timeout=240,
            )

        yield once


def listed(run: Run) -> list[dict[str, Any]]:
    done = run("list", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_token_is_issued_listed_renamed_and_revoked(run: Run):
    """auth.md: shown once; rename, revoke, last use."""
    issued = run("issue", "laptop")
    assert re.fullmatch(r"cta_[A-Za-z0-9_-]{65}\n", issued.stdout), issued
    assert "only time the token is shown" in issued.stderr
    id = issued.stdout[4:26]
    [token] = listed(run)
    assert token == {"id": id, "name": "laptop", "createdAt": token["createdAt"], "lastUsedAt": None, "expiresAt": None}
    assert issued.stdout.strip() not in run("list").stdout
    assert run("rename", id, "old laptop").stdout == f'{id} is now "old laptop".\n'
    [_, row] = run("list").stdout.splitlines()
    assert re.fullmatch(rf"{id}  old laptop  \d{{4}}-\d\d-\d\d \d\d:\d\d  never      never", row), row
    assert run("revoke", id).stdout == f"Revoked {id}. It is refused everywhere within 30 seconds.\n"
    assert listed(run) == []
    again = run("revoke", id)
    assert (again.returncode, again.stderr.startswith("connecta: There is no such token.")) == (1, True)


def test_a_token_may_end_by_itself(run: Run):
    id = run("issue", "nightly", "--expires", "2h").stdout[4:26]
    [token] = listed(run)
    ends = token["expiresAt"]
    assert ends[:13] in {time.strftime("%Y-%m-%dT%H", time.gmtime(time.time() + 7_200 - back)) for back in (0, 120)}
    run("revoke", id)


@pytest.mark.parametrize("name", ["", "  ", "x" * 101, "a\nb", "\x1b[2J"])
def test_a_name_that_would_not_show_is_refused(run: Run, name: str):
    done = run("issue", name)
    assert (done.returncode, done.stderr) == (1, "connecta: A name is 1 to 100 printable characters.\n")


def test_a_deployment_that_takes_no_such_tokens_is_pointed_out(run: Run):
    done = run("issue", "laptop", deployment="without")
    assert (done.returncode, "auth=[AccessTokens(), …]" in done.stderr) == (0, True)
    run("revoke", done.stdout[4:26])


def test_without_local_state_the_command_says_where_to_look(tmp_path: Path):
    nowhere = tmp_path / "nothing"
    arguments = ["list", "--deployment", "examples.shop.deployment:deployment", "--data", str(nowhere)]
    done = subprocess.run(
        [sys.executable, "-m", "connecta", "tokens", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 1
    assert done.stderr.startswith(f"connecta: There is no local state in {nowhere}.")
