"""Data keys under a key in a file: for the local server, which has no KMS."""

import hashlib
import os
import secrets
import stat
import tempfile
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from connecta.auth.vault.keys import KEY_BYTES, Context, DataKey, Unreadable
from connecta.text import compact

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

FILE: Final = "credentials.key"
"""Under the local server's data folder; readable by its owner alone."""
_NONCE_BYTES: Final = 12
_OTHERS: Final = 0o077
"""Mode bits of everybody who is not the owner."""
_MOST_READ: Final = 1_024


class LocalKeys:
    """Data keys wrapped by the key in ``file``, which is made with the first of them and never made again for what it
    once wrapped."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def new(self, context: Context) -> DataKey:
        try:
            key = self._kept() or self._made()
        except OSError as error:
            raise Unreadable("denied_key") from error
        plain, nonce = secrets.token_bytes(KEY_BYTES), secrets.token_bytes(_NONCE_BYTES)
        wrapped = nonce + _cipher(key).encrypt(nonce, plain, _bound(context))
        return DataKey(plain, wrapped, _id_of(key))

    def unwrapped(self, key_id: str, wrapped: bytes, context: Context) -> bytes:
        from cryptography.exceptions import InvalidTag

        key = self._kept()
        if key is None:
            raise Unreadable("missing_key")
        if key_id != _id_of(key):
            raise Unreadable("wrong_key")
        nonce, sealed = wrapped[:_NONCE_BYTES], wrapped[_NONCE_BYTES:]
        try:
            return _cipher(key).decrypt(nonce, sealed, _bound(context))
        except (InvalidTag, ValueError) as error:
            raise Unreadable("tampered") from error

    def close(self) -> None:
        """There is nothing to close."""

    def _kept(self) -> bytes | None:
        """The key in the file; ``None`` where there is no file."""
        try:
            with self._file.open("rb") as opened:
                standing = os.fstat(opened.fileno())
                if standing.st_mode & _OTHERS or not stat.S_ISREG(standing.st_mode):
                    raise Unreadable("exposed_key")
                return _key_in(opened.read(_MOST_READ))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise Unreadable("denied_key") from error

    def _made(self) -> bytes:
        """A new key, or the one another process made meanwhile: the file appears whole, and once."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=self._file.parent, prefix=f"{self._file.name}.")
        try:
            with os.fdopen(descriptor, "wb") as written:
                written.write(b64encode(secrets.token_bytes(KEY_BYTES)) + b"\n")
                written.flush()
                os.fsync(descriptor)
            with suppress(FileExistsError):
                os.link(name, self._file)
        finally:
            os.unlink(name)
        key = self._kept()
        if key is None:
            raise Unreadable("missing_key")
        return key


def _key_in(text: bytes) -> bytes:
    try:
        key = b64decode(text.strip(), validate=True)
    except NotBase64 as error:
        raise Unreadable("broken_key") from error
    if len(key) != KEY_BYTES:
        raise Unreadable("broken_key")
    return key


def _id_of(key: bytes) -> str:
    """A name for the key that tells nothing of it."""
    return "file:" + hashlib.sha256(b"connecta key id\n" + key).hexdigest()[:16]


def _bound(context: Context) -> bytes:
    return compact(sorted(context.items())).encode()


def _cipher(key: bytes) -> "AESGCM":
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM(key)
