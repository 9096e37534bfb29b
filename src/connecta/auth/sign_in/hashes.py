"""What is kept of a passphrase: scrypt, made to cost whoever guesses 32 MiB and a third of a second a time."""

import hashlib
import hmac
import re
import secrets
import unicodedata
from base64 import b64decode, b64encode
from typing import Final

_LOG2_N: Final = 15
_R: Final = 8
_P: Final = 3
"""128 * r * 2**15 bytes are 32 MiB, three times over: as strong as 2**17 once, in the memory a small function has."""
_SALT_BYTES: Final = 16
_HASH_BYTES: Final = 32
_MOST_BYTES: Final = 160 * 1024 * 1024
"""Most memory any kept hash may ask for."""
_FORM: Final = re.compile(
    r"\$scrypt\$ln=([0-9]{1,2}),r=([0-9]{1,2}),p=([0-9]{1,2})\$([A-Za-z0-9+/]{22}==)\$([A-Za-z0-9+/]{43}=)"
)


def hashed(passphrase: str) -> str:
    """``passphrase`` as it may be kept, under a salt of its own."""
    salt = secrets.token_bytes(_SALT_BYTES)
    digest = _scrypt(passphrase, salt, _LOG2_N, _R, _P)
    return f"$scrypt$ln={_LOG2_N},r={_R},p={_P}${b64encode(salt).decode()}${b64encode(digest).decode()}"


def is_hash(kept: str) -> bool:
    return _FORM.fullmatch(kept) is not None


def matches(passphrase: str, kept: str) -> bool:
    """Whether ``kept`` was made from ``passphrase``. Takes the time it was made to take: call it on a thread.

    Raises ``ValueError`` for what is no such hash, or asks for more memory than there may be.
    """
    form = _FORM.fullmatch(kept)
    if form is None:
        raise ValueError("not a hash of a passphrase")
    log2_n, r, p = (int(form[part]) for part in (1, 2, 3))
    digest = _scrypt(passphrase, b64decode(form[4]), log2_n, r, p)
    return hmac.compare_digest(digest, b64decode(form[5]))


def _scrypt(passphrase: str, salt: bytes, log2_n: int, r: int, p: int) -> bytes:
    # Keyboards differ in how they write the same letters.
    typed = unicodedata.normalize("NFKC", passphrase).encode("utf-8", "surrogatepass")
    return hashlib.scrypt(typed, salt=salt, n=1 << log2_n, r=r, p=p, maxmem=_MOST_BYTES, dklen=_HASH_BYTES)
