"""What every page of the operator's has in common: how it is drawn, and what becomes of a form that was sent to it."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import ClassVar, Final, Protocol, TypeAlias

from fastapi import FastAPI, Request, Response
from starlette.requests import ClientDisconnect

from connecta.failures import Failure
from connecta.text import clamp
from connecta.web.bodies import CLIENT_GONE
from connecta.web.forms import see_other
from connecta.web.operator.door import Door, Sent, Visit
from connecta.web.operator.notices import forget_notice, keep_notice, notice_in
from connecta.web.operator.places import PAGES, SIGN_OUT
from connecta.web.rendering import Pages
from connecta.web.sign_in.cookies import keep_session

_PAGES: Final = Pages(Path(__file__).parent / "templates", "base.css", "desk.css")
_NOTICE_BYTES: Final = 400


class Refused(Exception):
    """What a form asked for was not done; ``message`` says why and what to do, ``place`` is the form it was."""

    def __init__(self, message: str, *, status: int = HTTPStatus.UNPROCESSABLE_ENTITY, place: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.place = place


@dataclass(frozen=True, slots=True)
class Shown:
    """How a page is to be drawn: after what was refused, or with what there is to say this once."""

    status: int = HTTPStatus.OK
    problem: Refused | None = None
    more: Mapping[str, object] | None = None


AS_IT_IS: Final = Shown()
Answer: TypeAlias = str | Response | Shown
"""What a form came to: a sentence for the page that comes next, a way on, or the page at once."""
Work: TypeAlias = Callable[[Sent], Awaitable[Answer]]


class Section(Protocol):
    """One page."""

    place: ClassVar[str]
    template: ClassVar[str]
    leads_elsewhere: ClassVar[bool]
    """One of its forms may be answered by the way to another site."""

    async def values(self, visit: Visit) -> Mapping[str, object]:
        """What its template shows. Raises ``Failure``."""
        ...


class Desk:
    """Draws the pages of one deployment and takes their forms."""

    def __init__(self, door: Door) -> None:
        self.door = door

    def add_page(self, app: FastAPI, section: Section) -> None:
        async def show(request: Request) -> Response:
            try:
                visit = await self.door.visitor(request)
                return visit if isinstance(visit, Response) else await self._drawn(section, visit, AS_IT_IS)
            except Failure as failure:
                return self._down(failure)

        app.add_api_route(section.place, show, methods=["GET"])

    def add_form(self, app: FastAPI, path: str, section: Section, work: Work) -> None:
        """``path`` is where forms of ``section`` are sent to that ``work`` does."""

        async def take(request: Request) -> Response:
            try:
                sent = await self.door.sent(request)
                return sent if isinstance(sent, Response) else await self._done(section, sent, work)
            except Failure as failure:
                return self._down(failure)
            except ClientDisconnect:
                return Response(status_code=CLIENT_GONE)

        app.add_api_route(path, take, methods=["POST"])

    async def _done(self, section: Section, sent: Sent, work: Work) -> Response:
        visit = sent.visit
        try:
            answer = await work(sent)
        except Refused as refused:
            return await self._drawn(section, visit, Shown(refused.status, refused))
        except Failure as failure:
            problem = Refused(failure.message, status=HTTPStatus.SERVICE_UNAVAILABLE)
            return await self._drawn(section, visit, Shown(problem.status, problem))
        if isinstance(answer, Shown):
            return await self._drawn(section, visit, answer)
        if isinstance(answer, Response):
            return answer
        response = see_other(section.place)
        keep_notice(response, clamp(answer, _NOTICE_BYTES), visit)
        return response

    async def _drawn(self, section: Section, visit: Visit, shown: Shown) -> Response:
        notice = notice_in(visit)
        values = {
            "deployment": self.door.deployment,
            "pages": PAGES,
            "here": section.place,
            "person": visit.person,
            "signed_in": visit.signed_in,
            "sign_out": SIGN_OUT,
            "token": visit.token,
            "notice": notice,
            "problem": shown.problem,
            **await section.values(visit),
            **(shown.more or {}),
        }
        response = _PAGES.page(section.template, shown.status, values, leads_elsewhere=section.leads_elsewhere)
        if notice is not None:
            forget_notice(response, visit)
        if not visit.signed_in:
            keep_session(response, visit.session, visit.origin, visit.sessions, self.door.limits)
        return response

    def _down(self, failure: Failure) -> Response:
        return self.door.told(HTTPStatus.SERVICE_UNAVAILABLE, "Not available at the moment", failure.message)
