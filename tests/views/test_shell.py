"""The shell as it is served: its bytes never change under a URI, and what it declares (U5, U6)."""

import hashlib
import re

from connecta.views.shell import SHELL_HTML, SHELL_MIME, SHELL_URI, SHELLS, shell_contents, tool_meta

RELEASED = {
    "ui://connecta/program-ui/v1": "eb0595c1c5387d133dbff57ff4be9e9ab6dc8f215232b35d2dd8d6e4e8c1e2de",
}


def test_the_bytes_of_every_released_shell_are_what_they_were() -> None:
    """Hosts cache a shell by its URI: new bytes need a new version (U5)."""
    assert {uri: hashlib.sha256(html.encode()).hexdigest() for uri, html in SHELLS.items()} == RELEASED


def test_a_shell_is_read_by_its_uri_and_nothing_else_is() -> None:
    assert shell_contents(SHELL_URI) == {
        "uri": SHELL_URI,
        "mimeType": SHELL_MIME,
        "text": SHELL_HTML,
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
    assert 'setAttribute("sandbox", "allow-scripts")' in SHELL_HTML
    assert "allow-same-origin" not in SHELL_HTML
    assert SHELL_HTML.startswith("<!doctype html>")
    assert len(SHELL_HTML.encode()) < 16_384


def test_every_mark_in_the_shells_text_was_filled_in() -> None:
    assert re.findall(r"PRELUDE_TEXT|BASE_STYLE|POLICY_TEXT|PRELUDE_HASH", SHELL_HTML) == []


def test_the_prelude_sends_the_shell_heights_and_nothing_else() -> None:
    """U6."""
    prelude = SHELL_HTML.partition('id="prelude">')[2].partition("</script>")[0]
    assert re.findall(r"postMessage\(.*\)", prelude) == ['postMessage(height, "*")']
