"""Pages as HTML that runs nothing, is framed by nobody and is kept nowhere."""

import hashlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from starlette.responses import HTMLResponse

if TYPE_CHECKING:
    from jinja2 import Environment

SHARED: Final = Path(__file__).parent / "templates"
"""The skeleton of every page, what it is dressed in, and the page that only says something."""
_HEADERS: Final = {
    "cache-control": "no-store",
    # Not no-referrer: with it a browser hides where a form comes from, and we want to see that it is us.
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


@dataclass(frozen=True, slots=True)
class _Look:
    environment: "Environment"
    style: str
    policy: str


@dataclass(frozen=True, slots=True)
class Link:
    """A way on from a page. ``leaves``: to somebody else's site."""

    href: str
    text: str
    after: str = ""
    leaves: bool = False


class Pages:
    """Pages of the templates in ``folder`` and of the shared ones, dressed in ``styles``, which are files there."""

    def __init__(self, folder: Path, *styles: str) -> None:
        self._folder = folder
        self._styles = styles

    def page(
        self, template: str, status: int, values: Mapping[str, object], *, leads_elsewhere: bool = False
    ) -> HTMLResponse:
        """The page that ``template`` makes of ``values``.

        ``leads_elsewhere`` is for a page one of whose forms is answered by sending the person to another site: Chromium
        holds ``form-action`` against every step of the way there, of which we know only the first. Nothing secret is
        typed on such a page. Cross-Origin-Opener-Policy is left out: a client that opened a page in a window of its own
        waits to hear from that window.
        """
        look = self._look
        text = look.environment.get_template(template).render(style=look.style, **values)
        form = "" if leads_elsewhere else "; form-action 'self'"
        return HTMLResponse(text, status, {**_HEADERS, "content-security-policy": look.policy + form})

    @cached_property
    def _look(self) -> _Look:
        # Imported here because it costs a cold start 60 ms, and most requests show no page.
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
        from markupsafe import Markup

        loader = FileSystemLoader([self._folder, SHARED])
        environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, auto_reload=False)
        style = "".join(loader.get_source(environment, name)[0] for name in self._styles)
        digest = b64encode(hashlib.sha256(style.encode()).digest()).decode()
        policy = (
            f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; frame-ancestors 'none'; "
            "require-trusted-types-for 'script'; trusted-types 'none'"
        )
        return _Look(environment, Markup(style), policy)  # noqa: S704 (our own files)


_CARDS: Final = Pages(SHARED, "base.css", "card.css")


def message_page(
    status: int,
    *,
    deployment: str,
    title: str,
    message: str,
    links: Sequence[Link] = (),
    host: str | None = None,
) -> HTMLResponse:
    """A page that says one thing to a person: ``message`` is a sentence, ``links`` are what they can do next."""
    values = {"deployment": deployment, "host": host, "title": title, "message": message, "links": links}
    return _CARDS.page("message.html", status, values)
