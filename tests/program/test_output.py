"""What ``connecta.emit`` and ``connecta.ui`` take and refuse (M1 - M5, U1 - U4)."""

import pytest

from connecta.failures import Failure
from connecta.limits import Limits
from connecta.program.output import Output
from connecta.text import Json

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


@pytest.mark.parametrize(
    "block",
    [
        {"type": "text", "text": ""},
        {"type": "text", "text": "hello"},
        {"type": "image", "data": PIXEL, "mimeType": "image/png"},
        {"type": "audio", "data": "UklGRgQAAABXQVZFZm10IA==", "mimeType": "audio/wav"},
    ],
)
def test_a_block_of_a_known_shape_is_taken_as_it_is(block: Json) -> None:
    """M1."""
    output = Output(Limits())
    output.emit([block])
    assert output.blocks == [block]


def test_a_media_type_is_delivered_bare() -> None:
    """M1: a host may know it in no other form."""
    output = Output(Limits())
    output.emit([{"type": "image", "data": PIXEL, "mimeType": "IMAGE/PNG; name=<script>"}])
    assert output.blocks == [{"type": "image", "data": PIXEL, "mimeType": "image/png"}]


REFUSED: list[tuple[list[Json], str]] = [
    ([], "exactly one block"),
    ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "exactly one block"),
    (["hello"], "a string"),
    ([None], "null"),
    ([[]], "an array"),
    ([{"type": "resource", "resource": {}}], "mints no address"),
    ([{"type": "resource_link", "uri": "ui://x"}], "mints no address"),
    ([{"type": "video"}], "none of text, image, audio"),
    ([{"type": "text"}], "exactly the fields text, type"),
    ([{"type": "text", "text": 1}], "all of them strings"),
    ([{"type": "text", "text": "a", "annotations": {}}], "exactly the fields"),
    ([{"type": "image", "data": PIXEL, "mimeType": "audio/wav"}], 'one of image/png, .*; not "audio/wav"'),
    ([{"type": "image", "data": PIXEL, "mimeType": "image/" + "x" * 10_000}], "one of image/png, .*…"),
    ([{"type": "image", "data": PIXEL, "mimeType": "image/jpeg"}], "not image/jpeg: it is image/png"),
    ([{"type": "image", "data": PIXEL[:60], "mimeType": "image/png"}], "cut off"),
    ([{"type": "audio", "data": "AAAA", "mimeType": "audio/wav"}], "damaged, cut off or something else"),
    ([{"type": "image", "data": PIXEL[:40] + "\n" + PIXEL[40:], "mimeType": "image/png"}], "without line breaks"),
    ([{"type": "image", "data": "data:image/png;base64," + PIXEL, "mimeType": "image/png"}], "without a prefix"),
    ([{"type": "image", "data": "not base64!", "mimeType": "image/png"}], "base64"),
    ([{"type": "image", "data": "", "mimeType": "image/png"}], "empty"),
]


@pytest.mark.parametrize(("args", "says"), REFUSED)
def test_a_block_of_any_other_shape_is_refused_and_nothing_is_taken(args: list[Json], says: str) -> None:
    """M1."""
    output = Output(Limits())
    with pytest.raises(Failure, match=says) as refused:
        output.emit(args)
    assert refused.value.code == "invalid_args"
    assert (output.blocks, output.block_bytes) == ([], 0)


def test_the_block_that_would_cross_the_count_is_refused_and_the_others_stay() -> None:
    """M5."""
    output = Output(Limits(emitted_blocks=2))
    for text in ("a", "b"):
        output.emit([{"type": "text", "text": text}])
    with pytest.raises(Failure, match="all of its 2") as refused:
        output.emit([{"type": "text", "text": "c"}])
    assert refused.value.code == "budget_exceeded"
    assert [block["text"] for block in output.blocks] == ["a", "b"]


def test_blocks_and_view_share_one_byte_budget_and_the_refusal_names_what_is_left() -> None:
    """M5, U4."""
    output = Output(Limits(emitted_bytes=100))
    output.emit([{"type": "text", "text": "x" * 50}])
    with pytest.raises(Failure, match=r"100 bytes .* 25 are left") as refused:
        output.ui(["<p>" + "y" * 40])
    assert refused.value.code == "budget_exceeded"
    assert output.view is None
    output.ui(["<p>ok</p>"])
    assert output.view == "<p>ok</p>"


@pytest.mark.parametrize("args", [[], [""], [1], [None], [{"html": "<p>"}], ["<p>", "<p>"]])
def test_a_view_of_any_other_shape_is_refused_and_the_next_is_taken(args: list[Json]) -> None:
    """U1."""
    output = Output(Limits())
    with pytest.raises(Failure, match="non-empty string of HTML"):
        output.ui(args)
    output.ui(["<p>"])
    assert output.view == "<p>"


def test_a_second_view_is_refused_and_the_first_stands() -> None:
    """U2."""
    output = Output(Limits())
    output.ui(["<p>first"])
    with pytest.raises(Failure, match="the first view stands"):
        output.ui(["<p>second"])
    assert output.view == "<p>first"
