"""Two pictures as PNG bytes, drawn pixel by pixel so that the example needs no imaging library."""

import struct
import zlib
from collections.abc import Sequence

Colour = tuple[int, int, int]

PAPER: Colour = (250, 249, 245)
INK: Colour = (38, 70, 83)
ACCENTS: tuple[Colour, ...] = ((42, 157, 143), (233, 196, 106), (244, 162, 97), (231, 111, 81))


class Canvas:
    """A grid of RGB pixels; (0, 0) is the upper left corner."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._rows = [bytearray(bytes(PAPER) * width) for _ in range(height)]

    def rectangle(self, left: int, top: int, width: int, height: int, colour: Colour) -> None:
        """Filled, and cut off at the edges."""
        start, end = max(0, left), min(self.width, left + width)
        for y in range(max(0, top), min(self.height, top + height)):
            self._rows[y][start * 3 : end * 3] = bytes(colour) * max(0, end - start)

    def png(self) -> bytes:
        raw = b"".join(b"\x00" + row for row in self._rows)
        header = struct.pack(">IIBBBBB", self.width, self.height, 8, 2, 0, 0, 0)
        chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(raw, 9)), (b"IEND", b""))
        return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, body) for kind, body in chunks)


def bar_chart(values: Sequence[float]) -> bytes:
    """One bar a value, the tallest filling the height."""
    canvas = Canvas(40 + 60 * len(values), 240)
    top = max([*values, 1.0])
    for index, value in enumerate(values):
        height = round(200 * value / top)
        canvas.rectangle(30 + 60 * index, 220 - height, 44, height, ACCENTS[index % len(ACCENTS)])
    canvas.rectangle(20, 220, canvas.width - 40, 2, INK)
    return canvas.png()


def flow_diagram(steps: int) -> bytes:
    """``steps`` boxes from left to right, joined by lines."""
    canvas = Canvas(40 + 120 * steps, 120)
    canvas.rectangle(60, 59, 120 * (steps - 1), 3, INK)
    for index in range(steps):
        canvas.rectangle(30 + 120 * index, 35, 80, 50, INK)
        canvas.rectangle(33 + 120 * index, 38, 74, 44, ACCENTS[index % len(ACCENTS)])
    return canvas.png()


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
