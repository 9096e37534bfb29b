"""The shell as it is served: its bytes never change under a URI, and what it declares (U5, U6)."""

import hashlib
import re

from connecta.views.prelude import PRELUDE
from connecta.views.shell import SHELL_HTML, SHELL_MIME, SHELL_URI, SHELLS, shell_contents, tool_meta

RELEASED = {
    "ui://connecta/program-ui/v1": "e807d9c94c634108601ca11c9d8137e7553c812c41486d40b8dae84a4e3c0ee7",
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
    assert len(re.findall(r"</script", SHELL_HTML)) == 1


def test_the_prelude_sends_a_number_and_reads_no_message() -> None:
    assert PRELUDE.count("postMessage(") == 1
    assert "shell.postMessage(height" in PRELUDE
    assert '"message"' not in PRELUDE
