"""``python -m connecta passphrase``: what people sign in with, set or replaced, here or in a deployed stack."""

import getpass
import os
import secrets
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol, cast

from connecta.auth.sign_in.hashes import hashed
from connecta.auth.sign_in.secret import secret_text
from connecta.limits import LIMITS
from connecta.local.errors import CommandError

FILE: Final = "sign-in.json"
"""Under the local server's data folder; readable by its owner alone."""
_KEY_BYTES: Final = 48
_ALPHABET: Final = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without letters and digits that look like another."""
_GROUPS: Final = 5
_GROUP: Final = 5


@dataclass(frozen=True, slots=True)
class Where:
    """In the Secrets Manager secret ``secret``, else in the folder ``data``; ``printed`` is for who keeps it by
    other means."""

    data: Path
    secret: str | None = None
    printed: bool = False


def set_passphrase(where: Where, *, generate: bool = False) -> None:
    """Ask for a passphrase (or make one and print it) and keep its hash. Raises ``CommandError``.

    The key beside it is a new one, so that whoever is signed in has to sign in again.
    """
    passphrase = _generated() if generate else _asked()
    text = secret_text(_new_key(), hashed(passphrase))
    if generate:
        print("The passphrase, shown this once:", file=sys.stderr)
        print(passphrase, flush=True)
    if where.printed:
        print(text)
    elif where.secret is not None:
        _put_secret(where.secret, text)
        print(f"Set. It holds everywhere within {LIMITS.sign_in_secret_s} seconds.", file=sys.stderr)
    else:
        _write(where.data / FILE, text)
        print(f"Set, in {where.data / FILE}. It holds within {LIMITS.sign_in_secret_s} seconds.", file=sys.stderr)


def local_secret(data: Path) -> Path:
    """The local server's own secret: made without a passphrase where there is none yet."""
    file = data / FILE
    if not file.exists():
        _write(file, secret_text(_new_key(), None))
    return file


def _new_key() -> str:
    return secrets.token_urlsafe(_KEY_BYTES)


def _generated() -> str:
    return "-".join("".join(secrets.choice(_ALPHABET) for _ in range(_GROUP)) for _ in range(_GROUPS))


def _asked() -> str:
    if not sys.stdin.isatty():
        return _checked(sys.stdin.readline().rstrip("\r\n"))
    passphrase = _checked(getpass.getpass("Passphrase: "))
    if getpass.getpass("Once more: ") != passphrase:
        raise CommandError("The two are not the same; nothing was changed.")
    return passphrase


def _checked(passphrase: str) -> str:
    if not LIMITS.passphrase_chars <= len(passphrase) <= LIMITS.passphrase_chars_max:
        raise CommandError(
            f"A passphrase has {LIMITS.passphrase_chars} to {LIMITS.passphrase_chars_max:,} characters: some words "
            "are better than some signs. --generate makes one."
        )
    if not passphrase.isprintable() or passphrase != passphrase.strip() or len(set(passphrase)) < 5:
        raise CommandError(
            "A passphrase is printable, has no space at either end, and more than a few different signs."
        )
    return passphrase


def _write(file: Path, text: str) -> None:
    """Whole or not at all, for its owner alone."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=f"{FILE}.")
        with os.fdopen(descriptor, "w", encoding="utf-8") as written:
            written.write(text)
        Path(name).replace(file)
    except OSError as error:
        raise CommandError(f"{file} cannot be written: {error.strerror}.") from error


class _SecretsManager(Protocol):
    put_secret_value: Callable[..., object]

    def close(self) -> None: ...


def _put_secret(secret: str, text: str) -> None:
    import boto3
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        client = cast(_SecretsManager, boto3.client("secretsmanager"))  # pyright: ignore[reportUnknownMemberType, reportCallIssue, reportArgumentType]
        try:
            client.put_secret_value(SecretId=secret, SecretString=text)
        finally:
            client.close()
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "an error")
        raise CommandError(
            f"AWS answered {code}: look at the secret's name, the region and your permissions."
        ) from None
    except BotoCoreError as error:
        raise CommandError(f"AWS cannot be reached with your credentials: {type(error).__name__}.") from None
