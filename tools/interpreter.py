"""Prints the Python to use: the version Lambda runs if this machine has one that works, else the newest from 3.11 on.

A name on PATH proves nothing: a version manager's shim may exist and refuse to run. So every candidate is run, and
must bring what an environment is made with (``venv``, ``ensurepip``, ``ssl``).

    python3 tools/interpreter.py               /path/to/python
    python3 tools/interpreter.py --only 3.13   that version, or exit 1 with a sentence on stderr
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

OLDEST = (3, 11)
LAMBDA = (3, 13)
"""The version of ``Runtime: python3.13`` in template.yaml."""

_NAME = re.compile(r"python3(\.\d+)?")
_VERSION_MANAGERS = (
    (os.environ.get("PYENV_ROOT", "~/.pyenv"), "versions/*/bin"),
    (os.environ.get("ASDF_DATA_DIR", "~/.asdf"), "installs/python/*/bin"),
    (os.environ.get("XDG_DATA_HOME", "~/.local/share"), "uv/python/*/bin"),
)
_PROBE = """
import ensurepip, ssl, sys, sysconfig, venv
if sys.version_info.releaselevel == "final" and not sysconfig.get_config_var("Py_GIL_DISABLED"):
    print(*sys.version_info[:2], getattr(sys, "_base_executable", sys.executable))
"""

Version = tuple[int, int]


def _folders() -> Iterator[Path]:
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        yield Path(folder or ".")
    for root, pattern in _VERSION_MANAGERS:
        yield from sorted(Path(root).expanduser().glob(pattern))


def _candidates() -> Iterator[str]:
    yield sys.executable
    for folder in _folders():
        if folder.is_dir():
            yield from (str(path) for path in sorted(folder.iterdir()) if _NAME.fullmatch(path.name))


def _run(candidate: str) -> tuple[Version, str] | None:
    try:
        probe = subprocess.run(
            [candidate, "-I", "-c", _PROBE], capture_output=True, text=True, timeout=20, check=True, cwd="/"
        )
    except (OSError, subprocess.SubprocessError):
        return None
    major, _, rest = probe.stdout.strip().partition(" ")
    minor, _, executable = rest.partition(" ")
    return ((int(major), int(minor)), executable) if executable else None


def working() -> dict[Version, str]:
    """One executable for each version that runs here, the first one found."""
    found: dict[Version, str] = {}
    for candidate in dict.fromkeys(_candidates()):
        answer = _run(candidate)
        if answer is not None and answer[0] >= OLDEST:
            found.setdefault(*answer)
    return found


def choose() -> str | None:
    """Lambda's own version where it runs, else the newest; ``None`` when nothing is new enough."""
    found = working()
    return found.get(LAMBDA) or (found[max(found)] if found else None)


def main() -> int:
    parser = argparse.ArgumentParser(description="Print the path of a Python that works.")
    parser.add_argument("--only", metavar="X.Y", help="that version or nothing")
    only: str | None = parser.parse_args().only
    if only is None:
        executable, wanted = choose(), f"{OLDEST[0]}.{OLDEST[1]} or newer"
    else:
        major, _, minor = only.partition(".")
        executable, wanted = working().get((int(major), int(minor))), only
    if executable is None:
        print(f"No Python {wanted} runs on this machine (PATH, pyenv, asdf and uv were looked at).", file=sys.stderr)
        return 1
    print(executable)
    return 0


if __name__ == "__main__":
    sys.exit(main())
