"""The pages a person meets between asking a client to connect and being sent back to it: sign in, then agree or not.

Nothing is kept between them but a cookie. Every form carries the authorization request in its address, where it is
checked anew, and a token that is good for this browser, this request and this page.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Final, Literal
from urllib.parse import urlencode, urlsplit

from fastapi import FastAPI, Request, Response
from starlette.requests import ClientDisconnect

from connecta.auth.authorization_server.errors import OAuthError
from connecta.auth.authorization_server.forms import pairs_in, parameters_of
from connecta.auth.authorization_server.metadata import AUTHORIZE_PATH
from connecta.auth.authorization_server.redirects import host_of, is_application
from connecta.auth.authorization_server.requests import AuthorizationRequest
from connecta.auth.authorization_server.server import Server
from connecta.auth.sign_in.passphrases import Passphrases, Refused, Slowed
from connecta.auth.sign_in.provider import CALLBACK_PATH, NotSignedIn, ProviderSignIn
from connecta.auth.sign_in.seals import Seals
from connecta.auth.sign_in.secret import SignInSecret
from connecta.auth.sign_in.sessions import Person, Session, Sessions, new_session
from connecta.failures import Failure
from connecta.limits import Limits
from connecta.web.bodies import CLIENT_GONE, body_within
from connecta.web.forms import FORM, is_from_here, see_other
from connecta.web.oauth import OAuthDoor, address_of
from connecta.web.rendering import Link, Pages, message_page
from connecta.web.sign_in.cookies import keep_session, session_in
from connecta.web.sign_in.told import told_of

_PAGES: Final = Pages(Path(__file__).parent / "templates", "base.css", "card.css")
_STALE: Final = "This page was open for too long, or it was not opened in this browser. Please try again."
_DAY_S: Final = 24 * 3_600
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})

Page = Literal["sign-in", "consent"]


@dataclass(frozen=True, slots=True)
class _Visit:
    """One request of one browser, with the authorization request it is about."""

    request: Request
    authorization: AuthorizationRequest
    sessions: Sessions
    session: Session

    @property
    def origin(self) -> str:
        return self.authorization.issuer

    @property
    def place(self) -> str:
        """The address of the page."""
        return f"{AUTHORIZE_PATH}?{urlencode(self.authorization.parameters)}"

    @property
    def page(self) -> Page:
        return "sign-in" if self.session.person is None else "consent"

    def token(self) -> str:
        return self.sessions.token(self.session, self.page, self._about)

    def is_token(self, text: str) -> bool:
        return self.sessions.is_token(text, self.session, self.page, self._about)

    @property
    def _about(self) -> tuple[tuple[str, str], ...]:
        # What the page showed as well: the document of a client can change while it is open.
        shown = (("client", self.authorization.client.name), ("to", self.authorization.redirect_uri))
        return (("issuer", self.origin), *shown, *self.authorization.parameters)


class SignInPages:
    """The pages of one deployment. ``way`` is how people sign in."""

    def __init__(
        self,
        server: Server,
        way: Passphrases | ProviderSignIn,
        secret: SignInSecret,
        *,
        deployment: str,
        limits: Limits,
        now: Callable[[], float],
    ) -> None:
        self._server = server
        self._way = way
        self._secret = secret
        self._deployment = deployment
        self._limits = limits
        self._now = now

    def add_routes(self, app: FastAPI, door: OAuthDoor) -> None:
        """The form's and the provider's way back to ``door``, which has the pages' own."""

        async def submit(request: Request) -> Response:
            return await self._submitted(request, door)

        async def come_back(request: Request) -> Response:
            return await self._come_back(request, door)

        app.add_api_route(AUTHORIZE_PATH, submit, methods=["POST"])
        if isinstance(self._way, ProviderSignIn):
            app.add_api_route(CALLBACK_PATH, come_back, methods=["GET"])

    async def show(self, request: Request, authorization: AuthorizationRequest) -> Response:
        """The page to sign in on, or the one to agree on for who is signed in."""
        try:
            return self._shown(await self._visit(request, authorization))
        except Failure as failure:
            return await self.refused(request, failure.message, HTTPStatus.SERVICE_UNAVAILABLE)

    async def refused(self, request: Request, message: str, status: int, *, back: str | None = None) -> Response:
        """Where it ends: the person is told, and sent nowhere."""
        return self._refused(message, status, back=back)

    def _refused(self, message: str, status: int, *, again: str | None = None, back: str | None = None) -> Response:
        links = [] if again is None else [Link(again, "Try again")]
        if back is not None:
            links.append(Link(back, f"Go to {host_of(back)}", ", which is told.", leaves=True))
        return message_page(status, deployment=self._deployment, title="Not connected", message=message, links=links)

    async def _visit(self, request: Request, authorization: AuthorizationRequest) -> _Visit:
        """Raises ``unavailable``."""
        sessions = await self._sessions()
        known = session_in(request, authorization.issuer, sessions)
        return _Visit(request, authorization, sessions, known or new_session())

    async def _sessions(self) -> Sessions:
        kept = await self._secret.kept()
        return Sessions(Seals(kept.key, self._deployment), self._limits, self._now(), self._way.lets_in)

    async def _submitted(self, request: Request, door: OAuthDoor) -> Response:
        """What came of a form that was sent."""
        try:
            if not is_from_here(request, door.origin(request)):
                return self._refused("This form was not sent from this server's own page.", HTTPStatus.FORBIDDEN)
            checked = await door.checked(request)
            if isinstance(checked, Response):
                return checked
            form = await self._form(request)
            visit = await self._visit(request, checked)
            if not visit.is_token(form.get("token", "")):
                return self._shown(visit, HTTPStatus.FORBIDDEN, notice=_STALE)
            return await self._done(visit, form)
        except OAuthError as error:
            return self._refused(error.description, error.status)
        except Failure as failure:
            return self._refused(failure.message, HTTPStatus.SERVICE_UNAVAILABLE)
        except ClientDisconnect:
            return Response(status_code=CLIENT_GONE)

    async def _form(self, request: Request) -> Mapping[str, str]:
        """Raises ``OAuthError`` for what no page of ours sends."""
        media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        body = await body_within(request, self._limits.oauth_form_bytes)
        if media_type != FORM or body is None or not body.isascii():
            raise OAuthError("invalid_request", "This is no form of this server.")
        return parameters_of(pairs_in(body.decode("ascii"), self._limits), self._limits)

    async def _done(self, visit: _Visit, form: Mapping[str, str]) -> Response:
        person = visit.session.person
        match form.get("action"):
            case "allow" if person is not None:
                return see_other(await self._server.approve(visit.authorization, person))
            case "deny" if person is not None:
                return see_other(self._server.deny(visit.authorization))
            case "sign-out":
                return self._with_session(see_other(visit.place), visit, None)
            case "sign-in" if person is None:
                return await self._signed_in(visit, form)
            case _:
                return self._shown(visit)

    async def _signed_in(self, visit: _Visit, form: Mapping[str, str]) -> Response:
        address = address_of(visit.request)
        if isinstance(self._way, Passphrases):
            return await self._with_passphrase(self._way, visit, form.get("passphrase", ""), address)
        try:
            there = await self._way.begin(visit.session.id, visit.place, origin=visit.origin, address=address)
        except NotSignedIn as error:
            return self._shown(visit, HTTPStatus.TOO_MANY_REQUESTS, notice=error.message)
        return self._with_session(see_other(there), visit, visit.session)

    async def _with_passphrase(self, way: Passphrases, visit: _Visit, passphrase: str, address: str) -> Response:
        checked = await way.check(passphrase, address)
        match checked:
            case Person():
                return self._with_session(see_other(visit.place), visit, new_session(checked))
            case Slowed() | Refused():
                told = told_of(checked)
                return told.on(self._shown(visit, told.status, error=told.message))

    async def _come_back(self, request: Request, door: OAuthDoor) -> Response:
        """From the provider, with its answer in the query."""
        assert isinstance(self._way, ProviderSignIn)
        origin = door.origin(request)
        try:
            query = request.scope["query_string"].decode("ascii", "replace")
            answer = parameters_of(pairs_in(query, self._limits), self._limits)
            sessions = await self._sessions()
            session = session_in(request, origin, sessions)
            person, place = await self._way.finish(answer, session and session.id, origin=origin)
        except NotSignedIn as error:
            return self._refused(error.message, HTTPStatus.FORBIDDEN, again=error.place)
        except OAuthError as error:
            return self._refused(error.description, error.status)
        except Failure as failure:
            return self._refused(failure.message, HTTPStatus.SERVICE_UNAVAILABLE)
        response = see_other(place)
        keep_session(response, new_session(person), origin, sessions, self._limits)
        return response

    def _with_session(self, response: Response, visit: _Visit, session: Session | None) -> Response:
        """``response`` that leaves the browser with ``session``, or a fresh one."""
        keep_session(response, session or new_session(), visit.origin, visit.sessions, self._limits)
        return response

    def _shown(
        self, visit: _Visit, status: int = HTTPStatus.OK, *, notice: str | None = None, error: str | None = None
    ) -> Response:
        values = {
            "deployment": self._deployment,
            "host": urlsplit(visit.origin).netloc,
            "client": visit.authorization.client,
            "action": visit.place,
            "token": visit.token(),
            "notice_text": notice,
        }
        if visit.session.person is not None:
            agreed = self._agreed(visit.authorization, visit.session.person)
            response = _PAGES.page("consent.html", status, values | agreed, leads_elsewhere=True)
        elif isinstance(self._way, Passphrases):
            longest = self._limits.passphrase_chars_max
            response = _PAGES.page("passphrase.html", status, values | {"error": error, "longest": longest})
        else:
            response = _PAGES.page("provider.html", status, values | {"provider": self._way.name}, leads_elsewhere=True)
        return self._with_session(response, visit, visit.session) if visit.session.person is None else response

    def _agreed(self, authorization: AuthorizationRequest, person: Person) -> dict[str, object]:
        """What is agreed to."""
        return {
            "person": person,
            "redirect_host": authorization.redirect_host,
            "on_this_computer": authorization.redirect_host in _LOOPBACK,
            "is_application": is_application(authorization.redirect_uri),
            "days": self._limits.oauth_refresh_s // _DAY_S,
        }
