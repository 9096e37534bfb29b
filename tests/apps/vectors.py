"""The ways out that are tried, from ``attempts/``: each with a name, what it is, and whether it works anywhere."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ATTEMPTS: Final = Path(__file__).parent / "attempts"
SENT: Final = "everything was tried"

METHODS: Final = (
    *("completion/complete", "elicitation/create", "logging/setLevel", "ping", "prompts/get", "prompts/list"),
    *("resources/list", "resources/read", "resources/subscribe", "resources/templates/list", "resources/unsubscribe"),
    *("roots/list", "sampling/createMessage", "server/discover", "tools/call", "tools/list"),
    *("ui/download-file", "ui/initialize", "ui/message", "ui/open-link", "ui/request-display-mode"),
    *("ui/resource-teardown", "ui/update-model-context"),
    *(f"notifications/{name}" for name in ("cancelled", "elicitation/complete", "initialized", "message", "progress")),
    *(f"notifications/{name}/list_changed" for name in ("prompts", "resources", "roots", "tools")),
    *("notifications/resources/updated", "notifications/subscriptions/acknowledged", "notifications/tasks/status"),
    *(f"ui/notifications/{name}" for name in ("host-context-changed", "initialized", "request-teardown")),
    *(f"ui/notifications/sandbox-{name}" for name in ("proxy-ready", "resource-ready")),
    *(f"ui/notifications/{name}" for name in ("size-changed", "tool-cancelled", "tool-input", "tool-input-partial")),
    "ui/notifications/tool-result",
)
"""Every method of MCP and of MCP Apps."""

HELPERS: Final = (ATTEMPTS / "helpers.js").read_text()


@dataclass(frozen=True)
class Vector:
    """``unproven`` says why a bare page of this browser does not send it either, ``None`` where one does."""

    name: str
    text: str
    unproven: str | None

    @property
    def scripted(self) -> bool:
        return "<script" in self.text

    def at(self, port: int) -> str:
        return self.text.replace("$URL", f"http://127.0.0.1:{port}/").replace("$PORT", str(port))


def _read(file: str, heading: str) -> list[Vector]:
    """The sections of a file: a heading with a name and maybe the reason why it is unproven, then the text."""
    parts = re.split(heading, (ATTEMPTS / file).read_text(), flags=re.MULTILINE)[1:]
    vectors: list[Vector] = []
    for title, text in zip(parts[::2], parts[1::2], strict=True):
        name, _, reason = title.partition(" | ")
        vectors.append(Vector(name.strip(), text.strip(), reason.strip() or None))
    return vectors


MARKUP: Final = _read("markup.html", r"^<!--= (.*?) -->")
"""HTML that names an address."""
SCRIPTS: Final = _read("script.js", r"^//= (.*)$")
"""Bodies of asynchronous functions, all of which run in one page."""
LEAVING: Final = _read("leaving.js", r"^//= (.*)$")
"""Such that put another page in the place of the view, each tried alone."""
WAYS_OUT: Final = [*MARKUP, *SCRIPTS, *LEAVING]
FORGERIES: Final = _read("impersonation.js", r"^//= (.*)$")
"""What a view says and does to be taken for someone else, each tried alone; it then still says ``SENT``."""
DEPARTURES: Final = _read("departing.js", r"^//= (.*)$")
"""Such that leave the view's page, each tried alone."""


def markup_page(vectors: list[Vector], ports: Mapping[str, int]) -> str:
    return "\n".join(vector.at(ports[vector.name]) for vector in vectors) + f"<p>{SENT}</p>"


def script_page(vectors: list[Vector], ports: Mapping[str, int]) -> str:
    """Tries all of them at once, and says ``SENT`` with what became of each, one a line, when no promise is left."""
    tries = [f"[{vector.name!r}, async () => {{ {vector.at(ports[vector.name])}\n }}]" for vector in vectors]
    return (
        f"<div id='lab'></div><pre id='out'></pre><script>const METHODS = {json.dumps(METHODS)};\n{HELPERS}\n"
        f"const tries = [{','.join(tries)}];\ntryAll(tries, '{SENT}');</script>"
    )
