"""Paging a kept result: byte offsets that never split a character."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connecta.text import JsonObject
from connecta.tools.get_result import page


@pytest.mark.parametrize(
    ("text", "offset", "most", "expected"),
    [
        ("abcdef", 0, 4, {"text": "abcd", "offset": 0, "totalBytes": 6, "nextOffset": 4}),
        ("abcdef", 4, 4, {"text": "ef", "offset": 4, "totalBytes": 6}),
        ("aé", 2, 10, {"text": "é", "offset": 1, "totalBytes": 3}),
        ("aéb", 0, 2, {"text": "a", "offset": 0, "totalBytes": 4, "nextOffset": 1}),
        ("𝄞b", 0, 1, {"text": "𝄞", "offset": 0, "totalBytes": 5, "nextOffset": 4}),
        ("abc", 99, 10, {"text": "", "offset": 3, "totalBytes": 3}),
        ("", 0, 10, {"text": "", "offset": 0, "totalBytes": 0}),
    ],
)
def test_a_page_starts_and_ends_between_characters(text: str, offset: int, most: int, expected: JsonObject) -> None:
    assert page(text, offset, most) == expected


@given(st.text(max_size=60), st.integers(min_value=1, max_value=7))
def test_following_next_offset_reads_every_character_once(text: str, most: int) -> None:
    read, offset = "", 0
    while True:
        piece = page(text, offset, most)
        read += str(piece["text"])
        following = piece.get("nextOffset")
        if not isinstance(following, int):
            break
        assert following > offset
        offset = following
    assert read == text
