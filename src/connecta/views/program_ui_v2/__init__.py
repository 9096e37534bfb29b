"""The Apps shell, version 2: the one document that stands between a host and a program's HTML.

Read it in this order:

1. ``policy``: what either document may load. Both carry it, and neither may reach the network.
2. ``prelude``: the script that runs in the program's frame before the first byte of the program's HTML.
3. ``page``: the shell's own markup and styles, and the style a view starts from.
4. ``client``: the shell's script. It speaks to the host and makes the frame, and nothing else does either.

What is trusted. The host is: the shell believes every message whose source is its parent window. The program's HTML
is not: it gets a frame with ``sandbox="allow-scripts"`` and so no origin, no storage, no forms, no popups and no access
to any other window's document. What it posts to the shell counts only as a height, if it is a finite number. What it
posts past the shell, to the host's window, only the host can refuse.

What is defence in depth and not proof. WebRTC obeys no policy, so the prelude removes it; a nested document would
bring it back, so the policy, Trusted Types and a rewriting of the HTML keep nested documents out.

Hosts cache a shell by its URI: once released, these bytes never change. An improvement is a new version beside this.
"""

from typing import Final

from connecta.views.program_ui_v2.client import CLIENT
from connecta.views.program_ui_v2.page import BASE_STYLE, PAGE
from connecta.views.program_ui_v2.policy import POLICY, script_hash
from connecta.views.program_ui_v2.prelude import PRELUDE


def _served(text: str) -> str:
    """``text`` without indentation, empty lines, and lines that are only a comment: those are for who reads this
    package, not for browsers. What is left is byte for byte what stands in the source."""
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


_SERVED_PRELUDE: Final = _served(PRELUDE)

PROGRAM_UI_V2: Final = (
    _served(PAGE)
    .replace("CLIENT_TEXT", _served(CLIENT))
    .replace("POLICY_TEXT", POLICY)
    .replace("PRELUDE_TEXT", _SERVED_PRELUDE)
    .replace("BASE_STYLE", _served(BASE_STYLE))
    .replace("PRELUDE_HASH", script_hash(_SERVED_PRELUDE))
)
