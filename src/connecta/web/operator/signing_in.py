"""``/sign-in`` and ``/sign-out``: the same way in as for those who connect an application, to the operator's pages."""

from http import HTTPStatus
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from fastapi import FastAPI, Request, Response
from starlette.requests import ClientDisconnect

from connecta.auth.sign_in.passphrases import Passphrases
from connecta.auth.sign_in.provider import NotSignedIn, ProviderSignIn
from connecta.auth.sign_in.sessions import Person, Session, new_session
from connecta.failures import Failure
from connecta.web import sign_in
from connecta.web.bodies import CLIENT_GONE
from connecta.web.forms import form_in, is_from_here, see_other
from connecta.web.oauth import address_of
from connecta.web.operator.door import Door, Visit
from connecta.web.operator.places import CONNECTORS, SIGN_IN, SIGN_OUT, page_after, sign_in_place
from connecta.web.rendering import Pages
from connecta.web.sign_in.cookies import keep_session, session_in
from connecta.web.sign_in.told import told_of

_PAGES: Final = Pages(Path(str(sign_in.__file__)).parent / "templates", "base.css", "card.css")
_STALE: Final = "This page was open for too long, or it was not opened in this browser. Please try again."
_NOBODY: Final = Person("", "")


class SigningIn:
    """``way`` is how people sign in."""

    def __init__(self, door: Door, way: Passphrases | ProviderSignIn) -> None:
        self._door = door
        self._way = way

    def add_routes(self, app: FastAPI) -> None:
        app.add_api_route(SIGN_IN, self._show, methods=["GET"])
        app.add_api_route(SIGN_IN, self._submit, methods=["POST"])
        app.add_api_route(SIGN_OUT, self._sign_out, methods=["POST"])

    async def _show(self, request: Request) -> Response:
        try:
            visit = await self._visit(request)
            return self._shown(visit)
        except Failure as failure:
            return self._down(failure)

    async def _submit(self, request: Request) -> Response:
        try:
            if not is_from_here(request, self._door.origin(request)):
                return self._door.refused("This form was not sent from this server's own page.")
            visit, form = await self._visit(request), await form_in(request, self._door.limits)
            if form is None or not visit.is_token(form.get("token", "")):
                return self._shown(visit, HTTPStatus.FORBIDDEN, notice=_STALE)
            return await self._signed_in(visit, form.get("passphrase", ""))
        except Failure as failure:
            return self._down(failure)
        except ClientDisconnect:
            return Response(status_code=CLIENT_GONE)

    async def _signed_in(self, visit: Visit, passphrase: str) -> Response:
        after, address = _after(visit.request), address_of(visit.request)
        if isinstance(self._way, ProviderSignIn):
            try:
                there = await self._way.begin(visit.session.id, after, origin=visit.origin, address=address)
            except NotSignedIn as error:
                return self._shown(visit, HTTPStatus.TOO_MANY_REQUESTS, notice=error.message)
            return self._with_session(see_other(there), visit, visit.session)
        checked = await self._way.check(passphrase, address)
        if isinstance(checked, Person):
            return self._with_session(see_other(after), visit, new_session(checked))
        told = told_of(checked)
        return told.on(self._shown(visit, told.status, error=told.message))

    async def _sign_out(self, request: Request) -> Response:
        try:
            sent = await self._door.sent(request)
        except Failure as failure:
            return self._down(failure)
        except ClientDisconnect:
            return Response(status_code=CLIENT_GONE)
        if isinstance(sent, Response):
            return sent
        return self._with_session(see_other(SIGN_IN), sent.visit, new_session())

    async def _visit(self, request: Request) -> Visit:
        """Somebody who has not signed in yet, or wants to do so as somebody else."""
        origin, sessions = self._door.origin(request), await self._door.sessions()
        known = session_in(request, origin, sessions)
        return Visit(request, origin, sessions, known or new_session(), _NOBODY, signed_in=False)

    def _shown(
        self, visit: Visit, status: int = HTTPStatus.OK, *, notice: str | None = None, error: str | None = None
    ) -> Response:
        values = {
            "deployment": self._door.deployment,
            "host": urlsplit(visit.origin).netloc,
            "client": None,
            "action": sign_in_place(_after(visit.request)),
            "token": visit.token(SIGN_IN),
            "notice_text": notice,
        }
        if isinstance(self._way, Passphrases):
            longest = self._door.limits.passphrase_chars_max
            response = _PAGES.page("passphrase.html", status, values | {"error": error, "longest": longest})
        else:
            name = self._way.name
            response = _PAGES.page("provider.html", status, values | {"provider": name}, leads_elsewhere=True)
        return self._with_session(response, visit, visit.session)

    def _with_session(self, response: Response, visit: Visit, session: Session) -> Response:
        # Who has signed in stays so as long as that was for: looking at a page makes it no longer.
        if session is not visit.session or session.person is None:
            keep_session(response, session, visit.origin, visit.sessions, self._door.limits)
        return response

    def _down(self, failure: Failure) -> Response:
        title = "Not available at the moment"
        return self._door.told(HTTPStatus.SERVICE_UNAVAILABLE, title, failure.message)


def _after(request: Request) -> str:
    wanted = request.query_params.get("next")
    return page_after(wanted) if wanted else CONNECTORS
