"""Sets up what the Makefile's targets need, each piece once, and again only when what it is made from changed.

    python3 tools/environment.py project sam runtime clients npm browser

project   .venv: the project and its development dependencies, on the Python tools/interpreter.py chooses
sam       .venv-sam: aws-sam-cli, which does not resolve beside the project's own dependencies
runtime   .tools/runtime: what Lambda's own runtime brings (its interface client, boto3), outside the artifact
clients   .venv-clients: fastmcp, whose dependencies the local server would use if they lay beside its own
npm       node_modules beside every package.json of tests/, by the npm that .venv brings
browser   Chromium: one already installed, or Debian's package when this runs as root

With CI=true a piece that this machine cannot give is a failure; otherwise it is named, and the tests that need it fail.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path

import interpreter

ROOT = Path(__file__).resolve().parent.parent
PROJECT = ROOT / ".venv"
SAM = ROOT / ".venv-sam"
CLIENTS = ROOT / ".venv-clients"
RUNTIME = ROOT / ".tools" / "runtime"
FASTMCP = "fastmcp==4.2.3"
SAM_CLI = "aws-sam-cli==1.170.0"
RUNTIME_CLIENT = "awslambdaric==4.2.2"
BROWSERS = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")


class Missing(Exception):
    """Something this machine cannot give; the text is for the person at the terminal."""


def _run(*command: str | Path, cwd: Path = ROOT, env: dict[str, str] | None = None) -> None:
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode:
        raise Missing(f"{' '.join(str(part) for part in command[:6])} … failed:\n{done.stdout[-4000:]}")


def _pip(python: str | Path, *arguments: str | Path) -> None:
    quiet = ("--quiet", "--disable-pip-version-check", "--no-input", "--root-user-action=ignore")
    _run(python, "-m", "pip", "install", *quiet, *arguments)


def _key(*parts: str | bytes) -> str:
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


def _once(stamp: Path, key: str, what: str, make: Callable[[], None]) -> None:
    """Runs ``make`` unless ``stamp`` says that it ran for the same ``key``."""
    if stamp.is_file() and stamp.read_text() == key:
        return
    print(f"setting up {what} …", flush=True)
    stamp.unlink(missing_ok=True)
    make()
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.write_text(key)


def _runs(python: Path) -> bool:
    probe = f"import sys; sys.exit(sys.version_info < {interpreter.OLDEST})"
    try:
        return subprocess.run([python, "-c", probe], capture_output=True).returncode == 0
    except OSError:
        return False


def _chosen() -> str:
    python = interpreter.choose()
    if python is None:
        raise Missing("No Python 3.11 or newer with venv and ensurepip runs on this machine.")
    return python


def _venv(folder: Path) -> Path:
    """The Python of the environment in ``folder``, made new when there is none that runs."""
    python = folder / "bin" / "python"
    if not _runs(python):
        _run(_chosen(), "-m", "venv", "--clear", folder)
    return python


def project() -> None:
    pyproject = (ROOT / "pyproject.toml").read_bytes()

    def make() -> None:
        _pip(_venv(PROJECT), "--editable", f"{ROOT}[dev]")

    _once(PROJECT / ".ready", _key(pyproject, str(ROOT)), ".venv (the project and its tools)", make)


def sam() -> None:
    _once(SAM / ".ready", _key(SAM_CLI), f".venv-sam ({SAM_CLI})", lambda: _pip(_venv(SAM), SAM_CLI))


def clients() -> None:
    _once(CLIENTS / ".ready", _key(FASTMCP), f".venv-clients ({FASTMCP})", lambda: _pip(_venv(CLIENTS), FASTMCP))


def _boto3() -> str:
    dependencies: list[str] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    return next(pin for pin in dependencies if pin.startswith("boto3=="))


def runtime() -> None:
    packages = (RUNTIME_CLIENT, _boto3())

    def make() -> None:
        python = _chosen()
        shutil.rmtree(RUNTIME, ignore_errors=True)
        _pip(python, "--target", RUNTIME / "site-packages", *packages)
        (RUNTIME / "python").symlink_to(python)

    stamp = RUNTIME / ".ready"
    if not _runs(RUNTIME / "python"):
        stamp.unlink(missing_ok=True)
    _once(stamp, _key(*packages), f"Lambda's runtime for tests ({', '.join(packages)})", make)


def _node_folders() -> Iterable[Path]:
    for manifest in sorted((ROOT / "tests").rglob("package.json")):
        if "node_modules" not in manifest.parts:
            yield manifest.parent


def npm() -> None:
    # Packages with a command of their own expect `node` on PATH: the one that .venv brings comes first.
    path = os.pathsep.join((str(PROJECT / "bin"), os.environ.get("PATH", os.defpath)))
    for folder in _node_folders():
        lock = folder / "package-lock.json"
        command = "ci" if lock.is_file() else "install"

        def make(folder: Path = folder, command: str = command) -> None:
            # No package here needs a script of its own to install, and one would run on everybody's machine.
            quiet = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
            _run(PROJECT / "bin" / "npm", command, *quiet, cwd=folder, env={**os.environ, "PATH": path})

        manifest = (lock if lock.is_file() else folder / "package.json").read_bytes()
        _once(folder / "node_modules" / ".ready", _key(manifest), f"{folder.relative_to(ROOT)} (npm)", make)


def browser() -> None:
    if os.environ.get("CHROMIUM") or any(shutil.which(name) for name in BROWSERS):
        return
    if not (shutil.which("apt-get") and os.geteuid() == 0):
        raise Missing("No Chromium: install one, or point CHROMIUM at it, or run this once as root on Debian.")
    print("setting up Chromium (Debian's package) …", flush=True)
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = ("apt-get", "install", "-y", "-q", "--no-install-recommends", "chromium")
    try:
        _run(*install, env=env)
    except Missing:
        # The package lists of a fresh machine are empty or old.
        _run("apt-get", "update", "-q", env=env)
        _run(*install, env=env)


PIECES: dict[str, Callable[[], None]] = {
    "project": project,
    "sam": sam,
    "runtime": runtime,
    "clients": clients,
    "npm": npm,
    "browser": browser,
}
OPTIONAL = frozenset({"browser"})
"""Pieces that some machines cannot give; their tests fail there, naming them."""


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in PIECES]
    if unknown or not names:
        print(f"usage: environment.py {' '.join(PIECES)}", file=sys.stderr)
        return 2
    for name in names:
        try:
            PIECES[name]()
        except Missing as missing:
            print(f"{name}: {missing}", file=sys.stderr)
            if name not in OPTIONAL or os.environ.get("CI") == "true":
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
