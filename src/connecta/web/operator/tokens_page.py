"""``/tokens``: who may come in: access tokens for scripts and editors, and the applications people connected."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import ClassVar, Final

from fastapi import FastAPI

from connecta.auth.access_tokens import token_name
from connecta.limits import Limits
from connecta.state.access_tokens import AccessToken, AccessTokens
from connecta.state.grants import GrantRow, Grants
from connecta.state.tickets import is_id, new_id
from connecta.web.operator.desk import Answer, Desk, Refused, Shown
from connecta.web.operator.door import Sent, Visit
from connecta.web.operator.places import TOKENS, grant_place, token_place
from connecta.web.operator.words import Moment, counted, moment

_DAY_S: Final = 24 * 3_600
_LIVES: Final = {"": None, "30": 30, "90": 90, "365": 365}
"""What the form offers, in days; a token without an end is good until it is revoked."""
_GONE: Final = "That token is not there any more: it was revoked, or it has ended."
_SENT_BEFORE: Final = (
    "This form was sent before. Its token is in the list and is not shown again: revoke it if you did not keep it, and "
    "issue another."
)


@dataclass(frozen=True, slots=True)
class Token:
    name: str
    created: Moment
    used: Moment | None
    ends: Moment | None
    rename: str
    revoke: str


@dataclass(frozen=True, slots=True)
class Application:
    label: str
    person: str
    granted: Moment
    used: Moment
    ends: Moment
    end: str


class TokensPage:
    """``takes_tokens``: the deployment lets access tokens in; ``takes_applications``: applications can be connected."""

    place: ClassVar[str] = TOKENS
    template: ClassVar[str] = "tokens.html"
    leads_elsewhere: ClassVar[bool] = False

    def __init__(
        self,
        tokens: AccessTokens,
        grants: Grants,
        limits: Limits,
        now: Callable[[], float],
        *,
        takes_tokens: bool,
        takes_applications: bool,
    ) -> None:
        self._tokens = tokens
        self._grants = grants
        self._limits = limits
        self._now = now
        self._takes_tokens = takes_tokens
        self._takes_applications = takes_applications

    def add_routes(self, app: FastAPI, desk: Desk) -> None:
        desk.add_page(app, self)
        desk.add_form(app, TOKENS, self, self._issue)
        desk.add_form(app, "/tokens/{id}/rename", self, self._rename)
        desk.add_form(app, "/tokens/{id}/revoke", self, self._revoke)
        desk.add_form(app, "/grants/{id}/end", self, self._end)

    async def values(self, visit: Visit) -> Mapping[str, object]:
        now, most = self._now(), self._limits.operator_rows
        tokens = await self._tokens.tokens()
        grants = await self._grants.list() if self._takes_applications else []
        return {
            "tokens": [_token(each, now) for each in reversed(tokens[-most:])],
            "more_tokens": _more(tokens, most),
            "applications": [_application(each, now) for each in grants[:most]],
            "more_applications": _more(grants, most),
            "takes_tokens": self._takes_tokens,
            "takes_applications": self._takes_applications,
            "name_chars": self._limits.token_name_chars,
            "kept_s": int(self._limits.token_memory_s),
            "once": new_id(),
            "issued": None,
        }

    async def _issue(self, sent: Sent) -> Answer:
        name = self._name(sent, TOKENS)
        days = sent.fields.get("life", "")
        if days not in _LIVES:
            raise Refused("Choose when the token is to end from the list.", place=TOKENS)
        life = _LIVES[days]
        once = sent.fields.get("once", "")
        if not is_id(once):
            raise Refused("This form is not as the page has it. Nothing was changed: send it again.", place=TOKENS)
        # A page that cannot be drawn would leave a token behind that nobody has seen.
        await self.values(sent.visit)
        issued = await self._tokens.issue_once(once, name, life_s=None if life is None else life * _DAY_S)
        if issued is None:
            raise Refused(_SENT_BEFORE, status=HTTPStatus.CONFLICT, place=TOKENS)
        token, text = issued
        return Shown(more={"issued": {"name": token.name, "text": text}})

    async def _rename(self, sent: Sent) -> Answer:
        place = sent.visit.request.url.path
        renamed = await self._tokens.rename(_id(sent), self._name(sent, place))
        if renamed is None:
            raise Refused(_GONE, status=404)
        return f"The token is now called “{renamed.name}”."

    async def _revoke(self, sent: Sent) -> Answer:
        if not await self._tokens.revoke(_id(sent)):
            raise Refused(_GONE, status=404)
        seconds = int(self._limits.token_memory_s)
        return f"The token is revoked. It is refused everywhere within {seconds} seconds."

    async def _end(self, sent: Sent) -> Answer:
        if not await self._grants.end(_id(sent)):
            raise Refused("That application is not connected any more.", status=404)
        seconds = int(self._limits.token_memory_s)
        return f"The application is disconnected. It is refused everywhere within {seconds} seconds."

    def _name(self, sent: Sent, place: str) -> str:
        name = token_name(sent.fields.get("name", ""), self._limits)
        if name is None:
            message = f"A name is 1 to {self._limits.token_name_chars} printable characters. Nothing was changed."
            raise Refused(message, place=place)
        return name


def _id(sent: Sent) -> str:
    return sent.visit.request.path_params["id"]


def _token(token: AccessToken, now: float) -> Token:
    return Token(
        name=token.name,
        created=moment(token.created_at, now),
        used=None if token.used_at is None else moment(token.used_at, now),
        ends=None if token.expires_at is None else moment(token.expires_at, now),
        rename=token_place(token.id, "rename"),
        revoke=token_place(token.id, "revoke"),
    )


def _application(row: GrantRow, now: float) -> Application:
    return Application(
        label=row.label,
        person=row.person,
        granted=moment(row.granted_at, now),
        used=moment(row.used_at, now),
        ends=moment(row.expires_at, now),
        end=grant_place(row.id),
    )


def _more(rows: Sequence[object], most: int) -> str:
    left = len(rows) - most
    return f"{counted(left, 'more is', 'more are')} not shown." if left > 0 else ""
