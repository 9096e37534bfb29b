"""The marks of real files: of every kind of image and audio, and of things that are neither."""

import base64
from typing import Final

_FILES: Final = {
    "image/png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\6\0\0\0\0\0\0\0IEND\xaeB`\x82",
    "image/jpeg": b"\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0\xff\xd9",
    "image/gif": b"GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff;",
    "image/webp": b"RIFF\x10\0\0\0WEBPVP8L\x0d\0\0\0\x2f\0\0\0",
    "image/svg+xml": b'<svg xmlns="http://www.w3.org/2000/svg"><circle r="1"/></svg>',
    "image/avif": b"\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf",
    "image/bmp": b"BM\x1e\0\0\0\0\0\0\0\x1a\0\0\0\x0c\0\0\0\1\0\1\0\1\0\x18\0\0\0\xff\0",
    "image/x-icon": b"\0\0\1\0\1\0\x10\x10\0\0\1\0\x20\0\x68\4\0\0\x16\0\0\0",
    "audio/wav": b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x44\xac\0\0\x88\x58\1\0\2\0\x10\0data\0\0\0\0",
    "audio/mpeg": b"ID3\4\0\0\0\0\0\0\xff\xfb\x90\x64\0\0\0\0",
    "audio/ogg": b"OggS\0\2\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\1\x13OpusHead",
    "audio/flac": b"fLaC\0\0\0\x22\x10\0\x10\0\0\0\0\0\0\0\x0a\xc4\x42\xf0\0\0\0\0",
    "audio/mp4": b"\0\0\0\x1cftypM4A \0\0\0\0M4A mp42isom",
    "audio/aac": b"\xff\xf1\x50\x80\x03\xdf\xfc\xde\x02\0",
}

KINDS: Final = tuple(_FILES)
PIXEL: Final = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
"""One whole PNG, of one pixel."""


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def block(mime_type: str, data: bytes | None = None) -> dict[str, str]:
    """An image or audio block of ``mime_type``: of such a file, or of ``data``."""
    kind = mime_type.partition("/")[0]
    return {"type": kind, "data": encoded(_FILES[mime_type] if data is None else data), "mimeType": mime_type}


def picture() -> dict[str, str]:
    return {"type": "image", "data": PIXEL, "mimeType": "image/png"}


def text(said: str) -> dict[str, str]:
    return {"type": "text", "text": said}
