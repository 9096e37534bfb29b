"""DynamoDB for local work: dynalite on Node, with its data in a folder of yours."""

import fcntl
import hashlib
import os
import select
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Generator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Final

from connecta.limits import LIMITS
from connecta.local.node import MissingTool, node, npm
from connecta.local.tables import create_table
from connecta.state.client import open_client

START_S: Final = 30.0
"""A cold Node on a busy machine takes seconds to answer; longer than this and it never will."""
STOP_S: Final = 10.0
"""Dynalite finishes its writes and closes its files before it ends."""
INSTALL_S: Final = 300.0
PORT: Final = "port"
"""The file in the data folder that says where its emulator listens; true while the folder is locked."""
LOCK: Final = "lock"
"""The file in the data folder that is locked while an emulator runs there."""
_LOG: Final = "dynalite.log"
_NOTE_CHARS: Final = 2_000

_REPOSITORY: Final = Path(__file__).parents[3]
_SOURCES: Final = ("package.json", "package-lock.json", "serve.js")


class EmulatorError(RuntimeError):
    """The emulator cannot run here; the message says what is missing, or what the emulator said."""


class FolderInUse(EmulatorError):
    """Another process runs an emulator on the folder."""


@contextmanager
def running_emulator(data_dir: Path, *, table: str = "connecta") -> Generator[str]:
    """The endpoint URL of an emulator keeping its tables under ``data_dir``, with ``table`` in it.

    Its first use installs dynalite. It ends with the block, and also when this process dies without leaving
    it. Raises ``EmulatorError``.
    """
    try:
        command = [node(), installed_dynalite() / "serve.js", data_dir / "dynamodb"]
    except MissingTool as error:
        raise EmulatorError(str(error)) from error
    data_dir.mkdir(parents=True, exist_ok=True)
    with _claimed(data_dir) as claim, _process(command, data_dir, claim) as process:
        port = _port(process, data_dir)
        endpoint_url = _loopback(port)
        _prepare(endpoint_url, table, data_dir)
        (data_dir / PORT).write_text(str(port))
        yield endpoint_url


@contextmanager
def reachable_emulator(data_dir: Path, *, table: str = "connecta") -> Generator[str]:
    """The endpoint URL of the emulator another process runs on ``data_dir``, or else of one for this block.

    Raises ``EmulatorError``.
    """
    with ExitStack() as running:
        try:
            endpoint_url = running.enter_context(running_emulator(data_dir, table=table))
        except FolderInUse as error:
            told = (data_dir / PORT).read_text() if (data_dir / PORT).exists() else ""
            if not told.isdecimal():
                raise EmulatorError(f"The local server using {data_dir} is just starting. Try again.") from error
            endpoint_url = _loopback(int(told))
        yield endpoint_url


def _loopback(port: int) -> str:
    return f"http://127.0.0.1:{port}"


@contextmanager
def _claimed(data_dir: Path) -> Generator[int]:
    """A lock on the folder. The emulator inherits it, so it lasts until the last of the two has ended."""
    with (data_dir / LOCK).open("wb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise FolderInUse(f"Another local server is using {data_dir}. Stop it, or use another folder.") from error
        (data_dir / PORT).unlink(missing_ok=True)
        yield file.fileno()


@contextmanager
def _process(command: Sequence[Path], data_dir: Path, claim: int) -> Generator[subprocess.Popen[bytes]]:
    with (data_dir / _LOG).open("wb") as log:
        process = subprocess.Popen(  # noqa: S603 - dynalite, by absolute path
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,
            pass_fds=[claim],
        )
    # Popen's own exit closes the pipes and reaps the process.
    with process:
        try:
            yield process
        finally:
            _stop(process)


def _port(process: subprocess.Popen[bytes], data_dir: Path) -> int:
    assert process.stdout is not None
    readable, _, _ = select.select([process.stdout], [], [], START_S)
    line = process.stdout.readline() if readable else b""
    if not line.strip().isdigit():
        raise _failed(data_dir)
    return int(line)


def _prepare(endpoint_url: str, table: str, data_dir: Path) -> None:
    from botocore.exceptions import BotoCoreError, ClientError

    with closing(open_client(endpoint_url, LIMITS)) as client:
        try:
            create_table(client, table)
        except (BotoCoreError, ClientError) as error:
            raise _failed(data_dir) from error


def _stop(process: subprocess.Popen[bytes]) -> None:
    _signal(process, signal.SIGTERM)
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        _signal(process, signal.SIGKILL)


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    if process.poll() is None:
        os.killpg(process.pid, number)


def _failed(data_dir: Path) -> EmulatorError:
    return EmulatorError(f"dynalite did not start. It said:\n{_tail((data_dir / _LOG).read_bytes())}")


def installed_dynalite(tools: Path = _REPOSITORY / ".tools", source: Path = _REPOSITORY / "tools/dynalite") -> Path:
    """The folder under ``tools`` where exactly the locked dynalite is installed, with ``serve.js``.

    Built beside its place and renamed into it, so two first uses at once do not meet half of it. Raises
    ``EmulatorError``, or ``MissingTool`` for npm itself.
    """
    missing = [name for name in _SOURCES if not (source / name).is_file()]
    if missing:
        raise EmulatorError(f"{', '.join(missing)} not found in {source}: the emulator runs from a source checkout.")
    version = hashlib.sha256(b"\0".join((source / name).read_bytes() for name in _SOURCES)).hexdigest()[:12]
    installed = tools / f"dynalite-{version}"
    if installed.is_dir():
        return installed
    tools.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=tools, prefix="installing-", ignore_cleanup_errors=True) as name:
        building = Path(name, "dynalite")
        building.mkdir()
        for each in _SOURCES:
            shutil.copy(source / each, building)
        _npm_ci(building)
        try:
            building.rename(installed)
        except OSError:
            if not installed.is_dir():
                raise
    return installed


def _npm_ci(folder: Path) -> None:
    # No install scripts: the one native dependency carries its builds and picks one when it is loaded.
    command = [*npm(), "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=INSTALL_S)  # noqa: S603 - npm, by absolute path
    except subprocess.TimeoutExpired as error:
        raise EmulatorError(f"npm did not install dynalite within {INSTALL_S:g} s.") from error
    if done.returncode != 0:
        raise EmulatorError(f"npm could not install dynalite. It said:\n{_tail(done.stderr)}")


def _tail(output: bytes) -> str:
    return output.decode(errors="replace")[-_NOTE_CHARS:].strip() or "(nothing)"
