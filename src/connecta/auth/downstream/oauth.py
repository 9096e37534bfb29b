"""Being a client of a downstream's authorization server, without a session and over many processes.

Connecting takes two requests, perhaps to two processes: ``begin`` makes the address a person opens, ``finish`` takes
them back. In between and afterwards everything is in the table, what is secret of it sealed by the vault.
"""

import asyncio
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Final
from urllib.parse import urlencode, urlsplit

from connecta.auth.downstream.challenge import Challenge
from connecta.auth.downstream.clients import Client, declared, documented, register
from connecta.auth.downstream.discovery import Issuer, Resource, asked_for, issuer_for, resource_of, takes
from connecta.auth.downstream.kept import HeldGrants
from connecta.auth.downstream.model import (
    CallbackRefused,
    Downstream,
    Granted,
    GrantStanding,
    NotGranted,
    callback_of,
)
from connecta.auth.downstream.renewal import Renewal, revoked
from connecta.auth.downstream.sealing import (
    CLIENT_FIELD,
    FLOW_FIELD,
    Flow,
    Seals,
    Secrets,
    Server,
    client_in,
    flow_in,
    sealable,
)
from connecta.auth.downstream.tokens import Given, TokenRefused, tokens_for
from connecta.auth.exchange import Exchange, Exchanges
from connecta.auth.vault.keys import Unreadable
from connecta.failures import Failure, timeout
from connecta.limits import Limits
from connecta.log import logger
from connecta.state.downstream_flows import DownstreamFlows
from connecta.state.downstream_grants import DownstreamGrants, KeptGrant, new_version
from connecta.state.leases import Leases

_OFFLINE: Final = "offline_access"
"""What OpenID providers want to be asked for before they give a refresh token."""


class DownstreamOAuth:
    """The grants this deployment holds of its downstreams. One per process; nothing of a grant stays in it."""

    def __init__(
        self,
        grants: DownstreamGrants,
        flows: DownstreamFlows,
        leases: Leases,
        vault: Seals,
        exchanges: Exchanges,
        limits: Limits,
    ) -> None:
        self._records = grants
        self._flows = flows
        self._vault = vault
        self._exchanges = exchanges
        self._limits = limits
        self._held = HeldGrants(grants, vault, limits)
        self._renewal = Renewal(self._held, leases, exchanges, limits)

    async def token(self, server: Downstream) -> Granted:
        """The token to call ``server`` with, refreshed if it ends soon; read anew each time, so that what any process
        did holds here. Raises ``NotGranted``, and ``unavailable``."""
        held = await self._held.read(server)
        if self._held.is_over(held.kept):
            held = await self._renewal.after(server, held.kept)
        elif self._held.is_due(held.kept):
            held = await self._renewal.early(server, held)
        return held.granted

    async def renewed(self, server: Downstream, used: Granted, challenge: Challenge | None) -> Granted:
        """Another token, after ``server`` answered the one ``used`` with ``challenge``: what it was refreshed to
        meanwhile, or now. Raises ``NotGranted``, and ``unavailable``."""
        kept = await self._held.living(server)
        if kept.version != used.version:
            return (await self._held.opened(server, kept)).granted
        if challenge is not None and challenge.wants_scope:
            await self._records.want(server.id, (challenge.scope or "")[: self._limits.downstream_scope_chars])
            raise NotGranted("scope")
        await self._still_trusted(server, kept, challenge)
        lately = kept.refreshed_at > self._held.now() - self._limits.downstream_again_s
        if lately and not self._held.is_over(kept):
            raise NotGranted("rejected")
        return (await self._renewal.after(server, kept)).granted

    async def begin(
        self,
        server: Downstream,
        *,
        origin: str,
        by: str,
        force: bool = False,
        challenge: Challenge | None = None,
    ) -> str:
        """The address at which a person grants this deployment access to ``server``, good for
        ``limits.downstream_flow_s``. ``by`` is who asks for it; ``force`` forgets grant and registration first.

        Raises ``Failure`` with a sentence that says what is in the way.
        """
        try:
            async with asyncio.timeout(self._limits.downstream_begin_s):
                return await self._sent_away(server, origin, by, challenge, force=force)
        except TimeoutError as error:
            name = server.title or server.id
            raise timeout(f"{name} and its authorization server take too long to say how to connect.") from error

    async def _sent_away(
        self, server: Downstream, origin: str, by: str, challenge: Challenge | None, *, force: bool
    ) -> str:
        if force:
            await self.disconnect(server)
        ask, limits = self._exchanges(allow_private=server.allow_private), self._limits
        challenge = challenge or await asked_for(server, ask, limits)
        resource = await resource_of(server, challenge, ask, limits)
        issuer = await issuer_for(server, resource, ask, limits)
        kept = await self._records.read(server.id)
        if kept is not None and not takes(resource, kept.issuer) and not kept.refused:
            await self._held.refuse(server, kept, "issuer")
        client = await self._client(server, issuer, origin, ask, anew=force)
        scope = await self._scope(server, kept, challenge, resource, issuer)
        to = Server(issuer.issuer, issuer.token, issuer.revocation, resource.resource, client)
        flow = Flow(secrets.token_urlsafe(48), to, issuer.names_itself, server.url, scope, origin, by)
        state = secrets.token_urlsafe(32)
        await self._flows.keep(server.id, state, await self._vault.sealed(server.id, FLOW_FIELD, sealable(flow)))
        logger.info("Connecting a downstream was begun.", extra={"connector": server.id, "issuer": issuer.issuer})
        return _authorization_url(issuer.authorization, server, flow, state)

    async def finish(self, connector: Downstream, parameters: Mapping[str, str], *, origin: str) -> None:
        """Take back the person who was sent away for ``connector`` and came with the query ``parameters``.

        Raises ``CallbackRefused``, and ``unavailable`` for what of ours cannot be reached.
        """
        flow = await self._begun(connector, parameters.get("state", ""), origin)
        name, issuer = connector.title or connector.id, flow.server.issuer
        if parameters.get("iss", None if flow.names_itself else issuer) != issuer:
            logger.warning("A callback came from another issuer.", extra={"connector": connector.id})
            raise CallbackRefused("The answer did not come from where you were sent. Nothing was connected.")
        if parameters.get("error") == "access_denied":
            raise CallbackRefused(f"Access to {name} was not granted. Nothing was connected.")
        if "error" in parameters or not parameters.get("code"):
            raise CallbackRefused(f"The authorization server of {name} refused. Nothing was connected: start again.")
        given = await self._exchanged(connector, flow, parameters["code"], name)
        kept = Secrets(given.access, given.refresh, flow.server)
        now = self._held.now()
        await self._held.put(
            connector,
            KeptGrant(
                version=new_version(),
                issuer=issuer,
                url=connector.url,
                scope=flow.scope if given.scope is None else given.scope,
                expires_at=None if given.lasts_s is None else now + given.lasts_s,
                lasts_s=given.lasts_s or 0.0,
                connected_at=now,
                by=flow.by,
                sealed=await self._held.sealed(connector, kept),
                renewable=bool(given.refresh),
            ),
        )
        await self._records.satisfied(connector.id, flow.scope)
        logger.info("A downstream was connected.", extra={"connector": connector.id, "issuer": issuer})

    async def disconnect(self, server: Downstream) -> None:
        """Forget the grant here, then end it there as far as that lets itself be told."""
        held = await self._held.forget(server)
        if held is not None:
            await revoked(server, held, self._exchanges, self._limits)
            logger.info("A downstream was disconnected.", extra={"connector": server.id})

    async def settled(self, remaining_s: float | None = None) -> None:
        """Wait for what is being refreshed. A process that ends before that, or is frozen, loses the grant: its refresh
        token is used up, and the next one is in an answer nobody reads. ``remaining_s`` is what it has until then."""
        wait_s = None if remaining_s is None else max(remaining_s - self._limits.downstream_settle_s, 0.0)
        await self._renewal.settled(wait_s)

    async def standing(self, server: Downstream) -> GrantStanding | None:
        """What may be shown of the grant; nothing is decrypted, and nobody is asked."""
        return await self._held.standing(server)

    async def _begun(self, connector: Downstream, state: str, origin: str) -> Flow:
        sealed = await self._flows.take(connector.id, state)
        if sealed is None:
            raise CallbackRefused("This was not begun here, took too long, or is over already. Start again.")
        try:
            flow = flow_in(await self._vault.opened(connector.id, FLOW_FIELD, sealed))
        except Unreadable as error:
            raise CallbackRefused("What was begun cannot be read any more. Start again.") from error
        if flow.url != connector.url or flow.origin != origin:
            raise CallbackRefused("This deployment was changed since this was begun. Start again.")
        return flow

    async def _exchanged(self, connector: Downstream, flow: Flow, code: str, name: str) -> Given:
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": callback_of(flow.origin, connector.id),
            "code_verifier": flow.verifier,
            "resource": flow.server.resource,
        }
        client = flow.server.client
        ask = self._exchanges(allow_private=connector.allow_private)
        try:
            return await tokens_for(form, client, flow.server.token, connector, ask, self._limits)
        except TokenRefused as refused:
            if refused.error == "invalid_client" and client.kind == "registered":
                # It has forgotten us, so the next attempt registers again.
                await self._records.forget_client(connector.id, flow.server.issuer, flow.origin)
            raise CallbackRefused(f"{name} did not take what you came back with. Start again.") from refused
        except Failure as failure:
            raise CallbackRefused(f"{name} gives no token at the moment. Start again in a minute.") from failure

    async def _still_trusted(self, server: Downstream, kept: KeptGrant, challenge: Challenge | None) -> None:
        """Raises ``NotGranted`` where the downstream says that it takes tokens of other issuers now."""
        ask = self._exchanges(allow_private=server.allow_private)
        try:
            resource = await resource_of(server, challenge, ask, self._limits)
        except Failure as failure:
            logger.warning(
                "A downstream's metadata is not to be had.", extra={"connector": server.id, "code": failure.code}
            )
            return
        if not takes(resource, kept.issuer):
            await self._held.refuse(server, kept, "issuer")
            raise NotGranted("issuer")

    async def _client(self, server: Downstream, issuer: Issuer, origin: str, ask: Exchange, *, anew: bool) -> Client:
        known = declared(server, issuer) or documented(origin, issuer)
        if known is None and not anew:
            known = await self._registration(server, issuer.issuer, origin)
        if known is not None:
            return known
        registered = await register(server, issuer, origin, ask, self._limits)
        sealed = await self._vault.sealed(server.id, CLIENT_FIELD, sealable(registered.client))
        await self._records.keep_client(server.id, issuer.issuer, origin, sealed, registered.expires_at)
        return registered.client

    async def _registration(self, server: Downstream, issuer: str, origin: str) -> Client | None:
        sealed = await self._records.client(server.id, issuer, origin)
        try:
            return None if sealed is None else client_in(await self._vault.opened(server.id, CLIENT_FIELD, sealed))
        except Unreadable:
            return None

    async def _scope(
        self,
        server: Downstream,
        kept: KeptGrant | None,
        challenge: Challenge | None,
        resource: Resource,
        issuer: Issuer,
    ) -> str:
        """The deployment's own, else what the downstream asks for; after it asked for more than was granted, all of
        that together. Empty leaves it to the authorization server."""
        wanted = await self._records.wanted(server.id)
        if challenge is not None and challenge.wants_scope:
            wanted = f"{wanted} {challenge.scope or ''}"
        asked = challenge.scope if challenge is not None and challenge.scope else " ".join(resource.scopes)
        scopes = [*server.auth.scopes] or asked.split()
        if wanted.strip():
            scopes = [*(kept.scope.split() if kept is not None else ()), *scopes, *wanted.split()]
        if scopes and _OFFLINE in issuer.scopes:
            scopes.append(_OFFLINE)
        return _within(dict.fromkeys(scopes), self._limits.downstream_scope_chars)


def _within(scopes: Iterable[str], limit: int) -> str:
    """As many of ``scopes`` as fit, whole."""
    text = ""
    for scope in scopes:
        if len(text) + 1 + len(scope) > limit:
            break
        text = f"{text} {scope}" if text else scope
    return text


def _authorization_url(endpoint: str, server: Downstream, flow: Flow, state: str) -> str:
    challenge = urlsafe_b64encode(sha256(flow.verifier.encode()).digest()).rstrip(b"=").decode()
    asked = {
        "response_type": "code",
        "client_id": flow.server.client.id,
        "redirect_uri": callback_of(flow.origin, server.id),
        "state": state,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
        "resource": flow.server.resource,
        **({"scope": flow.scope} if flow.scope else {}),
        # Without it an OpenID provider ignores that it was asked for a refresh token.
        **({"prompt": "consent"} if _OFFLINE in flow.scope.split() else {}),
    }
    return f"{endpoint}{'&' if urlsplit(endpoint).query else '?'}{urlencode(asked)}"
