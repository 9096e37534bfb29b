"""Shortcut names: A2 to A5."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connecta.catalog.aliases import RESERVED_GLOBALS, sanitise
from tests.fixtures.shelf import catalog, tool


@pytest.mark.parametrize(
    ("name", "identifier"),
    [
        ("search", "search"),
        ("get-issue.v2", "get_issue_v2"),
        ("$ref_1", "$ref_1"),
        ("2fa", "_2fa"),
        ("delete", "delete_"),
        ("查找", "__"),
        ("", "_"),
    ],
)
def test_a_name_becomes_an_identifier(name: str, identifier: str) -> None:
    """A2: other characters become ``_``, a leading digit gains one, a reserved word gains a trailing one."""
    assert sanitise(name) == identifier


@given(st.text())
def test_every_name_becomes_an_identifier_that_stays_as_it_is(name: str) -> None:
    """A5: there is one rule, and applying it twice is applying it once."""
    identifier = sanitise(name)
    assert re.fullmatch(r"[A-Za-z_$][A-Za-z0-9_$]*", identifier)
    assert sanitise(identifier) == identifier


def test_our_own_globals_and_the_languages_are_reserved() -> None:
    """A4."""
    assert {"connecta", "console", "globalThis", "Promise", "JSON", "eval", "undefined"} <= RESERVED_GLOBALS


def test_an_alias_finds_every_tool_it_could_mean() -> None:
    """A3: the catalog never picks one of several."""
    dashed, scored, other = tool("get-note"), tool("get_note"), tool("list")
    shelf = catalog("notes", dashed, scored, other)
    assert (shelf.by_alias("get_note"), shelf.by_alias("list"), shelf.by_alias("get-note")) == (
        [dashed, scored],
        [other],
        [],
    )
    assert (shelf.get("get-note"), shelf.get("get note")) == (dashed, None)
