"""The grants this deployment holds, as they are used: read, opened and written, never shown."""

from dataclasses import dataclass, field

from connecta.auth.downstream.model import Downstream, Granted, GrantStanding, NotGranted, Reason
from connecta.auth.downstream.sealing import GRANT_FIELD, Seals, Secrets, sealable, secrets_in
from connecta.auth.vault.keys import Unreadable, unusable
from connecta.failures import Failure
from connecta.limits import Limits
from connecta.log import logger
from connecta.state.downstream_grants import DownstreamGrants, KeptGrant

_REASONS: dict[str, Reason] = {"expired": "expired", "refused": "refused", "issuer": "issuer", "client": "client"}
"""Those that are noted; the others are found out anew each time."""


@dataclass(frozen=True, slots=True)
class Held:
    """A grant that may be used: its record, and what is secret of it."""

    kept: KeptGrant
    secrets: Secrets = field(repr=False)

    @property
    def granted(self) -> Granted:
        return Granted(self.secrets.access, self.kept.version)


class HeldGrants:
    """Every method raises ``unavailable`` where table or vault cannot be reached."""

    def __init__(self, records: DownstreamGrants, seals: Seals, limits: Limits) -> None:
        self._records = records
        self._seals = seals
        self._limits = limits
        self.now = records.now

    async def living(self, server: Downstream) -> KeptGrant:
        """The record of a grant that is of use. Raises ``NotGranted``."""
        kept = await self._records.read(server.id)
        if kept is None:
            raise NotGranted("never")
        if kept.refused:
            raise NotGranted(_reason(kept))
        elsewhere = _elsewhere(server, kept)
        if elsewhere is not None:
            raise NotGranted(elsewhere)
        return kept

    async def opened(self, server: Downstream, kept: KeptGrant) -> Held:
        """Raises ``NotGranted`` for what the vault will never open, and for what is not what the record says of it."""
        try:
            secrets = secrets_in(await self._seals.opened(server.id, GRANT_FIELD, kept.sealed))
        except Unreadable as error:
            raise (unusable() if error.key_at_fault else NotGranted("unreadable")) from error
        if secrets.server.issuer != kept.issuer:
            logger.error("A grant is another issuer's than its record says.", extra={"connector": server.id})
            raise NotGranted("unreadable")
        return Held(kept, secrets)

    async def read(self, server: Downstream) -> Held:
        """Raises ``NotGranted``."""
        return await self.opened(server, await self.living(server))

    async def sealed(self, server: Downstream, secrets: Secrets) -> bytes:
        return await self._seals.sealed(server.id, GRANT_FIELD, sealable(secrets))

    async def follow(self, server: Downstream, seen: KeptGrant, kept: KeptGrant) -> bool:
        return await self._records.follow(server.id, seen, kept)

    async def put(self, server: Downstream, kept: KeptGrant) -> None:
        await self._records.put(server.id, kept)

    async def refuse(self, server: Downstream, seen: KeptGrant, why: Reason) -> bool:
        """The grant that was ``seen`` is of no more use; its tokens are forgotten unread. ``False`` where another has
        taken its place."""
        refused = await self._records.refuse(server.id, seen, why)
        if refused:
            logger.warning("A downstream's grant is over.", extra={"connector": server.id, "reason": why})
        return refused

    async def forget(self, server: Downstream) -> Held | None:
        """Remove the grant; what it was, where that can be read. One of an issuer that is not to be asked any more goes
        unread: ending it there would show that one our secret."""
        kept = await self._records.forget(server.id)
        if kept is None or not kept.sealed or _elsewhere(server, kept) == "issuer":
            return None
        try:
            return await self.opened(server, kept)
        except (NotGranted, Failure):
            # It is gone from here in any case, and the log has why nobody can end it there.
            return None

    async def standing(self, server: Downstream) -> GrantStanding | None:
        kept = await self._records.read(server.id)
        if kept is None:
            return None
        return GrantStanding(
            issuer=kept.issuer,
            scope=kept.scope,
            expires_at=kept.expires_at,
            connected_at=kept.connected_at,
            by=kept.by,
            refreshed_at=kept.refreshed_at or None,
            refused=_reason(kept) if kept.refused else _elsewhere(server, kept),
            renewable=kept.renewable,
        )

    def is_over(self, kept: KeptGrant) -> bool:
        """Whether the access token has ended."""
        return kept.expires_at is not None and self.now() >= kept.expires_at

    def is_due(self, kept: KeptGrant) -> bool:
        """Whether the access token has ended or soon will."""
        ahead_s = min(self._limits.downstream_ahead_s, kept.lasts_s / 5)
        return kept.expires_at is not None and self.now() >= kept.expires_at - ahead_s


def _elsewhere(server: Downstream, kept: KeptGrant) -> Reason | None:
    """Why the deployment, as it is now, has no use for a grant that was given to it as it was."""
    if kept.url != server.url:
        return "moved"
    wanted = server.auth.issuer or kept.issuer
    return None if wanted.rstrip("/") == kept.issuer.rstrip("/") else "issuer"


def _reason(kept: KeptGrant) -> Reason:
    return _REASONS.get(kept.refused, "refused")
