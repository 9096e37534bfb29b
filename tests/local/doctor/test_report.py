"""What is printed where: colour on a terminal only, marks where they can be written."""

import io

import pytest

from connecta.local.doctor.findings import Finding
from connecta.local.doctor.report import as_json, style_of, summary

WELL = Finding("dns", "DNS name", "ok", "203.0.113.9")
FAILED = Finding("tls", "TLS certificate", "failed", "It has expired.")
UNTRIED = Finding("health", "Server", "not tried", 'not tried because "TLS certificate" failed.')


class Stream(io.TextIOWrapper):
    def __init__(self, encoding: str, *, terminal: bool) -> None:
        super().__init__(io.BytesIO(), encoding=encoding)
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


@pytest.mark.parametrize(
    ("encoding", "terminal", "environ", "line"),
    [
        ("utf-8", True, {}, "\x1b[32m✓\x1b[0m DNS name             203.0.113.9"),
        ("utf-8", True, {"NO_COLOR": "1"}, "✓ DNS name             203.0.113.9"),
        ("utf-8", True, {"TERM": "dumb"}, "✓ DNS name             203.0.113.9"),
        ("utf-8", False, {}, "✓ DNS name             203.0.113.9"),
        ("ascii", False, {}, "ok     DNS name             203.0.113.9"),
    ],
)
def test_a_line_suits_the_stream_it_goes_to(encoding: str, terminal: bool, environ: dict[str, str], line: str):
    with Stream(encoding, terminal=terminal) as stream:
        assert style_of(stream, environ).line(WELL) == line


def test_the_end_says_how_many():
    assert summary([WELL, FAILED, UNTRIED]) == "1 of 3 checks failed, 1 not tried. docs/connect.md says more on each."
    assert summary([WELL, UNTRIED]) == "1 of 2 checks are well, 1 not tried."


def test_json_has_every_check():
    assert as_json("https://x/mcp", [WELL, FAILED]) == (
        '{"url":"https://x/mcp","ok":false,"checks":['
        '{"name":"dns","title":"DNS name","outcome":"ok","message":"203.0.113.9"},'
        '{"name":"tls","title":"TLS certificate","outcome":"failed","message":"It has expired."}]}'
    )
