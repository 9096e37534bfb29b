"""The one secret sign-in rests on: a key that signs sessions and forms, and the hash of the passphrase, if there is
one. As JSON: ``{ "key", "passphrase"? }``."""

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from connecta.auth.secrets_manager import secret_value
from connecta.auth.sign_in.hashes import is_hash
from connecta.failures import Failure, unavailable
from connecta.limits import Limits
from connecta.log import logger

SECRET_VARIABLE: Final = "CONNECTA_SIGN_IN_SECRET"  # noqa: S105 (a name, not a secret)
"""Where the template says which Secrets Manager secret it is."""
FILE_VARIABLE: Final = "CONNECTA_SIGN_IN_FILE"
"""Where the local server says which file it is."""
_UNUSABLE: Final = "Nobody can sign in here at the moment: the server's owner has to look at its log."
KEY_CHARS: Final = 32
"""Least length of the key: the template makes one of 64 letters and digits."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What the secret holds. A new key ends every session and every open form."""

    key: bytes
    passphrase: str | None

    def __repr__(self) -> str:
        """Never the secret: this may end up in a log."""
        return "Kept(…)"


class SignInSecret:
    """Read when the first page is shown, and again after ``limits.sign_in_secret_s``, so that a new passphrase holds
    everywhere soon."""

    def __init__(self, read: Callable[[], str], limits: Limits, now: Callable[[], float] = time.monotonic) -> None:
        self._read = read
        self._life_s = limits.sign_in_secret_s
        self._now = now
        self._kept: tuple[float, Kept] | None = None

    async def kept(self) -> Kept:
        """Raises ``unavailable`` when the secret cannot be read or is none."""
        now = self._now()
        if self._kept is None or now >= self._kept[0] + self._life_s:
            self._kept = (now, _parsed(await asyncio.to_thread(self._read)))
        return self._kept[1]


def source_in(environ: Mapping[str, str]) -> Callable[[], str]:
    """What reads the secret that the environment names. It raises ``unavailable``."""

    def read() -> str:
        secret, file = environ.get(SECRET_VARIABLE), environ.get(FILE_VARIABLE)
        if secret:
            return secret_value(secret, _UNUSABLE)
        if not file:
            logger.error("Nothing says where the secret for signing in is kept.", extra={"variable": SECRET_VARIABLE})
            raise _unusable()
        try:
            return Path(file).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            logger.error("The file with the secret for signing in cannot be read.")
            raise _unusable() from error

    return read


def secret_text(key: str, passphrase: str | None) -> str:
    """The secret as it is kept."""
    return json.dumps({"key": key, **({} if passphrase is None else {"passphrase": passphrase})})


def _parsed(text: str) -> Kept:
    try:
        given: object = json.loads(text)
    except (ValueError, RecursionError):
        given = None
    members = cast("dict[str, Any]", given) if isinstance(given, dict) else {}
    key, passphrase = members.get("key"), members.get("passphrase")
    if not isinstance(key, str) or len(key) < KEY_CHARS or not _is_passphrase(passphrase):
        logger.error("The secret for signing in is not what python -m connecta passphrase writes.")
        raise _unusable()
    return Kept(key.encode(), passphrase)


def _is_passphrase(given: object) -> bool:
    return given is None or (isinstance(given, str) and is_hash(given))


def _unusable() -> Failure:
    return unavailable(_UNUSABLE)
