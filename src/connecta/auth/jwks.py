"""A provider's signing keys: found by discovery, kept for an hour, looked for again when an unknown one is used."""

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from connecta.auth.exchange import Exchange
from connecta.auth.provider_documents import openid_configuration, provider_document
from connecta.failures import Failure, unavailable
from connecta.limits import Limits
from connecta.log import logger

if TYPE_CHECKING:
    from jwt import PyJWK

_KEYS: Final = 100
"""Most keys looked at; a provider has a handful."""


class Jwks:
    """The keys of ``issuer``. One process asks at most once every ``limits.keys_pause_s``, whatever it is sent."""

    def __init__(
        self, issuer: str, jwks_uri: str | None, ask: Exchange, limits: Limits, now: Callable[[], float] = time.time
    ) -> None:
        self._issuer = issuer
        self._uri = jwks_uri
        self._ask = ask
        self._limits = limits
        self._now = now
        self._asking = asyncio.Lock()
        self._asked_at = float("-inf")
        self._fetched_at = float("-inf")
        self._keys: tuple[Mapping[str, Any], ...] = ()

    async def key(self, id: object, algorithm: str) -> "PyJWK | None":
        """The key ``id`` for ``algorithm``; ``None`` where the provider has none. A token without an id is checked
        with the provider's only key for the algorithm.

        Raises ``unavailable`` when there are no keys to look at.
        """
        found = None if self._stale() else self._find(id, algorithm)
        if found is None:
            async with self._asking:
                if self._now() >= self._asked_at + self._pause_s():
                    await self._refresh()
            found = self._find(id, algorithm)
        if not self._keys:
            raise unavailable("The keys to check tokens with cannot be had at the moment. Try again shortly.")
        return found

    def _pause_s(self) -> int:
        return self._limits.keys_pause_s if self._keys else self._limits.keys_retry_s

    def _stale(self) -> bool:
        return self._now() >= self._fetched_at + self._limits.keys_s

    def _find(self, id: object, algorithm: str) -> "PyJWK | None":
        import jwt

        fitting: list[PyJWK] = []
        for key in self._keys:
            if (id is not None and key.get("kid") != id) or key.get("use", "sig") != "sig":
                continue
            if key.get("alg", algorithm) != algorithm or key.get("kty") == "oct":
                continue
            try:
                fitting.append(jwt.PyJWK(dict(key), algorithm))
            except (jwt.PyJWTError, ValueError, TypeError):
                continue
        return fitting[0] if len(fitting) == 1 else None

    async def _refresh(self) -> None:
        """Fetch the keys; those at hand stay when that fails."""
        self._asked_at = self._now()
        try:
            uri = self._uri or await self._discovered()
            keys = (await provider_document(uri, self._ask, self._limits)).get("keys")
        except (Failure, ValueError) as error:
            logger.error("The identity provider's keys cannot be read.", extra={"reason": type(error).__name__})
            return
        listed = keys if isinstance(keys, list) else []
        self._keys = tuple(key for key in listed[:_KEYS] if isinstance(key, dict))
        self._fetched_at = self._now()

    async def _discovered(self) -> str:
        """Where the keys are. Raises ``Failure`` and ``ValueError``."""
        uri = (await openid_configuration(self._issuer, self._ask, self._limits)).get("jwks_uri")
        if not isinstance(uri, str):
            raise ValueError("the discovery document lacks the address of the keys")  # noqa: TRY004 (as for any other wrong document)
        return uri
