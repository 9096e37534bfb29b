"""What each call shows its downstream, what to try once after a refusal, and how somebody brings what is missing."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, cast

from connecta import failures
from connecta.auth.credentials import Authorized, Credential, OAuth, Token
from connecta.auth.presented import NOTHING, Presented, bearer, credential, sendable
from connecta.failures import Failure, Recovery
from connecta.text import Json, JsonObject

if TYPE_CHECKING:
    from connecta.auth.downstream.challenge import Challenge
    from connecta.auth.downstream.model import Downstream, Reason
    from connecta.auth.downstream.oauth import DownstreamOAuth
    from connecta.auth.vault.slots import Slots

CREDENTIALS_PATH: Final = "/credentials"
"""The page where the operator fills in slots."""
NO_VAULT: Final = (
    "This deployment has no key to keep credentials under: its owner names a KMS key in CONNECTA_KMS_KEY, or on a "
    "machine of their own a file in CONNECTA_KEY_FILE."
)

Status = Literal["not_needed", "configured", "missing"]

_WHY: Final[Mapping["Reason", str]] = {
    "never": "has not been connected yet",
    "expired": "was connected, and that has expired",
    "refused": "was connected, and its authorization server has ended that",
    "rejected": "does not take the token it was given",
    "scope": "wants a permission that it was not connected with",
    "issuer": "has another authorization server now",
    "client": "was connected as a client that is not this deployment's any more",
    "moved": "has moved to another address since it was connected",
    "unreadable": "was connected, and that cannot be read any more",
}


@dataclass(frozen=True, slots=True)
class Authorization:
    """How a connector is authorized. ``recovery`` is who can bring what is missing, ``None`` where nobody has to;
    ``instructions`` is for a person. What belongs to ``recovery`` beside them is in ``authorization_url`` (oauth) or in
    ``operator_url`` and ``credential`` (operator_config)."""

    recovery: Recovery | None
    status: Status
    instructions: str
    authorization_url: str | None = None
    operator_url: str | None = None
    credential: Credential | None = None

    def shown(self) -> JsonObject:
        """As ``authorize_connector`` answers it."""
        told: JsonObject = {} if self.recovery is None else {"recovery": self.recovery}
        told |= {"status": self.status, "instructions": self.instructions}
        if self.authorization_url is not None:
            told["authorizationUrl"] = self.authorization_url
        if self.operator_url is not None and self.credential is not None:
            fields = list[Json](self.credential.names)
            told["operatorUrl"] = self.operator_url
            told["credential"] = {"label": self.credential.label, "fields": fields}
        return told


class Authorizations:
    """One per process; keeps nothing of any request. Without ``slots`` and ``oauth`` there is only what needs no vault:
    no credential at all, and tokens of the environment."""

    def __init__(
        self,
        slots: "Slots | None" = None,
        oauth: "DownstreamOAuth | None" = None,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        self._slots = slots
        self._oauth = oauth
        self._environ = environ

    async def present(self, server: Authorized, operation: str) -> Presented:
        """What to show ``server``. Raises ``auth_required`` (E3), and ``unavailable`` where it cannot be read."""
        auth = server.auth
        if auth is None:
            return NOTHING
        if isinstance(auth, Token):
            found = self._environ.get(auth.env, "")
            if not sendable(found):
                raise _required(server, operation, "unavailable", _token_wanted(server, auth))
            return bearer(found)
        if isinstance(auth, Credential):
            return await self._filled(server, auth, operation)
        return await self._granted(server, operation)

    async def after_refusal(
        self, server: Authorized, operation: str, used: Presented, challenge: "Challenge | None", *, status: int
    ) -> Presented:
        """Something else to try once after a 401 or 403: a token that was refreshed, a credential that was replaced
        meanwhile. Raises as ``present`` does where there is nothing else."""
        auth = server.auth
        refusable = status == 401 or (challenge is not None and challenge.wants_scope)
        if isinstance(auth, OAuth) and used.granted is not None and refusable and self._oauth is not None:
            from connecta.auth.downstream.model import NotGranted

            try:
                granted = await self._oauth.renewed(cast("Downstream", server), used.granted, challenge)
            except NotGranted as error:
                raise _required(server, operation, "oauth", _connection_wanted(server, error.reason)) from error
            return bearer(granted.token, granted)
        if isinstance(auth, Credential):
            found = await self._filled(server, auth, operation)
            if found.fields != used.fields:
                return found
        raise self.refused(server, operation)

    def refused(self, server: Authorized, operation: str) -> Failure:
        """``auth_required`` for what the downstream does not take, and there is nothing else to show it."""
        auth = server.auth
        if auth is None:
            wants = "asks for a credential and the deployment gives it none: its owner adds auth= to it."
            return _required(server, operation, "unavailable", f'"{server.id}" {wants}')
        if isinstance(auth, Token):
            return _required(server, operation, "unavailable", _token_wanted(server, auth))
        if isinstance(auth, Credential):
            what = f'"{server.id}" does not take the credential "{auth.label}" it was shown for this: the operator'
            return _required(server, operation, "operator_config", f"{what} replaces it on the credentials page.")
        what = f'"{server.id}" refuses this to whoever connected it: somebody who may do it connects it again.'
        return _required(server, operation, "oauth", what)

    async def standing(self, server: Authorized) -> Authorization:
        """How ``server`` is authorized and whether that is in place, without touching it. Raises ``unavailable``."""
        auth = server.auth
        if auth is None:
            return Authorization(None, "not_needed", f'"{server.id}" is configured without a credential.')
        if isinstance(auth, Token):
            if sendable(self._environ.get(auth.env, "")):
                return Authorization(None, "configured", f'"{server.id}" has its token.')
            return Authorization("unavailable", "missing", _token_wanted(server, auth))
        if self._slots is None or self._oauth is None:
            return Authorization("unavailable", "missing", _no_vault(server))
        if isinstance(auth, Credential):
            slot = await self._slots.standing(server.id)
            if slot is not None and set(auth.names) <= set(slot.fields):
                had = f'"{server.id}" has its credential "{auth.label}".'
                return Authorization("operator_config", "configured", had, credential=auth)
            return Authorization("operator_config", "missing", _credential_wanted(server, auth), credential=auth)
        grant = await self._oauth.standing(cast("Downstream", server))
        if grant is not None and grant.refused is None:
            return Authorization("oauth", "configured", f'"{server.id}" is connected.')
        reason = "never" if grant is None or grant.refused is None else grant.refused
        return Authorization("oauth", "missing", _connection_wanted(server, reason))

    async def describe(self, server: Authorized, *, origin: str, by: str, force: bool = False) -> Authorization:
        """``standing`` with where to go. For OAuth that begins a connection, ``by`` being who asked for it; ``force``
        discards a stored grant first. Raises ``unavailable`` for what the same call may do later."""
        found = await self.standing(server)
        if found.recovery == "operator_config":
            return _on_the_page(found, f"{origin}{CREDENTIALS_PATH}")
        if found.recovery != "oauth" or self._oauth is None:
            return found
        try:
            url = await self._oauth.begin(cast("Downstream", server), origin=origin, by=by, force=force)
        except Failure as failure:
            if failure.retryable:
                raise
            if found.status == "configured" and not force:
                return found
            return Authorization("unavailable", "missing", f'"{server.id}" cannot be connected: {failure.message}')
        connect = "Hand the URL to the operator, who opens it in a browser within 10 minutes and agrees there."
        if found.status == "configured" and not force:
            connect = f"To connect it anew, with another account or more permissions: {connect}"
        said = "What was stored has been discarded." if force else found.instructions
        status: Status = "missing" if force else found.status
        return Authorization("oauth", status, f"{said} {connect}", authorization_url=url)

    async def _filled(self, server: Authorized, auth: Credential, operation: str) -> Presented:
        if self._slots is None:
            raise _required(server, operation, "unavailable", _no_vault(server))
        from connecta.auth.vault.keys import Unreadable, unusable

        try:
            values = await self._slots.values(server.id)
        except Unreadable as error:
            if error.key_at_fault:
                raise unusable() from error
            what = f'The credential "{auth.label}" of "{server.id}" cannot be read any more: the operator'
            what += " sets it again on the credentials page."
            raise _required(server, operation, "operator_config", what) from error
        if values is None or not set(auth.names) <= set(values):
            raise _required(server, operation, "operator_config", _credential_wanted(server, auth))
        found = credential(auth, values)
        if found is None:
            what = f'The credential "{auth.label}" of "{server.id}" fits in no header: the operator'
            what += " replaces it on the credentials page, in ASCII and without a colon in a user name."
            raise _required(server, operation, "operator_config", what)
        return found

    async def _granted(self, server: Authorized, operation: str) -> Presented:
        if self._oauth is None:
            raise _required(server, operation, "unavailable", _no_vault(server))
        from connecta.auth.downstream.model import NotGranted

        try:
            granted = await self._oauth.token(cast("Downstream", server))
        except NotGranted as error:
            raise _required(server, operation, "oauth", _connection_wanted(server, error.reason)) from error
        return bearer(granted.token, granted)


def _required(server: Authorized, operation: str, recovery: Recovery, what: str) -> Failure:
    return failures.auth_required(server.id, operation, recovery, what)


def _token_wanted(server: Authorized, auth: Token) -> str:
    return (
        f'"{server.id}" needs a valid token in the environment variable {auth.env}: '
        "the deployment's owner sets it and deploys again."
    )


def _credential_wanted(server: Authorized, auth: Credential) -> str:
    return f'"{server.id}" needs the credential "{auth.label}": the operator fills it in on the credentials page.'


def _connection_wanted(server: Authorized, reason: "Reason") -> str:
    return f'"{server.id}" {_WHY[reason]}: somebody has to connect it, in a browser.'


def _no_vault(server: Authorized) -> str:
    return f'"{server.id}" needs a credential that is kept. {NO_VAULT}'


def _on_the_page(found: Authorization, url: str) -> Authorization:
    done = f"To replace it, the operator opens {url}." if found.status == "configured" else f"It is at {url}."
    instructions = f"{found.instructions} {done} Never send a secret here."
    return Authorization(found.recovery, found.status, instructions, operator_url=url, credential=found.credential)
