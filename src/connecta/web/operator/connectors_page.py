"""``/``: every connector, whether agents can use it, and what to do where they cannot."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, cast

from fastapi import FastAPI

from connecta.auth.authorizations import Authorization, Authorizations
from connecta.auth.credentials import Credential, OAuth
from connecta.auth.downstream.model import Downstream, GrantStanding
from connecta.auth.downstream.oauth import DownstreamOAuth
from connecta.auth.vault.slots import Slots
from connecta.catalog.drift import Drift
from connecta.catalog.standing import Standing, Standings
from connecta.connectors.model import Connector
from connecta.failures import Failure
from connecta.limits import Limits
from connecta.log import logger
from connecta.state.activity import Activity, Entry, Wanted
from connecta.web.forms import see_other
from connecta.web.operator.desk import Answer, Desk, Refused
from connecta.web.operator.door import Sent, Visit
from connecta.web.operator.places import CONNECTORS, CREDENTIALS, connector_place
from connecta.web.operator.words import Moment, counted, failure_words, grant_words, moment

Tone = Literal["good", "bad", "warn", "calm"]
_REFUSED: Final = "auth_required"
_GIVEN_NONE: Final = "it asks for a credential and is given none"
_NO_VAULT: Final = "This deployment has no key to keep access with: see docs/credentials.md."


@dataclass(frozen=True, slots=True)
class State:
    """In a word, in which tone, and in a sentence what it means or what to do."""

    word: str
    tone: Tone
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Connected:
    """Who connected it, where, and until when its token is good, which is ``renewable`` or not."""

    by: str
    at: Moment
    issuer: str
    scope: str
    ends: Moment | None
    renewable: bool


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of one connector: ``given_at`` is when what it is authorized with was given, ``refused_at`` when
    its last call was refused for want of it; 0 where that never was, or is not known."""

    authorization: Authorization
    grant: GrantStanding | None
    standing: Standing
    given_at: float
    refused_at: float


@dataclass(frozen=True, slots=True)
class Row:
    """One connector as its panel shows it; paths are ``None`` where there is no such form."""

    id: str
    title: str
    description: str
    state: State
    tools: str
    loaded: Moment | None
    drift: str
    connected: Connected | None
    connect: str | None
    disconnect: str | None
    fill_in: str | None


class ConnectorsPage:
    place: ClassVar[str] = CONNECTORS
    template: ClassVar[str] = "connectors.html"
    leads_elsewhere: ClassVar[bool] = True

    def __init__(
        self,
        connectors: Sequence[Connector],
        standings: Standings,
        authorizations: Authorizations,
        slots: Slots | None,
        oauth: DownstreamOAuth | None,
        activity: Activity,
        limits: Limits,
        now: Callable[[], float],
    ) -> None:
        self._connectors = {connector.id: connector for connector in connectors}
        self._standings = standings
        self._authorizations = authorizations
        self._slots = slots
        self._oauth = oauth
        self._activity = activity
        self._limits = limits
        self._now = now

    def add_routes(self, app: FastAPI, desk: Desk) -> None:
        desk.add_page(app, self)
        desk.add_form(app, "/connectors/{id}/connect", self, self._connect)
        desk.add_form(app, "/connectors/{id}/disconnect", self, self._disconnect)

    async def values(self, visit: Visit) -> Mapping[str, object]:
        standings, refused = await asyncio.gather(self._standings.all(), self._refused())
        rows = await asyncio.gather(
            *(self._row(each, standings[each.id], refused.get(each.id, 0.0)) for each in self._connectors.values())
        )
        in_order = sum(row.state.tone == "good" for row in rows)
        return {
            "rows": rows,
            "summary": f"{in_order} of {counted(len(rows), 'connector')} ready.",
        }

    async def _refused(self) -> Mapping[str, float]:
        """When calls were refused, as ``_refused_last`` says; of none where that cannot be read."""
        wanted = Wanted(since=self._now() - self._limits.operator_refusals_s)
        try:
            page = await self._activity.page(wanted, self._limits.operator_rows)
        except Failure as failure:
            logger.warning("The calls of the last days could not be read.", extra={"code": failure.code})
            return {}
        return _refused_last(page.entries)

    async def _row(self, connector: Connector, standing: Standing, refused_at: float) -> Row:
        now = self._now()
        authorization, grant, set_at = await asyncio.gather(
            self._authorizations.standing(connector), self._grant(connector), self._set_at(connector)
        )
        given_at = set_at if grant is None else grant.connected_at
        known = _Known(authorization, grant, standing, given_at, refused_at)
        wants = authorization.status == "missing" and authorization.credential is not None
        can_connect = isinstance(connector.auth, OAuth) and self._oauth is not None
        return Row(
            id=connector.id,
            title=connector.title or connector.id,
            description=connector.description,
            state=_state(known, now),
            tools="" if standing.tools is None else f"{standing.tools:,}",
            loaded=None if standing.loaded_at is None else moment(standing.loaded_at, now),
            drift=_drift(standing.drift),
            connected=None if grant is None else _connected(grant, now),
            connect=connector_place(connector.id, "connect") if can_connect else None,
            disconnect=connector_place(connector.id, "disconnect") if can_connect and grant is not None else None,
            fill_in=f"{CREDENTIALS}#{connector.id}" if wants else None,
        )

    async def _grant(self, connector: Connector) -> GrantStanding | None:
        if self._oauth is None or not isinstance(connector.auth, OAuth):
            return None
        return await self._oauth.standing(_downstream(connector))

    async def _set_at(self, connector: Connector) -> float:
        """When its credential was filled in; 0 where it has none."""
        if self._slots is None or not isinstance(connector.auth, Credential):
            return 0.0
        slot = await self._slots.standing(connector.id)
        return 0.0 if slot is None else slot.set_at

    async def _connect(self, sent: Sent) -> Answer:
        connector, oauth = self._with_oauth(sent)
        visit = sent.visit
        there = await oauth.begin(connector, origin=visit.origin, by=visit.person.name)
        return see_other(there)

    async def _disconnect(self, sent: Sent) -> Answer:
        connector, oauth = self._with_oauth(sent)
        await oauth.disconnect(connector)
        return f"{connector.title or connector.id} is disconnected, and its tokens are forgotten."

    def _with_oauth(self, sent: Sent) -> tuple[Downstream, DownstreamOAuth]:
        connector = self._connectors.get(sent.visit.request.path_params["id"])
        if connector is None or not isinstance(connector.auth, OAuth):
            raise Refused("There is no such connector to connect.", status=404)
        if self._oauth is None:
            raise Refused(_NO_VAULT, status=503)
        return _downstream(connector), self._oauth


def _downstream(connector: Connector) -> Downstream:
    """A connector whose ``auth`` is ``OAuth(…)``, as what that makes it."""
    return cast(Downstream, connector)


def _refused_last(entries: Sequence[Entry]) -> Mapping[str, float]:
    """When each connector's last call was refused for want of access, of those whose last call that tells was; they
    come newest first. One that failed otherwise says nothing of its access."""
    last: dict[str, Entry] = {}
    for entry in entries:
        if entry.outcome == "success" or entry.error_code == _REFUSED:
            last.setdefault(entry.connector, entry)
    return {id: entry.at for id, entry in last.items() if entry.error_code == _REFUSED}


def _state(known: _Known, now: float) -> State:
    if known.grant is not None and known.grant.refused is not None:
        return State("Connect again", "bad", grant_words(known.grant.refused))
    if known.authorization.status == "missing":
        return _missing(known.authorization)
    return _health(known, now)


def _missing(authorization: Authorization) -> State:
    if authorization.recovery == "oauth":
        return State("Not connected", "warn", "Connect it, and agents can use it from their next call on.")
    if authorization.credential is not None:
        return State("Credential missing", "warn", f"“{authorization.credential.label}” has to be filled in.")
    return State("Not configured", "warn", authorization.instructions)


def _health(known: _Known, now: float) -> State:
    """What failed before it was given what it is authorized with says nothing of that."""
    standing, bare = known.standing, known.authorization.status == "not_needed"
    if standing.condition == "auth_required" and (standing.failed_at or 0.0) < known.given_at:
        return State("Not asked since", "calm", "It was authorized after it last refused; the next call asks it.")
    failed = "" if standing.failed_at is None else moment(standing.failed_at, now).ago
    match standing.condition:
        case "ready" if known.refused_at > max(known.given_at, standing.loaded_at or 0.0):
            why = _GIVEN_NONE if bare else "its credential was missing, was not taken, or does not cover that"
            return State("Refused", "bad", f"Its last call, {moment(known.refused_at, now).ago}, was refused: {why}.")
        case "ready":
            return State("Ready", "good")
        case "auth_required":
            why = _GIVEN_NONE if bare else "it did not take its credential"
            return State("Refused", "bad", f"Its last listing, {failed}, was refused: {why}.")
        case "failing":
            why = failure_words(standing.failure or "")
            return State("Failing", "bad", f"Its tools were asked for {failed}: {why}. It is asked again on demand.")
        case _:
            return State("Not asked yet", "calm", "Its tools are listed when an agent first looks for one.")


def _connected(grant: GrantStanding, now: float) -> Connected:
    ends = None if grant.expires_at is None or grant.refused is not None else moment(grant.expires_at, now)
    return Connected(grant.by, moment(grant.connected_at, now), grant.issuer, grant.scope, ends, grant.renewable)


def _drift(drift: Drift | None) -> str:
    """How its tools differ from the reviewed ones: empty where nobody keeps a list."""
    if drift is None:
        return ""
    said = [
        counted(count, "tool") + f" {what}"
        for count, what in (
            (drift.added, "added"),
            (drift.removed, "removed"),
            (drift.schema_changed, "with another schema"),
            (drift.annotation_changed, "with other annotations"),
        )
        if count
    ]
    return ", ".join(said) or "none"
