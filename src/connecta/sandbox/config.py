"""How the sandbox is set up: where its parts are, and what a child is started with."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from connecta.limits import LIMITS, Limits
from connecta.text import ascii_json

OPERATIONS: Final = ("search", "describe", "call", "batch", "emit", "ui")
AWAITED: Final = ("emit", "ui")
"""Operations whose answers the end of a program waits for, so that a forgotten ``await`` loses no output."""
SHORTCUT: Final = "shortcut"
"""The operation behind the globals of connectors."""
LAYER: Final = Path("/opt/quickjs")
ASCII_GROWTH: Final = 6
"""Bytes one byte of UTF-8 can become as ASCII JSON: a control character as ``\\u0000``."""
FRAME_SPARE: Final = 64 * 1024
PROGRAM_LINES: Final = 8_192
"""Own errors are placed in this many lines; the prelude is evaluated below them, which is how its own stack frames
are told apart. Each line costs every program 30 ns."""


@dataclass(frozen=True)
class SandboxConfig:
    """``directory`` holds child and prelude, ``engine`` the ``_quickjs`` module, ``python`` the interpreter.

    ``operations`` become functions of ``connecta``; ``shortcuts`` maps a global to its connector's id.
    """

    directory: str
    engine: str
    python: str
    operations: tuple[str, ...] = OPERATIONS
    shortcuts: Mapping[str, str] = field(default_factory=dict[str, str])
    limits: Limits = LIMITS
    strict: bool = False
    """Every hardening step is required, seccomp included."""

    def command(self) -> list[str]:
        limits = self.limits
        prelude = {
            "operations": self.operations,
            "awaited": [each for each in AWAITED if each in self.operations],
            "shortcuts": dict(self.shortcuts),
            "bridgeBytes": limits.bridge_bytes,
            "logChars": limits.log_chars,
            "lines": PROGRAM_LINES,
        }
        numbers = (
            limits.cpu_ms,
            limits.heap_bytes,
            limits.stack_bytes,
            limits.run_result_bytes,
            ASCII_GROWTH * max(limits.bridge_bytes, limits.program_bytes) + FRAME_SPARE,
            PROGRAM_LINES,
        )
        child = str(Path(self.directory) / "child.py")
        return [
            self.python,
            *("-I", "-S", child, self.engine, ascii_json(prelude), ",".join(str(each) for each in numbers)),
        ]


def installed_config(
    *,
    operations: tuple[str, ...] = OPERATIONS,
    shortcuts: Mapping[str, str] | None = None,
    limits: Limits = LIMITS,
    strict: bool = False,
) -> SandboxConfig:
    """The sandbox as installed: ``$CONNECTA_SANDBOX_DIR``, else Lambda's layer, else the checkout's own layer
    folder with the engine from this environment's packages."""
    named = os.environ.get("CONNECTA_SANDBOX_DIR")
    directory = Path(named) if named else LAYER
    if not named and not directory.is_dir():
        directory = Path(__file__).resolve().parents[3] / "layers" / "quickjs"
    engine = directory
    if not any(directory.glob("_quickjs*")) and (spec := find_spec("_quickjs")) and spec.origin:
        engine = Path(spec.origin).parent
    return SandboxConfig(
        directory=str(directory.resolve()),
        engine=str(engine.resolve()),
        python=str(Path(sys.executable).absolute()),
        operations=operations,
        shortcuts=dict(shortcuts or {}),
        limits=limits,
        strict=strict,
    )
