"""``/credentials``: what the operator fills in for connectors. Values go in here, and never come out."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from fastapi import FastAPI

from connecta.auth.credentials import Credential, Token
from connecta.auth.presented import credential
from connecta.auth.vault.keys import Unreadable, unusable
from connecta.auth.vault.slots import BadValue, Slot, Slots
from connecta.catalog.trial import Trials
from connecta.connectors.model import Connector
from connecta.failures import Failure
from connecta.web.operator.desk import Answer, Desk, Refused
from connecta.web.operator.door import Sent, Visit
from connecta.web.operator.places import CREDENTIALS, credential_place
from connecta.web.operator.words import Moment, counted, moment

_FIELD: Final = "value-"
"""Before a field's name in a form, so that a connector's author may call one anything."""
_NO_VAULT: Final = "This deployment has no key to keep a credential with: see docs/credentials.md."
_NOT_ASCII: Final = "That fits in no HTTP header, which takes printable ASCII characters only."
_COLON: Final = "A user name with a colon in it cannot be sent."
_READABLE: Final = (
    "can be read. No call was made with it: only its author knows which call of an API is harmless. An agent's next "
    "call shows whether it is taken."
)


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    label: str


@dataclass(frozen=True, slots=True)
class Row:
    """One slot: what may be said of it, and where its forms go."""

    id: str
    title: str
    label: str
    fields: Sequence[Field]
    is_set: bool
    incomplete: bool
    set_at: Moment | None
    set_by: str
    put: str
    test: str
    remove: str


class CredentialsPage:
    place: ClassVar[str] = CREDENTIALS
    template: ClassVar[str] = "credentials.html"
    leads_elsewhere: ClassVar[bool] = False

    def __init__(
        self, connectors: Sequence[Connector], slots: Slots | None, trials: Trials, now: Callable[[], float]
    ) -> None:
        self._connectors = {each.id: each for each in connectors if isinstance(each.auth, Credential)}
        self._variables = [
            {"title": each.title or each.id, "env": each.auth.env}
            for each in connectors
            if isinstance(each.auth, Token)
        ]
        self._slots = slots
        self._trials = trials
        self._now = now

    def add_routes(self, app: FastAPI, desk: Desk) -> None:
        desk.add_page(app, self)
        desk.add_form(app, "/credentials/{id}/set", self, self._set)
        desk.add_form(app, "/credentials/{id}/test", self, self._test)
        desk.add_form(app, "/credentials/{id}/remove", self, self._remove)

    async def values(self, visit: Visit) -> Mapping[str, object]:
        slots = self._slots
        if slots is None:
            return {"rows": [], "variables": self._variables, "no_vault": _NO_VAULT}
        found = await asyncio.gather(*(slots.standing(id) for id in self._connectors))
        rows = [self._row(each, slot) for each, slot in zip(self._connectors.values(), found, strict=True)]
        return {"rows": rows, "variables": self._variables, "no_vault": None}

    def _row(self, connector: Connector, slot: Slot | None) -> Row:
        names = _auth(connector).names
        return Row(
            id=connector.id,
            title=_title(connector),
            label=_auth(connector).label,
            fields=[Field(f"{_FIELD}{name}", _label(connector, name)) for name in names],
            is_set=slot is not None,
            incomplete=slot is not None and not set(names) <= set(slot.fields),
            set_at=None if slot is None else moment(slot.set_at, self._now()),
            set_by="" if slot is None else slot.set_by,
            put=credential_place(connector.id, "set"),
            test=credential_place(connector.id, "test"),
            remove=credential_place(connector.id, "remove"),
        )

    async def _set(self, sent: Sent) -> Answer:
        connector, slots = self._slot(sent)
        auth = _auth(connector)
        given = {name: sent.fields.get(f"{_FIELD}{name}", "") for name in auth.names}
        try:
            slots.check(given, {name: _label(connector, name) for name in auth.names})
            if credential(auth, given) is None:
                raise BadValue(_COLON if auth.is_basic else _NOT_ASCII)
            await slots.put(connector.id, given, sent.visit.person.name)
        except BadValue as bad:
            raise Refused(f"{bad.message} Nothing was changed.", place=connector.id) from None
        return f"The credential for {_title(connector)} is set. It is used from the next call on."

    async def _test(self, sent: Sent) -> Answer:
        connector, slots = self._slot(sent)
        title = _title(connector)
        try:
            _check_usable(connector, await slots.values(connector.id))
            if not connector.cacheable_catalog:
                return f"The credential for {title} {_READABLE}"
            count = await self._trials.tools_of(connector)
        except Unreadable as error:
            if error.key_at_fault:
                raise unusable() from error
            message = f"What was set for {title} cannot be read any more; the log says why. Set it again."
            raise Refused(message, place=connector.id) from None
        except Failure as failure:
            raise Refused(_unlisted(title, failure), place=connector.id) from None
        return f"{title} takes the credential: it lists {counted(count, 'tool')}."

    async def _remove(self, sent: Sent) -> Answer:
        connector, slots = self._slot(sent)
        if not await slots.remove(connector.id):
            return f"Nothing was set for {_title(connector)}."
        return (
            f"The credential for {_title(connector)} is removed. Agents cannot use the connector until it is set again."
        )

    def _slot(self, sent: Sent) -> tuple[Connector, Slots]:
        connector = self._connectors.get(sent.visit.request.path_params["id"])
        if connector is None:
            raise Refused("There is no such credential.", status=404)
        if self._slots is None:
            raise Refused(_NO_VAULT, status=503)
        return connector, self._slots


def _auth(connector: Connector) -> Credential:
    assert isinstance(connector.auth, Credential)
    return connector.auth


def _check_usable(connector: Connector, values: Mapping[str, str] | None) -> None:
    """Raises ``Refused`` for what no request could be made with, so that nobody is asked about it."""
    auth, title = _auth(connector), _title(connector)
    if values is None:
        raise Refused(f"Nothing is set for {title} yet.", place=connector.id)
    if not set(auth.names) <= set(values):
        raise Refused(f"What is set for {title} is incomplete: set it again.", place=connector.id)
    if credential(auth, values) is None:
        raise Refused(f"What is set for {title} fits in no HTTP header: set it again.", place=connector.id)


def _title(connector: Connector) -> str:
    return connector.title or connector.id


def _label(connector: Connector, name: str) -> str:
    auth = _auth(connector)
    return name.replace("_", " ").capitalize() if auth.fields else auth.label


def _unlisted(title: str, failure: Failure) -> str:
    if failure.code == "auth_required":
        return f"{title} did not take the credential. Look whether it is whole and still valid, and set it again."
    return f"{failure.message} Whether the credential is good is not known; test it again later."
