"""Answers that fit through Lambda: compressed when the client takes that, measured as Lambda will send them.

The limit is on the whole proxy response, in which the body is a string. Over it there is no error to handle: the
runtime process dies, and the next request pays for a new one.
"""

import gzip
import json
from dataclasses import dataclass
from typing import Final

from connecta.limits import Limits
from connecta.web.negotiation import accepts_gzip

_WORST_GROWTH: Final = 6
"""A control character of one byte becomes six; nothing grows more."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """A body as it goes out. ``encoded`` is its size inside the proxy response, in bytes."""

    body: bytes
    encoded: int
    gzipped: bool


def fit(body: bytes, accept_encoding: str, limits: Limits) -> Fitted:
    """``body``, compressed when it is long enough and ``accept_encoding`` allows it, and how much room it takes."""
    if len(body) >= limits.gzip_from_bytes and accepts_gzip(accept_encoding):
        packed = gzip.compress(body, compresslevel=1, mtime=0)
        return Fitted(packed, base64_size(packed), gzipped=True)
    return Fitted(body, encoded_size(body, limits), gzipped=False)


def encoded_size(body: bytes, limits: Limits) -> int:
    """Bytes ``body`` takes in the proxy response: as a JSON string if it is UTF-8, else as base64.

    The Python runtimes from 3.12 on write non-ASCII characters as they are. A body too short to come near the
    limit is not measured but estimated from above.
    """
    if len(body) * _WORST_GROWTH <= limits.response_bytes:
        return len(body) * _WORST_GROWTH
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return base64_size(body)
    return len(json.dumps(text, ensure_ascii=False).encode())


def base64_size(body: bytes) -> int:
    return (len(body) + 2) // 3 * 4
