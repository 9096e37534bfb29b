"""The pages as HTML that runs nothing, is framed by nobody and is kept nowhere."""

import hashlib
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from starlette.responses import HTMLResponse

if TYPE_CHECKING:
    from jinja2 import Environment

Template = Literal["passphrase.html", "provider.html", "consent.html", "refused.html"]

_TEMPLATES: Final = Path(__file__).parent / "templates"
_HEADERS: Final = {
    "cache-control": "no-store",
    # Not no-referrer: with it a browser hides where a form comes from, and we want to see that it is us.
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
_SENT_ELSEWHERE: Final = frozenset[Template]({"provider.html", "consent.html"})
"""Pages whose form is answered by sending the person to another site. Chromium holds ``form-action`` against every
step of the way there, of which we know only the first; there is nothing to type on them."""


@dataclass(frozen=True, slots=True)
class _Look:
    environment: "Environment"
    style: str
    policy: str


def page(template: Template, status: int, values: Mapping[str, object]) -> HTMLResponse:
    """The page that ``template`` makes of ``values``. Cross-Origin-Opener-Policy is left out: a client that opened
    this page in a window of its own waits to hear from that window."""
    look = _look()
    text = look.environment.get_template(template).render(style=look.style, **values)
    form = "" if template in _SENT_ELSEWHERE else "; form-action 'self'"
    return HTMLResponse(text, status, {**_HEADERS, "content-security-policy": look.policy + form})


@cache
def _look() -> _Look:
    # Imported here because it costs a cold start 60 ms, and most requests show no page.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES), autoescape=True, undefined=StrictUndefined, auto_reload=False
    )
    style = (_TEMPLATES / "style.css").read_text(encoding="utf-8")
    digest = b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    )
    return _Look(environment, Markup(style), policy)  # noqa: S704 (our own file)
