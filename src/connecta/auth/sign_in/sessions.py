"""One browser at the sign-in pages: before anybody signed in, and after. It carries its own session, signed."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Final, cast

from connecta.auth.sign_in.seals import Seals
from connecta.limits import Limits
from connecta.state.owners import digest
from connecta.state.tickets import same

_SESSION: Final = "session"
_FORM: Final = "form"
_NOTICE: Final = "notice"


@dataclass(frozen=True, slots=True)
class Person:
    """Who signed in: ``subject`` for good, ``name`` as a page shows it. ``email`` is an address their identity provider
    had verified and ``issuer`` is that provider; both are empty where there was none."""

    subject: str
    name: str
    email: str = ""
    issuer: str = ""


@dataclass(frozen=True, slots=True)
class Session:
    """``id`` is fresh whenever somebody signs in, so nobody can prepare a browser for somebody else to sign in with."""

    id: str
    person: Person | None = None


def new_session(person: Person | None = None) -> Session:
    return Session(secrets.token_urlsafe(18), person)


class Sessions:
    """Sessions and the forms that belong to them, as text. A form is good in one session and for one purpose."""

    def __init__(self, seals: Seals, limits: Limits, now: float, lets_in: Callable[[Person], bool]) -> None:
        """``lets_in`` is whether who signed in once still may come in."""
        self._seals = seals
        self._limits = limits
        self._now = now
        self._lets_in = lets_in

    def text(self, session: Session) -> str:
        """``session`` as its cookie carries it."""
        person = session.person
        content = {"id": session.id, **({} if person is None else asdict(person))}
        return self._seals.sealed(_SESSION, {**content}, self._now + self._limits.sign_in_session_s)

    def read(self, text: str) -> Session | None:
        """The session of a cookie; ``None`` for none of ours, one that has ended, or of somebody who is not let in any
        more."""
        content = self._seals.opened(_SESSION, text, self._now)
        if content is None:
            return None
        known = cast("dict[str, str]", content)
        if "subject" not in known:
            return Session(known["id"])
        person = Person(**{name: known.get(name, "") for name in Person.__slots__})
        return Session(known["id"], person) if self._lets_in(person) else None

    def token(self, session: Session, purpose: str, about: Sequence[tuple[str, str]]) -> str:
        """What a form of this session carries that is for ``purpose`` and ``about`` nothing else."""
        content = {"for": _bound(session, purpose, about)}
        return self._seals.sealed(_FORM, {**content}, self._now + self._limits.sign_in_form_s)

    def is_token(self, text: str, session: Session, purpose: str, about: Sequence[tuple[str, str]]) -> bool:
        content = self._seals.opened(_FORM, text, self._now)
        return content is not None and same(str(content["for"]), _bound(session, purpose, about))

    def notice(self, session: Session, text: str) -> str:
        """``text`` for the next page this session is shown, sealed so that nobody else can have us say something."""
        content = {"for": _bound(session, _NOTICE, ()), "text": text}
        return self._seals.sealed(_NOTICE, {**content}, self._now + self._limits.operator_notice_s)

    def noticed(self, sealed: str, session: Session) -> str | None:
        """What ``notice`` sealed for this session, while it is news."""
        content = self._seals.opened(_NOTICE, sealed, self._now)
        said = content is not None and same(str(content["for"]), _bound(session, _NOTICE, ()))
        return str(content["text"]) if content is not None and said else None


def _bound(session: Session, purpose: str, about: Sequence[tuple[str, str]]) -> str:
    return digest(session.id, purpose, *(part for pair in about for part in pair))
