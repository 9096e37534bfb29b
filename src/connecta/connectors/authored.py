"""What ``api`` and ``remote_mcp`` connectors share: identity, guide, URL, credential, and noting what is wrong.

Nothing here raises: a deployment hears everything that is wrong with it at once, when ``Connecta`` is built.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from types import UnionType
from typing import Final

from connecta.addresses import plain_parts_of
from connecta.auth.credentials import DownstreamAuth, problems_of
from connecta.connectors.admission import Admission
from connecta.limits import LIMITS, Limits
from connecta.text import clamp, compact

ID: Final = re.compile(r"[a-z][a-z0-9_-]{0,62}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """The options both kinds of connector take. ``url_option`` is what the author knows ``url`` as; ``unknown`` are
    the names of options that do not exist."""

    url_option: str
    url: str
    title: str | None
    description: str
    guide: str | None
    guide_summary: str | None
    guide_required: bool
    timeout: float | None
    auth: DownstreamAuth | None
    allow_private: bool
    admission: Admission | None
    unknown: tuple[str, ...]


class AuthoredConnector:
    """Configuration of one downstream as its author wrote it, right or wrong."""

    def __init__(self, id: str, settings: Settings) -> None:
        self.id = id
        self.url = settings.url
        self.title = settings.title
        self.description = settings.description
        self.guide = settings.guide
        self.guide_summary = settings.guide_summary or _first_line(settings.guide)
        self.guide_required = settings.guide_required
        self.timeout_s = LIMITS.call_s if settings.timeout is None else settings.timeout
        self.auth = settings.auth
        self.allow_private = settings.allow_private
        self.admission = settings.admission
        self.limits = LIMITS
        self._settings = settings
        self._problems: list[str] = [f"unknown option {name}=; remove it." for name in settings.unknown]
        self._check_id()
        self._check_texts()
        self._check_numbers_and_switches()
        self._check_url()
        self._check_auth()
        self._check_admission()

    def bind(self, limits: Limits) -> None:
        """Take a deployment's limits; ``Connecta`` does this once."""
        self.limits = limits
        if self._settings.timeout is None:
            self.timeout_s = limits.call_s

    def problems(self) -> Sequence[str]:
        return [f'connector "{self.id}": {problem}' for problem in self._problems]

    def digest(self, *parts: object) -> str:
        return hashlib.sha256(compact([self.id, self.url, *parts]).encode()).hexdigest()[:32]

    def refuse(self, problem: str) -> None:
        self._problems.append(problem)

    def _check_id(self) -> None:
        if not _is(self.id, str) or not ID.fullmatch(self.id):
            self.refuse("its id must match [a-z][a-z0-9_-]{0,62}; rename it.")

    def _check_texts(self) -> None:
        given = self._settings
        for option in ("title", "description", "guide", "guide_summary"):
            value: object = getattr(given, option)
            if not _is(value, str | None) or (value is None and option == "description"):
                self.refuse(f"{option}= must be a string.")
        if _is(given.guide_summary, str) and len(given.guide_summary or "") > LIMITS.guide_summary_chars:
            self.refuse(f"guide_summary= is longer than {LIMITS.guide_summary_chars} characters; shorten it.")

    def _check_numbers_and_switches(self) -> None:
        for option in ("guide_required", "allow_private"):
            if not _is(getattr(self._settings, option), bool):
                self.refuse(f"{option}= must be True or False.")
        if not _is(self.timeout_s, int | float) or not 0 < self.timeout_s <= LIMITS.call_s_max:
            self.refuse(f"timeout= must be more than 0 and at most {LIMITS.call_s_max:g} seconds.")

    def _check_url(self) -> None:
        option = self._settings.url_option
        parts = plain_parts_of(self.url) if _is(self.url, str) else None
        if parts is None:
            self.refuse(f"{option}= must be an absolute URL without credentials, query or fragment.")
        elif parts.scheme == "http" and not self.allow_private:
            self.refuse(f"{option}= must be https, or the connector must say allow_private=True.")

    def _check_admission(self) -> None:
        if not _is(self.admission, Admission | None):
            self.refuse("admission= must be an Admission(…).")
        elif self.admission is not None:
            for problem in self.admission.problems():
                self.refuse(problem)

    def _check_auth(self) -> None:
        for problem in problems_of(self.auth, "auth" if self._settings.url_option == "url" else "credential"):
            self.refuse(problem)


def _is(value: object, kind: type | UnionType) -> bool:
    """Authors are not held to the annotations; only this says whether they kept to them."""
    return isinstance(value, kind)


def _first_line(guide: str | None) -> str | None:
    """A guide's summary where its author gave none: its first line, without Markdown's heading marks."""
    if not isinstance(guide, str) or not guide.strip():
        return None
    return clamp(guide.strip().splitlines()[0].lstrip("# "), LIMITS.guide_summary_chars)
