"""What the vault writes: one run of bytes that says of itself how it is to be opened."""

import struct
from dataclasses import dataclass
from typing import Final

from connecta.auth.vault.keys import Unreadable

_MAGIC: Final = b"CNV"
_FORMAT: Final = 1
_LENGTHS: Final = struct.Struct(">3sBHH")
"""The mark, the format, and the bytes of the key's id and of the wrapped data key, which follow."""
NONCE_BYTES: Final = 12
_TAG_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class Blob:
    """The id of the key that wrapped the data key, the data key as wrapped, and what is encrypted with it."""

    key_id: str
    wrapped: bytes
    nonce: bytes
    ciphertext: bytes

    @property
    def head(self) -> bytes:
        """Everything before the nonce, which the ciphertext is bound to as well."""
        return head_of(self.key_id, self.wrapped)

    def packed(self) -> bytes:
        return self.head + self.nonce + self.ciphertext


def head_of(key_id: str, wrapped: bytes) -> bytes:
    id = key_id.encode()
    return _LENGTHS.pack(_MAGIC, _FORMAT, len(id), len(wrapped)) + id + wrapped


def blob_in(packed: bytes) -> Blob:
    """Raises ``Unreadable`` for bytes that no blob is made of."""
    if len(packed) < _LENGTHS.size or packed[: len(_MAGIC)] != _MAGIC:
        raise Unreadable("malformed")
    _, written, id_bytes, wrapped_bytes = _LENGTHS.unpack_from(packed)
    if written != _FORMAT:
        raise Unreadable("unknown_format")
    wrapped_at = _LENGTHS.size + id_bytes
    nonce_at = wrapped_at + wrapped_bytes
    if len(packed) < nonce_at + NONCE_BYTES + _TAG_BYTES:
        raise Unreadable("malformed")
    try:
        key_id = packed[_LENGTHS.size : wrapped_at].decode()
    except UnicodeDecodeError as error:
        raise Unreadable("malformed") from error
    sealed_at = nonce_at + NONCE_BYTES
    return Blob(key_id, packed[wrapped_at:nonce_at], packed[nonce_at:sealed_at], packed[sealed_at:])
