"""``python -m connecta doctor URL``: a deployment seen from outside, as claude.ai sees it."""

import asyncio
import os
import sys
from dataclasses import dataclass
from getpass import getpass
from typing import Final

from connecta.auth.callers import TOKEN_VARIABLE
from connecta.local.doctor.examination import examine
from connecta.local.doctor.findings import Finding
from connecta.local.doctor.report import as_json, is_well, style_of, summary
from connecta.local.errors import CommandError

_HTTPS: Final = "https://"


@dataclass(frozen=True, slots=True)
class Visited:
    """What to look at, and how. ``passphrase_stdin``: the passphrase is the first line of standard input."""

    url: str
    with_token: bool
    passphrase_stdin: bool
    as_json: bool


def visit(visited: Visited) -> None:
    """Print what was found. Raises ``CommandError``, and ``SystemExit`` with status 1 when anything failed."""
    url = visited.url if "://" in visited.url else _HTTPS + visited.url
    findings = asyncio.run(_found(url, visited))
    if visited.as_json:
        print(as_json(url, findings))
    else:
        print(f"\n{summary(findings)}")
    if not is_well(findings):
        raise SystemExit(1)


async def _found(url: str, visited: Visited) -> list[Finding]:
    token = _token() if visited.with_token else None
    style = style_of(sys.stdout)
    findings: list[Finding] = []
    async for finding in examine(url, token=token, passphrase=lambda: _passphrase(visited)):
        findings.append(finding)
        if not visited.as_json:
            print(style.line(finding), flush=True)
    return findings


def _token() -> str:
    """From the environment or the terminal: in an argument, everybody on this machine could read it."""
    token = os.environ.get(TOKEN_VARIABLE, "").strip() or _asked("Bearer token: ")
    if not token:
        raise CommandError(f"There is no token: set {TOKEN_VARIABLE}, or run this in a terminal and type it.")
    if not token.isascii():
        raise CommandError("The token has letters that no header can carry. Copy it again.")
    return token


def _passphrase(visited: Visited) -> str | None:
    if visited.passphrase_stdin:
        return sys.stdin.readline().rstrip("\r\n") or None
    return _asked("Passphrase (not shown): ")


def _asked(prompt: str) -> str | None:
    """What a person types without it being shown; ``None`` where there is no terminal."""
    if not sys.stdin.isatty():
        return None
    try:
        return getpass(prompt, stream=sys.stderr).strip() or None
    except (EOFError, KeyboardInterrupt):
        return None
