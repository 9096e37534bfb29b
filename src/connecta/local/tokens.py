"""``python -m connecta tokens``: the named tokens of a deployment, issued, listed, renamed and revoked."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import Final, TypeVar

from connecta.auth.access_tokens import AccessTokens as Kind
from connecta.auth.access_tokens import token_name
from connecta.composition import load_deployment
from connecta.limits import LIMITS
from connecta.local.errors import CommandError
from connecta.local.states import Place, with_state
from connecta.state import State
from connecta.state.access_tokens import AccessToken
from connecta.text import JsonObject, ascii_json

T = TypeVar("T")

_HEADINGS: Final = ("ID", "NAME", "CREATED (UTC)", "LAST USED", "EXPIRES")


def issue(place: Place, name: str, life_s: int | None) -> None:
    """Print a new token, which is shown this once. Raises ``CommandError``."""
    checked = _name(name)
    token, text = _run(place, lambda state: state.access_tokens.issue(checked, life_s=life_s))
    print(f'Issued {token.id}, "{token.name}". This is the only time the token is shown:', file=sys.stderr)
    print(text)
    _warn_unless_taken(place)


def show(place: Place, *, as_json: bool) -> None:
    """Print what is known of each token, never the token. Raises ``CommandError``."""
    tokens = _run(place, lambda state: state.access_tokens.tokens())
    lines = [ascii_json(_described(token)) for token in tokens] if as_json else _columns(tokens)
    print(*lines, sep="\n", end="\n" if lines else "")


def rename(place: Place, id: str, name: str) -> None:
    """Raises ``CommandError``."""
    checked = _name(name)
    if _run(place, lambda state: state.access_tokens.rename(id, checked)) is None:
        raise _unknown()
    print(f'{id} is now "{checked}".')


def revoke(place: Place, id: str) -> None:
    """Raises ``CommandError``."""
    if not _run(place, lambda state: state.access_tokens.revoke(id)):
        raise _unknown()
    print(f"Revoked {id}. It is refused everywhere within {LIMITS.token_memory_s:g} seconds.")


def _run(place: Place, work: Callable[[State], Awaitable[T]]) -> T:
    return asyncio.run(with_state(place, work))


def _warn_unless_taken(place: Place) -> None:
    if not any(isinstance(kind, Kind) for kind in load_deployment(place.deployment).auth):
        print("The deployment does not take such tokens yet: give it auth=[AccessTokens(), …].", file=sys.stderr)


def _name(name: str) -> str:
    checked = token_name(name, LIMITS)
    if checked is None:
        raise CommandError(f"A name is 1 to {LIMITS.token_name_chars} printable characters.")
    return checked


def _unknown() -> CommandError:
    return CommandError("There is no such token. Its id is the first column of: python -m connecta tokens list")


def _described(token: AccessToken) -> JsonObject:
    return {
        "id": token.id,
        "name": token.name,
        "createdAt": _iso(token.created_at),
        "lastUsedAt": None if token.used_at is None else _iso(token.used_at),
        "expiresAt": None if token.expires_at is None else _iso(token.expires_at),
    }


def _columns(tokens: Sequence[AccessToken]) -> list[str]:
    rows = [_HEADINGS, *(_row(token) for token in tokens)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADINGS))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _row(token: AccessToken) -> tuple[str, ...]:
    used = "never" if token.used_at is None else _minute(token.used_at)
    return token.id, token.name, _minute(token.created_at), used, _minute(token.expires_at)


def _minute(at: float | None) -> str:
    return "never" if at is None else f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M}"


def _iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")
