"""``docs/connect.md`` says something on each check of the doctor and each number it names, and on nothing else."""

import dataclasses
import re

from connecta.limits import LIMITS
from connecta.local.doctor.checks import CHECKS
from tests.fixtures.local_server import ROOT

PAGE = (ROOT / "docs" / "connect.md").read_text()


def test_the_page_has_a_row_for_each_check_in_the_doctor_s_order():
    table = PAGE.partition("## When it fails")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE) == [check.name for check in CHECKS]


def test_the_page_has_the_limits_as_they_are():
    table = PAGE.partition("## Too many requests")[2].partition("\n## ")[0]
    named = re.findall(r"`([a-z_]+)` ([\d.,]+)", table)
    assert len(named) == 14
    fields = dataclasses.asdict(LIMITS)
    assert {name: float(number.replace(",", "")) for name, number in named} == {name: fields[name] for name, _ in named}


def test_the_page_names_every_client():
    headings = re.findall(r"^## (.+)$", PAGE, re.MULTILINE)
    clients = ["claude.ai", "Claude Desktop", "Claude Code", "ChatGPT", "Cursor", "VS Code", "MCP Inspector"]
    assert [heading for heading in headings if heading in clients] == clients
