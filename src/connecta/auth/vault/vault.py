"""The vault: values encrypted for one field of one connector of one deployment, and for nobody else to open."""

import secrets
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from connecta.auth.vault.blobs import NONCE_BYTES, Blob, blob_in, head_of
from connecta.auth.vault.keys import Context, DataKeys, Unreadable, unusable
from connecta.auth.vault.unwrapping import Unwrapping
from connecta.limits import LIMITS, Limits
from connecta.log import logger
from connecta.text import compact

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM


class Vault:
    """AES-256-GCM, every value under a data key of its own. Key and value are both bound to deployment, connector and
    field, so what is moved to another place cannot be opened there."""

    def __init__(
        self, keys: DataKeys, deployment: str, limits: Limits = LIMITS, now: Callable[[], float] = time.time
    ) -> None:
        self._deployment = deployment
        self._keys = Unwrapping(keys, limits, now)

    async def sealed(self, connector: str, field: str, plain: bytes) -> bytes:
        """``plain`` as ``opened`` knows it. Raises ``unavailable``, not to be retried where only the operator can put
        the key right."""
        context = self._context(connector, field)
        try:
            key = await self._keys.new(context)
        except Unreadable as error:
            logger.error("Nothing can be sealed.", extra={**context, "reason": error.reason})
            raise unusable() from error
        nonce = secrets.token_bytes(NONCE_BYTES)
        head = head_of(key.key_id, key.wrapped)
        ciphertext = _cipher(key.plain).encrypt(nonce, plain, _bound(head, context))
        return Blob(key.key_id, key.wrapped, nonce, ciphertext).packed()

    async def opened(self, connector: str, field: str, sealed: bytes) -> bytes:
        """What was sealed for this place.

        Raises ``Unreadable`` for what will not get better by itself, which the log then has, and ``unavailable`` for
        what may. Nothing is changed or removed by failing.
        """
        context = self._context(connector, field)
        key_id = ""
        try:
            blob = blob_in(sealed)
            key_id = blob.key_id
            return _decrypted(blob, await self._keys.key_of(blob, context), context)
        except Unreadable as error:
            logger.error("What is sealed cannot be opened.", extra={**context, "reason": error.reason, "key": key_id})
            raise

    async def close(self) -> None:
        """Close the connections to KMS; nothing is sealed or opened any more."""
        await self._keys.close()

    def _context(self, connector: str, field: str) -> Context:
        return {"deployment": self._deployment, "connector": connector, "field": field}


def _decrypted(blob: Blob, key: bytes, context: Context) -> bytes:
    from cryptography.exceptions import InvalidTag

    try:
        return _cipher(key).decrypt(blob.nonce, blob.ciphertext, _bound(blob.head, context))
    except InvalidTag as error:
        raise Unreadable("tampered") from error


def _bound(head: bytes, context: Context) -> bytes:
    """What is authenticated beside the value: where it belongs, and how it says it is to be opened."""
    return head + compact(sorted(context.items())).encode()


def _cipher(key: bytes) -> "AESGCM":
    # Imported here because it costs a cold start 20 ms, and many requests open nothing.
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM(key)
