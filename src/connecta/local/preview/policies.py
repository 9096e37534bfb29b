"""The content security policies of the preview: its own page's, and those hosts put on the views they show."""

from typing import Final

PAGE: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types 'none'; frame-src {sandbox}"
)
"""The page runs its own files, talks to its own origin and shows frames of the sandbox's origin alone."""

VIEWS: Final[dict[str, str]] = {
    # What MCP Apps 2026-01-26 asks for when a view names no domains.
    "spec": (
        "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data:; media-src 'self' data:; connect-src 'none'; frame-src 'none'; object-src 'none'; "
        "base-uri 'self'; "
    ),
    # As a browser's log quoted it in an issue of ext-apps (#387).
    "claude": (
        "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' blob: data:; connect-src 'self'; frame-src 'self' blob: data:; object-src 'none'; "
    ),
    "none": "",
}
"""By the name the page asks for it under."""


def page_policy(sandbox_port: int) -> str:
    return PAGE.format(sandbox=_either_name(sandbox_port))


def view_policy(name: str, page_port: int, run: str) -> str:
    """The policy ``name`` for a sandbox that only the preview's own page may frame; what it stops is reported for
    ``run``. Raises ``KeyError`` for an unknown name."""
    return f"{VIEWS[name]}frame-ancestors {_either_name(page_port)}; report-uri /csp-report?run={run}"


def _either_name(port: int) -> str:
    return f"http://127.0.0.1:{port} http://localhost:{port}"
