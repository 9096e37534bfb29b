"""The cookie a browser keeps its session in."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from connecta.auth.sign_in.sessions import Session, Sessions
from connecta.limits import Limits

_NAME: Final = "connecta-session"


def session_in(request: Request, origin: str, sessions: Sessions) -> Session | None:
    """The session of the browser that sent ``request`` to this server at ``origin``."""
    return sessions.read(request.cookies.get(cookie_name(_NAME, origin), ""))


def keep_session(response: Response, session: Session, origin: str, sessions: Sessions, limits: Limits) -> None:
    """Lax, because the browser comes from the client and from the provider by following links."""
    secure = is_secure(origin)
    response.set_cookie(
        cookie_name(_NAME, origin),
        sessions.text(session),
        max_age=limits.sign_in_session_s,
        path="/",
        secure=secure,
        httponly=True,
        samesite="lax",
    )


def cookie_name(name: str, origin: str) -> str:
    """A browser takes a cookie of the ``__Host-`` kind only over https, for one host, and from that host itself."""
    return f"__Host-{name}" if is_secure(origin) else name


def is_secure(origin: str) -> bool:
    """Only a server on one's own machine has no https."""
    return origin.startswith("https:")
