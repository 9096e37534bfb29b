"""Real servers with a proxy before each, and the command that looks at them."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from connecta.local.cli import main
from tests.fixtures.certificates import write_certificates
from tests.fixtures.doctored_deployment import PASSPHRASE, TOKEN
from tests.fixtures.faulty_proxy import Proxy, faultless, running_proxy
from tests.fixtures.local_server import ROOT, running_local_server
from tests.fixtures.processes import free_port

DEPLOYMENT = "tests.fixtures.doctored_deployment:deployment"


@dataclass(frozen=True)
class Report:
    """What ``doctor --json`` said, and its exit status."""

    status: int
    url: str
    ok: bool
    checks: list[dict[str, str]]

    def outcome(self, outcome: str) -> dict[str, str]:
        """The messages of the checks that came out like this, by name."""
        return {check["name"]: check["message"] for check in self.checks if check["outcome"] == outcome}


Examine = Callable[..., Report]


def set_passphrase(data: Path) -> None:
    command = [sys.executable, "-m", "connecta", "passphrase", "--data", str(data)]
    environ = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    subprocess.run(command, input=PASSPHRASE + "\n", text=True, check=True, cwd=ROOT, env=environ, capture_output=True)


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("certificates")
    write_certificates(folder)
    return folder


@pytest.fixture(scope="session")
def signed_in_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    """A deployment that people sign in to, behind plain HTTP."""
    data = tmp_path_factory.mktemp("doctored")
    set_passphrase(data)
    environ = {"DOCTORED_TOKEN": TOKEN}
    with running_local_server(data, DEPLOYMENT, environ) as server, running_proxy(server.origin) as proxy:
        yield proxy


@pytest.fixture
def proxy(signed_in_server: Proxy) -> Proxy:
    signed_in_server.fault = faultless
    signed_in_server.seen.clear()
    return signed_in_server


@pytest.fixture(scope="session")
def secure_server(tmp_path_factory: pytest.TempPathFactory, certificates: Path) -> Iterator[Proxy]:
    """The same, known to itself and to others by an https origin."""
    data, port = tmp_path_factory.mktemp("secure"), free_port()
    set_passphrase(data)
    environ = {"DOCTORED_TOKEN": TOKEN, "PUBLIC_URL": f"https://127.0.0.1:{port}"}
    with (
        running_local_server(data, DEPLOYMENT, environ) as server,
        running_proxy(server.origin, port=port, certificate=certificates / "good.pem") as proxy,
    ):
        yield proxy


@pytest.fixture
def examine(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], certificates: Path) -> Examine:
    """``python -m connecta doctor URL --json``, with the tests' authority trusted as the system's are."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates / "authority.pem"))

    def run(url: str, *options: str, passphrase: str = PASSPHRASE) -> Report:
        monkeypatch.setattr(sys, "stdin", io.StringIO(passphrase + "\n"))
        status = run_command(["doctor", url, "--json", "--passphrase-stdin", *options])
        said: dict[str, Any] = json.loads(capsys.readouterr().out)
        return Report(status, **said)

    return run


def run_command(arguments: list[str]) -> int:
    try:
        return main(arguments)
    except SystemExit as end:
        return int(str(end.code))
