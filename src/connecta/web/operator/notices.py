"""What a form came to, told on the page that comes next and on no other: sealed, in a cookie, for a minute."""

from typing import Final

from starlette.responses import Response

from connecta.web.operator.door import Visit
from connecta.web.sign_in.cookies import cookie_name, is_secure

_NAME: Final = "connecta-notice"


def keep_notice(response: Response, text: str, visit: Visit) -> None:
    response.set_cookie(
        cookie_name(_NAME, visit.origin),
        visit.sessions.notice(visit.session, text),
        path="/",
        secure=is_secure(visit.origin),
        httponly=True,
        samesite="lax",
    )


def notice_in(visit: Visit) -> str | None:
    sealed = visit.request.cookies.get(cookie_name(_NAME, visit.origin))
    return None if sealed is None else visit.sessions.noticed(sealed, visit.session)


def forget_notice(response: Response, visit: Visit) -> None:
    response.delete_cookie(
        cookie_name(_NAME, visit.origin), path="/", secure=is_secure(visit.origin), httponly=True, samesite="lax"
    )
