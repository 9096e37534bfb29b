"""Whether a block's data is the image or audio it says it is, by how it begins and, where that shows, ends (M1).

A host hands the block to a decoder that believes ``mimeType``; one that does not fit, or that was cut off, shows as a
broken block. The marks of each format are its own specification's; a table of them is all that is needed of a library.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final

Test = Callable[[bytes], bool]

# Atomic and possessive: a program chooses the text, and backtracking into its comments would take for ever.
_SVG_ROOT: Final = re.compile(
    r"(?>\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*+(?:\[.*?\])?\s*+>)*+<(?:[\w.-]+:)?svg[\s/>]", re.DOTALL
)
_SVG_HEAD: Final = 64 * 1024
"""Declarations, comments and a doctype may stand before the root element, within so many characters."""


def _begins(*heads: bytes) -> Test:
    return lambda data: data.startswith(heads)


def _riff(data: bytes, form: bytes) -> bool:
    """A RIFF file of that form which is all there: it says how long it is."""
    return data[:4] == b"RIFF" and data[8:12] == form and int.from_bytes(data[4:8], "little") <= len(data) - 8


def _wave(data: bytes) -> bool:
    """A streamed one, and one of 64 bits, say in place of a length that they know none."""
    endless = data[:4] == b"RF64" or data[:8] == b"RIFF\xff\xff\xff\xff"
    return _riff(data, b"WAVE") or (endless and data[8:12] == b"WAVE")


def _png(data: bytes) -> bool:
    """From its signature and header to its last chunk: what is cut off shows as broken."""
    return data.startswith(b"\x89PNG\r\n\x1a\n") and data[12:16] == b"IHDR" and b"IEND\xaeB`\x82" in data[-64:]


def _jpeg(data: bytes) -> bool:
    return data.startswith(b"\xff\xd8\xff") and data.rfind(b"\xff\xd9") > 3


def _gif(data: bytes) -> bool:
    return data.startswith((b"GIF87a", b"GIF89a")) and len(data) > 13 and data.rstrip(b"\0").endswith(b";")


def _brand(*brands: bytes) -> Test:
    """An ISO base media file: its brand, or one it is compatible with, is among ``brands``."""

    def fits(data: bytes) -> bool:
        end = min(int.from_bytes(data[:4], "big"), 256)
        return data[4:8] == b"ftyp" and any(data[at : at + 4] in brands for at in range(8, end, 4))

    return fits


def _svg(data: bytes) -> bool:
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    return _SVG_ROOT.match(data[: 2 * _SVG_HEAD].decode(encoding, "replace")[:_SVG_HEAD]) is not None


def _untagged(data: bytes) -> bytes:
    """``data`` after the ID3 tag it may begin with, whose size has seven bits a byte, and the padding after that."""
    if not data.startswith(b"ID3") or len(data) < 10:
        return data
    size = data[6] << 21 | data[7] << 14 | data[8] << 7 | data[9]
    return data[10 + size :].lstrip(b"\0")


def _mpeg_audio(data: bytes) -> bool:
    """A frame header of layer II or III whose version, bit rate and sample rate exist."""
    head = _untagged(data)[:4]
    if len(head) < 4 or head[0] != 0xFF or head[1] < 0xE0:
        return False
    version, layer, bit_rate, sample_rate = head[1] >> 3 & 3, head[1] >> 1 & 3, head[2] >> 4, head[2] >> 2 & 3
    return version != 1 and layer in (1, 2) and bit_rate != 15 and sample_rate != 3


def _aac(data: bytes) -> bool:
    """An ADTS frame, which is layer 0."""
    head = _untagged(data)[:2]
    return len(head) == 2 and head[0] == 0xFF and head[1] & 0xF6 == 0xF0


_OGG: Final = _begins(b"OggS")
_FLAC: Final = _begins(b"fLaC")
_ICON: Final = _begins(b"\x00\x00\x01\x00")
_HEIF: Final = _brand(b"heic", b"heix", b"hevc", b"msf1")
_MP4_AUDIO: Final = _brand(
    *(b"M4A ", b"M4B ", b"mp41", b"mp42", b"isom", b"iso2", b"iso4", b"iso5", b"iso6", b"iso8", b"cmfc", b"dash"),
    *(b"3gp4", b"3gp5", b"3gp6"),
)

KINDS: Final[Mapping[str, Test]] = {
    "image/png": _png,
    "image/apng": _png,
    "image/jpeg": _jpeg,
    "image/gif": _gif,
    "image/webp": lambda data: _riff(data, b"WEBP"),
    "image/svg+xml": _svg,
    "image/avif": _brand(b"avif", b"avis"),
    "image/heic": _HEIF,
    "image/heif": _HEIF,
    "image/jxl": _begins(b"\xff\x0a", b"\x00\x00\x00\x0cJXL "),
    "image/bmp": lambda data: data.startswith(b"BM") and len(data) > 26,
    "image/tiff": _begins(b"II*\x00", b"MM\x00*", b"II+\x00", b"MM\x00+"),
    "image/x-icon": _ICON,
    "image/vnd.microsoft.icon": _ICON,
    "audio/wav": _wave,
    "audio/x-wav": _wave,
    "audio/wave": _wave,
    "audio/vnd.wave": _wave,
    "audio/mpeg": _mpeg_audio,
    "audio/mp3": _mpeg_audio,
    "audio/ogg": _OGG,
    "audio/opus": _OGG,
    "audio/flac": _FLAC,
    "audio/x-flac": _FLAC,
    "audio/mp4": _MP4_AUDIO,
    "audio/x-m4a": _MP4_AUDIO,
    "audio/aac": _aac,
    "audio/aiff": lambda data: data.startswith(b"FORM") and data[8:12] in (b"AIFF", b"AIFC"),
    "audio/amr": _begins(b"#!AMR"),
    "audio/webm": _begins(b"\x1aE\xdf\xa3"),
}


def known(kind: str) -> list[str]:
    """The media types of ``kind`` (``image`` or ``audio``) that a block may have."""
    return [media_type for media_type in KINDS if media_type.startswith(f"{kind}/")]


def recognised(data: bytes) -> str | None:
    """The media type ``data`` begins like; ``None`` when it is like none that is known."""
    return next((media_type for media_type, fits in KINDS.items() if fits(data)), None)
