"""Request bodies, read no further than they may be long."""

from typing import Final

from starlette.requests import Request

CLIENT_GONE: Final = 499
"""The status for a client that left before its body was here. Nobody reads it; access logs know it."""


async def body_within(request: Request, limit: int) -> bytes | None:
    """The body, or ``None`` as soon as more than ``limit`` bytes of it have come, whatever it said of its length.

    Raises ``ClientDisconnect``.
    """
    chunks: list[bytes] = []
    length = 0
    async for chunk in request.stream():
        length += len(chunk)
        if length > limit:
            return None
        chunks.append(chunk)
    return b"".join(chunks)
