"""What a child may say, at the bound of its depth."""

import pytest

from connecta.sandbox.frames import TooDeep, parse


@pytest.mark.parametrize("innermost", [b"", b"1", b"[],2"])
def test_a_value_is_read_up_to_its_bound_of_levels_whatever_is_innermost(innermost: bytes) -> None:
    levels = 4 + innermost.count(b"[")
    payload = b"[" * 4 + innermost + b"]" * 4
    assert isinstance(parse(payload, levels), list)
    with pytest.raises(TooDeep):
        parse(payload, levels - 1)


def test_brackets_in_text_are_no_levels() -> None:
    assert parse(b'["[[[[", {}, {}, {}]', 2) == ["[[[[", {}, {}, {}]
