"""Who is at the operator's pages, and what a form has to be before it does anything.

A person has signed in, in this browser. On one's own machine, where nobody has to, whoever is on the machine is one.
No bearer token ever opens a page: it is the agents' way in, and what agents ask for must not reach what they are
trusted with.
"""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from fastapi import Request, Response

from connecta.auth.authenticator import bearer_token, is_this_machine
from connecta.auth.sign_in.seals import Seals
from connecta.auth.sign_in.secret import SignInSecret
from connecta.auth.sign_in.sessions import Person, Session, Sessions, new_session
from connecta.limits import Limits
from connecta.web.edge import normal_origin, own_origins
from connecta.web.forms import form_in, is_from_here, see_other
from connecta.web.operator.places import CONNECTORS, PAGES, sign_in_place
from connecta.web.rendering import Link, message_page
from connecta.web.sign_in.cookies import session_in

LOCAL_PERSON: Final = Person("this-machine", "whoever is on this machine")
_FORM: Final = "operator"


@dataclass(frozen=True, slots=True)
class Visit:
    """One request of a person who may be here; ``signed_in`` is false where nobody has to sign in."""

    request: Request
    origin: str
    sessions: Sessions
    session: Session
    person: Person
    signed_in: bool

    def token(self, path: str) -> str:
        """What the form that goes to ``path`` carries."""
        return self.sessions.token(self.session, _FORM, self._about(path))

    def is_token(self, text: str) -> bool:
        """Whether ``text`` came from this session's own form for where this request went."""
        return self.sessions.is_token(text, self.session, _FORM, self._about(self.request.url.path))

    def _about(self, path: str) -> tuple[tuple[str, str], ...]:
        return (("origin", self.origin), ("path", path))


@dataclass(frozen=True, slots=True)
class Sent:
    """A form that may do what it asks for."""

    visit: Visit
    fields: dict[str, str]


class Door:
    """The door of one deployment. ``lets_in`` says who may still come in of those who signed in, ``None`` where nobody
    can sign in; ``open_here`` lets in whoever is on this machine without."""

    def __init__(
        self,
        secret: SignInSecret,
        *,
        deployment: str,
        lets_in: Callable[[Person], bool] | None,
        public_url: str | None,
        limits: Limits,
        now: Callable[[], float],
        local: bool,
        open_here: bool,
    ) -> None:
        self.deployment = deployment
        self.limits = limits
        self.can_sign_in = lets_in is not None
        self._lets_in = lets_in or _nobody
        self._secret = secret
        self._public_url = public_url
        self._now = now
        self._local = local
        self._open_here = local and open_here

    def origin(self, request: Request) -> str:
        return own_origins(request.scope, self._public_url, local=self._local)[0]

    async def sessions(self) -> Sessions:
        """Raises ``unavailable``."""
        kept = await self._secret.kept()
        return Sessions(Seals(kept.key, self.deployment), self.limits, self._now(), self._lets_in)

    async def visitor(self, request: Request) -> Visit | Response:
        """Who asks for a page, or where to send them instead. Raises ``unavailable``."""
        origin = self.origin(request)
        asked_from = request.headers.get("origin")
        if asked_from is not None and normal_origin(asked_from) != origin:
            return self.told(HTTPStatus.FORBIDDEN, "Not here", "Only a person at a browser is shown this page.")
        visit = await self._visit(request, origin)
        if visit is not None:
            return visit
        if not self.can_sign_in:
            return self.told(HTTPStatus.FORBIDDEN, "Nobody can sign in here", self._no_way())
        return see_other(sign_in_place(request.url.path))

    async def sent(self, request: Request) -> Sent | Response:
        """The form in ``request``, or the refusal of it. Raises ``unavailable`` and ``ClientDisconnect``."""
        origin = self.origin(request)
        if not is_from_here(request, origin) or bearer_token(request.headers.get("authorization")) is not None:
            return self.refused("This form was not sent from this server's own page. Nothing was changed.")
        visit = await self._visit(request, origin)
        if visit is None:
            return self._nobody()
        fields = await form_in(request, self.limits)
        if fields is None:
            message = "This is no form of this server, or it is too long. Nothing was changed."
            return self.told(HTTPStatus.BAD_REQUEST, "Not understood", message)
        if not visit.is_token(fields.pop("token", "")):
            return self.refused(
                "This page was open for too long, or it was not opened in this browser. Nothing was changed: "
                "open it again and repeat what you did."
            )
        return Sent(visit, fields)

    def refused(self, message: str, status: int = HTTPStatus.FORBIDDEN) -> Response:
        return self.told(status, "Nothing was changed", message)

    def told(self, status: int, title: str, message: str, link: Link | None = None) -> Response:
        links = [link or Link(CONNECTORS, f"Go to {PAGES[CONNECTORS].lower()}")]
        return message_page(
            status, deployment=self.deployment, title=title, message=message, links=links if self._opens else ()
        )

    @property
    def _opens(self) -> bool:
        return self.can_sign_in or self._open_here

    def _nobody(self) -> Response:
        if not self.can_sign_in:
            return self.told(HTTPStatus.FORBIDDEN, "Nobody can sign in here", self._no_way())
        message = "You are not signed in, or not any more. Nothing was changed."
        return self.told(HTTPStatus.FORBIDDEN, "Not signed in", message, Link(sign_in_place(CONNECTORS), "Sign in"))

    async def _visit(self, request: Request, origin: str) -> Visit | None:
        if self._is_open_to(request):
            sessions = await self.sessions()
            session = session_in(request, origin, sessions) or new_session()
            return Visit(request, origin, sessions, session, LOCAL_PERSON, signed_in=False)
        if not self.can_sign_in:
            return None
        sessions = await self.sessions()
        session = session_in(request, origin, sessions)
        if session is None or session.person is None:
            return None
        return Visit(request, origin, sessions, session, session.person, signed_in=True)

    def _is_open_to(self, request: Request) -> bool:
        return self._open_here and request.client is not None and is_this_machine(request.client.host)

    def _no_way(self) -> str:
        if self._open_here:
            return "Where this deployment runs on one's own machine, its pages open only in a browser on that machine."
        return (
            "This deployment gives its owner no way to sign in, so its pages stay closed: add AuthorizationServer() to "
            "its auth= and deploy it again."
        )


def _nobody(person: Person) -> bool:
    return False
