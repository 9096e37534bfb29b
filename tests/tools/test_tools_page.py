"""``docs/tools.md`` says what is so: its schemas are the served ones and every example gets the answer it shows."""

import re
from pathlib import Path

import pytest

from connecta import failures
from connecta.sandbox import run_failures
from tests.fixtures.job import TOOL_NAMES
from tools.tools_page import PAGE, current, examples, render, served_schemas


def test_every_schema_and_every_answer_on_the_page_is_what_the_endpoint_gives(shop_endpoint: str) -> None:
    """``make docs`` writes them again."""
    assert current(shop_endpoint) == PAGE.read_text()


def test_each_tool_has_a_section_with_its_schema_and_an_example(shop_endpoint: str) -> None:
    page = PAGE.read_text()
    assert re.findall(r"^## (\w+)$", page, re.MULTILINE) == TOOL_NAMES
    assert re.findall(r"^```json input (\w+)$", page, re.MULTILINE) == list(served_schemas(shop_endpoint)) == TOOL_NAMES
    assert set(examples(page)) == set(TOOL_NAMES)


@pytest.mark.parametrize(
    ("shown", "served"),
    [
        ('```json input skills\n{"old": 1}\n```', '```json input skills\n{"new": 1}\n```'),
        (
            "```json call skills\n{}\n```\n```json answer\n{}\n```",
            '```json call skills\n{}\n```\n```json error\n{"a": 1}\n```',
        ),
    ],
)
def test_a_page_that_has_fallen_behind_is_written_anew(shown: str, served: str) -> None:
    def call(name: str, arguments: dict[str, object]) -> dict[str, object]:
        return {"isError": True, "structuredContent": {"a": 1}, "content": [name, arguments]}

    assert render(shown, {"skills": {"new": 1}}, call) == served


def test_every_error_code_on_the_page_exists() -> None:
    page = PAGE.read_text()
    cells = re.findall(r"^\| (`[^|]*) \|", page.partition("| error | when | do |")[2], re.MULTILINE)
    lines = re.findall(r"^Errors.*?\n\n", page, re.MULTILINE | re.DOTALL)
    named = set(re.findall(r"`([a-z]+_[a-z_]+|timeout|unavailable)`", " ".join([*cells, *lines])))
    assert {"unknown_tool", "invalid_args", "run_deadline", "timeout"} <= named
    assert {code for code in named if not _exists(code)} == set()


def _exists(code: str) -> bool:
    """Whether some failure is made with this code."""
    sources = [Path(str(module.__file__)).read_text() for module in (failures, run_failures)]
    return code in TOOL_NAMES or any(f'"{code}"' in source for source in sources)
