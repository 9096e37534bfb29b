"""The shell as it is served: its bytes never change under a URI, and what it declares (U5, U6)."""

import gzip
import hashlib
import re
from pathlib import Path

from connecta.views.shell import SHELL_HTML, SHELL_MIME, SHELL_URI, SHELLS, shell_contents, tool_meta

RELEASED = {
    "ui://connecta/program-ui/v1": "eb0595c1c5387d133dbff57ff4be9e9ab6dc8f215232b35d2dd8d6e4e8c1e2de",
    "ui://connecta/program-ui/v2": "154a26e2c0cd6c6e5875d8ecd467c738944bbe5cfa9f614d6de23a3b059961dd",
}
PAGE = Path(__file__).parents[2] / "docs" / "views.md"


def test_the_bytes_of_every_released_shell_are_what_they_were() -> None:
    """Hosts cache a shell by its URI: new bytes need a new version (U5)."""
    assert {uri: hashlib.sha256(html.encode()).hexdigest() for uri, html in SHELLS.items()} == RELEASED


def test_the_tool_names_the_newest_shell() -> None:
    """U5."""
    assert max(SHELLS, key=lambda uri: int(uri.rpartition("/v")[2])) == SHELL_URI


def test_every_shell_is_listed_on_its_page_with_its_hash_and_its_sizes() -> None:
    rows = re.findall(r"^\| `(ui://[^`]+)` \| ([\d,]+) \| ([\d,]+) \| `([0-9a-f]{64})` \|$", PAGE.read_text(), re.M)
    assert rows == [
        (uri, f"{len(html.encode()):,}", f"{_gzipped(html):,}", RELEASED[uri]) for uri, html in SHELLS.items()
    ]


def _gzipped(html: str) -> int:
    """Without the header's time; another zlib may come to a few bytes more or less, so it is said in hundreds."""
    return round(len(gzip.compress(html.encode(), 9, mtime=0)), -2)


def test_a_shell_is_read_by_its_uri_and_nothing_else_is() -> None:
    for uri, html in SHELLS.items():
        assert shell_contents(uri) == {
            "uri": uri,
            "mimeType": SHELL_MIME,
            "text": html,
            "_meta": {"ui": {"prefersBorder": False}},
        }
    assert shell_contents("ui://connecta/program-ui/v0") is None
    assert shell_contents("file:///etc/passwd") is None


def test_the_tool_names_the_shell_in_both_forms() -> None:
    assert tool_meta() == {
        "ui": {"resourceUri": SHELL_URI, "visibility": ["model"]},
        "ui/resourceUri": SHELL_URI,
    }


def test_the_payload_frame_has_scripts_and_no_origin_and_the_shell_stays_small() -> None:
    """U6."""
    assert re.findall(r"sandbox.*\)", SHELL_HTML) == ['sandbox", "allow-scripts")']
    assert SHELL_HTML.count("createElement(") == 1
    assert "allow-same-origin" not in SHELL_HTML
    assert SHELL_HTML.startswith("<!doctype html>")
    assert len(SHELL_HTML.encode()) < 16_384


def test_the_waiting_bars_stand_before_any_script_and_are_not_made_by_one() -> None:
    before_scripts = SHELL_HTML.partition("<script")[0]
    assert before_scripts.count("<i></i>") == 3
    assert re.findall(r"<div id=\"waiting\"[^>]*hidden", before_scripts) == []


def test_the_shell_says_which_ways_of_being_shown_it_knows() -> None:
    assert 'availableDisplayModes: ["inline", "fullscreen"]' in SHELL_HTML


def test_every_mark_in_the_shells_text_was_filled_in() -> None:
    marks = r"CLIENT_TEXT|PRELUDE_TEXT|BASE_STYLE|POLICY_TEXT|PRELUDE_HASH"
    assert re.findall(marks, SHELL_HTML) == []


def test_the_prelude_sends_the_shell_heights_and_nothing_else() -> None:
    """U6."""
    prelude = SHELL_HTML.partition('id="prelude">')[2].partition("</script>")[0]
    assert re.findall(r"postMessage\(.*\)", prelude) == ['postMessage(height, "*")']


def test_the_shell_sends_the_frame_its_style_and_nothing_else() -> None:
    """U6: no id, no token, no message of the host."""
    client = SHELL_HTML.partition('id="base-style">')[2]
    assert re.findall(r"(\w+)\??\.postMessage\((.*)\);", client) == [
        ("host", '{ jsonrpc: "2.0", ...message }, "*"'),
        ("contentWindow", '{ css: viewCss() }, "*"'),
    ]
