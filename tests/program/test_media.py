"""Whether data is the image or audio it says it is (M1)."""

import signal
import struct
from itertools import product

import pytest

from connecta.program.media import KINDS, recognised

SAMPLES: dict[str, bytes] = {
    "image/png": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x00IEND\xaeB`\x82",
    "image/jpeg": b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\xff\xd9",
    "image/gif": b"GIF89a\x01\x00\x01\x00\x00\x00\x00\x3b",
    "image/webp": b"RIFF\x08\x00\x00\x00WEBPVP8 ",
    "image/svg+xml": b"<?xml version='1.0'?>\n<!-- drawn -->\n<svg xmlns='http://www.w3.org/2000/svg'/>",
    "image/avif": b"\x00\x00\x00\x20ftypavif\x00\x00\x00\x00avifmif1",
    "image/heic": b"\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00mif1heic",
    "image/bmp": b"BM" + struct.pack("<I", 58) + bytes(52),
    "image/tiff": b"MM\x00*\x00\x00\x00\x08",
    "image/x-icon": b"\x00\x00\x01\x00\x01\x00",
    "audio/wav": b"RIFF\x08\x00\x00\x00WAVEfmt ",
    "audio/mpeg": b"\xff\xfb\x90\x64",
    "audio/ogg": b"OggS\x00\x02",
    "audio/flac": b"fLaC\x00\x00\x00\x22",
    "audio/mp4": b"\x00\x00\x00\x1cftypM4A \x00\x00\x02\x00M4A mp42isom",
    "audio/aac": b"\xff\xf1\x50\x80",
    "image/jxl": b"\xff\x0a\x00",
    "audio/aiff": b"FORM\x00\x00\x00\x04AIFF",
    "audio/amr": b"#!AMR\n",
    "audio/webm": b"\x1aE\xdf\xa3\x01",
}


@pytest.mark.parametrize("media_type", SAMPLES)
def test_the_first_bytes_of_a_format_are_taken_for_it(media_type: str) -> None:
    assert KINDS[media_type](SAMPLES[media_type])
    assert recognised(SAMPLES[media_type]) == media_type


@pytest.mark.parametrize("media_type", KINDS)
def test_no_format_is_taken_for_another(media_type: str) -> None:
    """Names of one format share its test; everything else is told apart."""
    others = [data for name, data in SAMPLES.items() if KINDS[name] is not KINDS[media_type]]
    assert [data for data in others if KINDS[media_type](data)] == []


@pytest.mark.parametrize("media_type", KINDS)
@pytest.mark.parametrize("data", [b"", b"\xff", b"R", b"<html><body>", b"\x00" * 16, b"{}"])
def test_what_is_no_media_is_taken_for_none(media_type: str, data: bytes) -> None:
    assert not KINDS[media_type](data)


INKSCAPE = b"<?xml version='1.0' encoding='UTF-8'?>\n<!-- " + b"x" * 5_000 + b" -->\n<svg:svg xmlns:svg='u'/>"
ILLUSTRATOR = b"<!DOCTYPE svg PUBLIC '-//W3C' 'u' [<!ENTITY ns 'u'> <!ENTITY x 'y'>]>\n<svg>"


@pytest.mark.parametrize("data", [INKSCAPE, ILLUSTRATOR, "<svg/>".encode("utf-16"), "\ufeff<svg/>".encode()])
def test_svg_is_known_by_its_root_whatever_stands_before_it(data: bytes) -> None:
    assert recognised(data) == "image/svg+xml"


@pytest.mark.parametrize(
    ("media_type", "data"),
    [
        ("image/svg+xml", b"<html><svg-icon></html>"),
        ("image/svg+xml", b"<!-- <svg> --><html>"),
        ("image/svg+xml", b"<svgx/>"),
        ("audio/mpeg", "plain text".encode("utf-16")),
        ("image/png", SAMPLES["image/png"][:-4]),
        ("image/png", b"\x89PNG\r\n\x1a\n<script>"),
        ("image/jpeg", b"\xff\xd8\xff"),
        ("image/gif", b"GIF89a<script>"),
        ("image/webp", b"RIFF\xff\x00\x00\x00WEBPVP8 "),
        ("image/bmp", b"BM"),
    ],
)
def test_what_only_looks_alike_or_is_cut_off_is_refused(media_type: str, data: bytes) -> None:
    assert not KINDS[media_type](data)


PARTS = (
    "<!DOCTYPE",
    "<!DOCTYPE ",
    "<!DOCTYPE [",
    "<!DOCTYPE x[]",
    "<!DOCTYPE>",
    "<!--",
    "<!---->",
    "<?",
    "<?x?>",
    "<a:",
)
FILLS = (" ", "x", "[", "]", "] ", ">", "<", "a.", "-")
CPU_S = 20
"""Many times what all of them take; one that is scanned again from each of its characters takes as much alone."""


def test_no_text_is_scanned_more_than_once() -> None:
    """A program chooses it, and nothing else is answered meanwhile."""

    def too_much(*_: object) -> None:
        raise AssertionError("still scanning")

    before = signal.signal(signal.SIGVTALRM, too_much)
    signal.setitimer(signal.ITIMER_VIRTUAL, CPU_S)
    try:
        for part, fill in product(PARTS, FILLS):
            for text in (part + fill * 64_000, part * 2_000 + fill * 40_000, (part + fill) * 20_000):
                assert recognised(text.encode()) is None
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def test_a_streamed_wave_file_that_knows_no_length_is_taken() -> None:
    assert recognised(b"RIFF\xff\xff\xff\xffWAVEfmt ") == "audio/wav"
    assert recognised(b"RIFF\xff\xff\xff\xffWEBPVP8 ") is None


def test_an_id3_tag_may_stand_before_audio_and_a_byte_order_mark_before_svg() -> None:
    assert KINDS["audio/mpeg"](b"ID3\x04\0\0\0\0\0\x03abc\0\0\xff\xfb\x90\x64")
    assert KINDS["audio/aac"](b"ID3\x04\0\0\0\0\0\0\xff\xf1\x50\x80")
    assert not KINDS["audio/mpeg"](b"ID3junk and more")
    assert KINDS["image/svg+xml"](b"\xef\xbb\xbf  <svg/>")
