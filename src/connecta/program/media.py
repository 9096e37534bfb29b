"""Whether a block's data is the image or audio it says it is, by its first bytes (M1).

A host hands the block to a decoder that believes ``mimeType``; one that does not fit shows as a broken block. The
bytes each format begins with are its own specification's; a table of them is all that is needed of a library here.
"""

from collections.abc import Callable, Mapping
from typing import Final

Test = Callable[[bytes], bool]

_SVG_HEAD: Final = 1_024
"""An XML declaration, comments and a doctype may stand before the root element, within so many bytes."""


def _begins(*heads: bytes) -> Test:
    return lambda data: data.startswith(heads)


def _riff(form: bytes) -> Test:
    return lambda data: data.startswith(b"RIFF") and data[8:12] == form


def _brand(*brands: bytes) -> Test:
    """An ISO base media file: its brand, or one it is compatible with, is among ``brands``."""
    return lambda data: data[4:8] == b"ftyp" and any(data[at : at + 4] in brands for at in range(8, 64, 4))


def _svg(data: bytes) -> bool:
    head = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    return head.startswith(b"<") and b"<svg" in head[:_SVG_HEAD]


def _mpeg_audio(data: bytes) -> bool:
    """An ID3 tag, or the eleven set bits of a frame's sync word with a layer that exists."""
    return data.startswith(b"ID3") or (
        len(data) > 1 and data[0] == 0xFF and data[1] & 0xE0 == 0xE0 and bool(data[1] & 6)
    )


def _adts(data: bytes) -> bool:
    return len(data) > 1 and data[0] == 0xFF and data[1] & 0xF6 == 0xF0


_OGG: Final = _begins(b"OggS")
_FLAC: Final = _begins(b"fLaC")
_WAV: Final = _riff(b"WAVE")
_ICON: Final = _begins(b"\x00\x00\x01\x00")
_MP4_AUDIO: Final = _brand(b"M4A ", b"M4B ", b"mp41", b"mp42", b"isom", b"iso2", b"iso5", b"iso6", b"dash")

KINDS: Final[Mapping[str, Test]] = {
    "image/png": _begins(b"\x89PNG\r\n\x1a\n"),
    "image/jpeg": _begins(b"\xff\xd8\xff"),
    "image/gif": _begins(b"GIF87a", b"GIF89a"),
    "image/webp": _riff(b"WEBP"),
    "image/svg+xml": _svg,
    "image/avif": _brand(b"avif", b"avis"),
    "image/heic": _brand(b"heic", b"heix"),
    "image/bmp": _begins(b"BM"),
    "image/tiff": _begins(b"II*\x00", b"MM\x00*"),
    "image/x-icon": _ICON,
    "image/vnd.microsoft.icon": _ICON,
    "audio/wav": _WAV,
    "audio/x-wav": _WAV,
    "audio/wave": _WAV,
    "audio/mpeg": _mpeg_audio,
    "audio/mp3": _mpeg_audio,
    "audio/ogg": _OGG,
    "audio/opus": _OGG,
    "audio/flac": _FLAC,
    "audio/x-flac": _FLAC,
    "audio/mp4": _MP4_AUDIO,
    "audio/x-m4a": _MP4_AUDIO,
    "audio/aac": _adts,
    "audio/webm": _begins(b"\x1aE\xdf\xa3"),
}


def known(kind: str) -> list[str]:
    """The media types of ``kind`` (``image`` or ``audio``) that a block may have."""
    return [media_type for media_type in KINDS if media_type.startswith(f"{kind}/")]


def recognised(data: bytes) -> str | None:
    """The media type ``data`` begins like; ``None`` when it is like none that is known."""
    return next((media_type for media_type, fits in KINDS.items() if fits(data)), None)
