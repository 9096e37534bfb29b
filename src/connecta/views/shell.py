"""The Apps shells this package has released, and how tools and resources name them (U5, U6)."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from connecta.text import JsonObject
from connecta.views.program_ui_v1 import PROGRAM_UI_V1
from connecta.views.program_ui_v2 import PROGRAM_UI_V2

SHELL_URI: Final = "ui://connecta/program-ui/v2"
SHELL_MIME: Final = "text/html;profile=mcp-app"
SHELL_HTML: Final = PROGRAM_UI_V2
"""What ``SHELL_URI`` names: the shell that tools point to."""
SHELLS: Final[Mapping[str, str]] = MappingProxyType(
    {"ui://connecta/program-ui/v1": PROGRAM_UI_V1, SHELL_URI: SHELL_HTML}
)
"""Every shell by its URI. Hosts cache by URI, so one that was ever served is served, byte for byte, for ever."""


def tool_meta() -> JsonObject:
    """``_meta`` of a tool whose results the shell shows. Some hosts still read only the flat key, so it says both."""
    return {"ui": {"resourceUri": SHELL_URI, "visibility": ["model"]}, "ui/resourceUri": SHELL_URI}


def shell_contents(uri: str) -> JsonObject | None:
    """The ``resources/read`` content of a shell, ``None`` for any other URI.

    It asks for no border: a program without a view leaves one pixel, and a border around that is a line.
    """
    html = SHELLS.get(uri)
    if html is None:
        return None
    return {"uri": uri, "mimeType": SHELL_MIME, "text": html, "_meta": {"ui": {"prefersBorder": False}}}
