"""How names and queries fall into words ("Discovery")."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connecta.catalog.tokens import stem, tokens, words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("getHTTPResponse_v2", ["get", "http", "response", "v", "2"]),
        ("list-user.IDs", ["list", "user", "ids"]),
        ("naïve Café", ["naive", "cafe"]),
        ("ｆｕｌｌ", ["full"]),
        ("найтиФайл", ["наити", "фаил"]),
        ("查找文件", ["查找", "找文", "文件"]),
        ("खोज करें", ["खोज", "करें"]),
        ("...", []),
    ],
)
def test_text_is_split_at_punctuation_digits_and_case(text: str, found: list[str]) -> None:
    assert words(text) == found


@pytest.mark.parametrize(
    "family",
    [
        ("directory", "directories"),
        ("create", "creates", "created", "creating"),
        ("stop", "stops", "stopped", "stopping"),
        ("add", "adds", "added", "adding"),
        ("modify", "modifies", "modified", "modifying"),
        ("фаил", "фаила", "фаилы", "фаилов", "фаилами"),
        ("box", "boxes"),
        ("id", "ids"),
        ("status",),
        ("access",),
        ("string", "strings"),
    ],
)
def test_plurals_and_verb_endings_share_a_stem(family: tuple[str, ...]) -> None:
    assert len({stem(word) for word in family}) == 1


@given(st.text())
def test_any_text_has_tokens_that_are_never_empty(text: str) -> None:
    assert all(tokens(text))
