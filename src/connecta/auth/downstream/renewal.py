"""Refreshing a grant once, though a hundred processes find it due: one holds the lease, the others wait and re-read."""

import asyncio
from dataclasses import replace
from typing import Final

from connecta.auth.downstream.clients import still_declared
from connecta.auth.downstream.kept import Held, HeldGrants
from connecta.auth.downstream.model import Downstream, NotGranted, Reason
from connecta.auth.downstream.sealing import Secrets
from connecta.auth.downstream.tokens import Given, TokenRefused, revoke, tokens_for
from connecta.auth.exchange import Exchanges
from connecta.failures import Failure, unavailable
from connecta.limits import Limits
from connecta.log import logger
from connecta.state.downstream_grants import KeptGrant, new_version
from connecta.state.leases import Lease, Leases

_FIRST_LOOK_S: Final = 0.05
_LONGEST_LOOK_S: Final = 0.5
"""Pauses between looks at what another process is refreshing; each is a read or two of the table."""
STORE_PAUSES_S: Final = (0.25, 1.0)
"""Pauses between attempts to store what was given."""


class Renewal:
    """One per process. A refresh goes on when the call that wanted it is cancelled: its answer is all that is left of
    the grant."""

    def __init__(self, held: HeldGrants, leases: Leases, exchanges: Exchanges, limits: Limits) -> None:
        self._held = held
        self._leases = leases
        self._exchanges = exchanges
        self._limits = limits
        self._under_way: dict[tuple[str, str, bool], asyncio.Task[Held]] = {}

    async def after(self, server: Downstream, seen: KeptGrant) -> Held:
        """What comes after the grant as it was ``seen``: refreshed here, or by another process meanwhile.

        Raises ``NotGranted``, and ``unavailable`` where it cannot be refreshed at the moment.
        """
        return await self._shielded(server, seen, early=False)

    async def early(self, server: Downstream, seen: Held) -> Held:
        """The same while the access token is good still: where another process sees to it, or refreshing fails in a
        way that may pass, it goes on being used."""
        if not seen.secrets.refresh:
            return seen
        try:
            return await self._shielded(server, seen.kept, early=True)
        except Failure as failure:
            logger.warning("A refresh ahead of time failed.", extra={"connector": server.id, "code": failure.code})
            return seen

    async def settled(self, wait_s: float | None) -> None:
        """Wait, ``wait_s`` seconds at the most, for refreshes that go on without the call that wanted them."""
        loop = asyncio.get_running_loop()
        under_way = [task for task in self._under_way.values() if task.get_loop() is loop]
        if under_way:
            await asyncio.wait(under_way, timeout=wait_s)

    async def _shielded(self, server: Downstream, seen: KeptGrant, *, early: bool) -> Held:
        place = (server.id, seen.version, early)
        task = self._under_way.get(place)
        if task is None or task.get_loop() is not asyncio.get_running_loop():
            task = asyncio.create_task(self._at_once(server, seen) if early else self._in_turn(server, seen))
            self._under_way[place] = task
            task.add_done_callback(lambda done: self._ended(place, done))
        return await asyncio.shield(task)

    def _ended(self, place: tuple[str, str, bool], task: "asyncio.Task[Held]") -> None:
        if self._under_way.get(place) is task:
            del self._under_way[place]
        if not task.cancelled():
            # Seen, even if every caller has gone.
            task.exception()

    async def _at_once(self, server: Downstream, seen: KeptGrant) -> Held:
        """Under the lease, or what there is where somebody else has it."""
        lease = await self._leases.acquire(_lease(server), self._limits.downstream_lease_s)
        if lease is None:
            return await self._held.read(server)
        return await self._under(lease, server, seen, early=True)

    async def _in_turn(self, server: Downstream, seen: KeptGrant) -> Held:
        """Under the lease, however long others have it before, or what one of them was given."""
        loop = asyncio.get_running_loop()
        give_up_at, pause_s = loop.time() + self._limits.downstream_patience_s, _FIRST_LOOK_S
        while True:
            kept = await self._held.living(server)
            if kept.version != seen.version:
                return await self._held.opened(server, kept)
            lease = await self._leases.acquire(_lease(server), self._limits.downstream_lease_s, through_rest=True)
            if lease is not None:
                return await self._under(lease, server, seen, early=False)
            if loop.time() >= give_up_at:
                raise unavailable(f'The grant of "{server.id}" is still being refreshed. Try again shortly.')
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_LOOK_S)

    async def _under(self, lease: Lease, server: Downstream, seen: KeptGrant, *, early: bool) -> Held:
        rest_s = 0.0
        try:
            # Whoever had the lease before may have been given the next token between our look and our turn.
            held = await self._held.read(server)
            return held if held.kept.version != seen.version else await self._refreshed(server, held, early=early)
        except Failure:
            rest_s = self._limits.downstream_rest_s if early else 0.0
            raise
        finally:
            await self._released(lease, rest_s)

    async def _released(self, lease: Lease, rest_s: float) -> None:
        try:
            await self._leases.release(lease, rest_s=rest_s)
        except Failure as failure:
            # It ends by itself, and what was done under it stands.
            logger.warning("A lease could not be released.", extra={"code": failure.code})

    async def _refreshed(self, server: Downstream, held: Held, *, early: bool) -> Held:
        kept, secrets = held.kept, held.secrets
        if not secrets.refresh:
            return await self._over(server, kept, "expired")
        if not still_declared(secrets.server.client, server):
            return await self._over(server, kept, "client")
        ask = self._exchanges(allow_private=server.allow_private)
        form = {
            "grant_type": "refresh_token",
            "refresh_token": secrets.refresh,
            "resource": secrets.server.resource,
        }
        try:
            given = await tokens_for(form, secrets.server.client, secrets.server.token, server, ask, self._limits)
        except TokenRefused as refused:
            if early:
                raise unavailable(f'The grant of "{server.id}" cannot be refreshed.') from refused
            reason: Reason = "client" if refused.error in ("invalid_client", "unauthorized_client") else "refused"
            return await self._over(server, kept, reason)
        return await self._written(server, held, given)

    async def _over(self, server: Downstream, kept: KeptGrant, reason: Reason) -> Held:
        """Raises ``NotGranted``, unless another process, which took over a lease that had ended, was given the next
        token meanwhile."""
        if await self._held.refuse(server, kept, reason):
            raise NotGranted(reason)
        return await self._held.read(server)

    async def _written(self, server: Downstream, before: Held, given: Given) -> Held:
        """Keep what was given, unless another grant took the place of the one it follows from."""
        secrets = replace(before.secrets, access=given.access, refresh=given.refresh or before.secrets.refresh)
        now = self._held.now()
        kept = replace(
            before.kept,
            version=new_version(before.kept.version),
            scope=before.kept.scope if given.scope is None else given.scope,
            expires_at=None if given.lasts_s is None else now + given.lasts_s,
            lasts_s=given.lasts_s or 0.0,
            refreshed_at=now,
            refused="",
            renewable=bool(secrets.refresh),
        )
        written = await self._stored(server, before.kept, kept, secrets)
        if written is not None:
            logger.info("A downstream's grant was refreshed.", extra={"connector": server.id})
            return written
        try:
            return await self._held.read(server)
        except NotGranted:
            # Somebody disconnected it meanwhile, and could not revoke what was only just given.
            await revoked(server, Held(kept, secrets), self._exchanges, self._limits)
            raise

    async def _stored(self, server: Downstream, seen: KeptGrant, kept: KeptGrant, secrets: Secrets) -> Held | None:
        """``None`` where ``seen`` has gone. Tried more than once: nobody can be given these tokens again."""
        for pause_s in (*STORE_PAUSES_S, None):
            try:
                kept = replace(kept, sealed=await self._held.sealed(server, secrets))
                return Held(kept, secrets) if await self._held.follow(server, seen, kept) else None
            except Failure as failure:
                logger.error(
                    "A refreshed grant is not stored yet.", extra={"connector": server.id, "code": failure.code}
                )
                if pause_s is None:
                    raise
                await asyncio.sleep(pause_s)
        return None


async def revoked(server: Downstream, held: Held, exchanges: Exchanges, limits: Limits) -> None:
    """Have the tokens of ``held`` end where they came from, as far as that lets itself be told (RFC 7009)."""
    to, secrets = held.secrets.server, held.secrets
    if not to.revocation:
        return
    ask = exchanges(allow_private=server.allow_private)
    for token, hint in ((secrets.refresh, "refresh_token"), (secrets.access, "access_token")):
        if token:
            await revoke(token, hint, to.client, to.revocation, server, ask, limits)


def _lease(server: Downstream) -> str:
    return f"downstream grant of {server.id}"
