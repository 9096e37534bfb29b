"""Text that leaves this server and comes back as it was: signed, for one purpose and one deployment, with an end."""

import hmac
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import cast

from connecta.text import JsonObject, compact


class Seals:
    """Everything sealed under one key, by one clock."""

    def __init__(self, key: bytes, deployment: str) -> None:
        self._key = key
        self._deployment = deployment

    def sealed(self, purpose: str, content: JsonObject, until: float) -> str:
        """``content`` as URL-safe text that ``opened`` knows until then (epoch seconds)."""
        body = _base64(compact([content, int(until)]).encode())
        return f"{body}.{self._signature(purpose, body)}"

    def opened(self, purpose: str, text: str, now: float) -> JsonObject | None:
        """What was sealed for ``purpose``; ``None`` for anything that was not, or has ended."""
        body, _, signature = text.partition(".")
        if not hmac.compare_digest(signature.encode(), self._signature(purpose, body).encode()):
            return None
        content, until = cast("tuple[JsonObject, int]", json.loads(urlsafe_b64decode(body + "=" * (-len(body) % 4))))
        return content if now < until else None

    def _signature(self, purpose: str, body: str) -> str:
        said = compact([self._deployment, purpose, body]).encode()
        return _base64(hmac.digest(self._key, said, "sha256"))


def _base64(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()
