"""Signing in at an OpenID Connect provider: there with PKCE, a nonce and a single-use state, back with an ID token."""

import asyncio
import os
import secrets
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, cast
from urllib.parse import urlencode, urlsplit

from connecta.auth.authorization_server.throttle import source_of
from connecta.auth.exchange import Exchange, basic, form
from connecta.auth.jwks import Jwks
from connecta.auth.provider_documents import openid_configuration
from connecta.auth.secrets_manager import secret_value
from connecta.auth.sign_in.config import CLIENT_SECRET_VARIABLE, OidcProvider
from connecta.auth.sign_in.id_token import ClaimsError, claims_in, person_in
from connecta.auth.sign_in.sessions import Person
from connecta.failures import Failure, unavailable
from connecta.limits import Limits
from connecta.log import logger
from connecta.state.budgets import Budgets, Contended
from connecta.state.sign_ins import SignIns, StartedSignIn
from connecta.state.tickets import same

CALLBACK_PATH: Final = "/oauth/sign-in/callback"


class NotSignedIn(Exception):
    """``message`` is a sentence for the person; ``place`` is the page to try again from, where that is known."""

    def __init__(self, message: str, *, place: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.place = place


@dataclass(frozen=True, slots=True)
class _Endpoints:
    authorization: str
    token: str
    names_itself: bool
    """The provider says in its answers who it is (RFC 9207)."""
    takes_basic: bool


class ProviderSignIn:
    """Sign-in at one provider. Its discovery document is kept as long as its keys are."""

    def __init__(
        self,
        provider: OidcProvider,
        sign_ins: SignIns,
        budgets: Budgets,
        ask: Exchange,
        limits: Limits,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.name = provider.name or provider.host
        self._provider = provider
        self._sign_ins = sign_ins
        self._budgets = budgets
        self._ask = ask
        self._limits = limits
        self._now = now
        self._keys = Jwks(provider.issuer, None, ask, limits)
        self._found: tuple[float, _Endpoints] | None = None
        self._secret: str | None = None

    def lets_in(self, person: Person) -> bool:
        """Whether who signed in once still may come in."""
        return self._provider.lets_in(person)

    async def begin(self, session: str, place: str, *, origin: str, address: str) -> str:
        """Where to send the person, who comes back to ``place``, a path of this server at ``origin``.

        Raises ``NotSignedIn`` and ``unavailable``.
        """
        await self._throttled(address)
        endpoints = await self._endpoints()
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        await self._sign_ins.keep(state, StartedSignIn(session, nonce, verifier, place))
        challenge = urlsafe_b64encode(sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        asked = {
            "response_type": "code",
            "client_id": self._provider.client_id,
            "redirect_uri": origin + CALLBACK_PATH,
            "scope": " ".join(self._provider.scopes),
            "state": state,
            "nonce": nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        joint = "&" if urlsplit(endpoints.authorization).query else "?"
        return f"{endpoints.authorization}{joint}{urlencode(asked)}"

    async def finish(self, answer: Mapping[str, str], session: str | None, *, origin: str) -> tuple[Person, str]:
        """Who came back with ``answer`` to the browser with ``session``, and the place to send them to.

        Raises ``NotSignedIn`` and ``unavailable``.
        """
        started = await self._sign_ins.take(answer.get("state", ""))
        if started is None or session is None or not same(started.session, session):
            raise NotSignedIn("This sign-in was not begun in this browser, took too long, or is over already.")
        endpoints = await self._endpoints()
        issuer = answer.get("iss", None if endpoints.names_itself else self._provider.issuer)
        if issuer != self._provider.issuer:
            logger.warning("An answer to a sign-in came from another issuer than it was sent to.")
            raise NotSignedIn("The answer did not come from where you were sent.", place=started.place)
        if "code" not in answer:
            raise NotSignedIn(f"{self.name} did not sign you in.", place=started.place)
        token = await self._id_token(endpoints, answer["code"], started, origin)
        try:
            claims = await claims_in(token, self._provider, started.nonce, self._keys, self._limits)
            person = person_in(claims, self._provider)
        except ClaimsError as error:
            logger.warning("An identity provider's token was refused.", extra={"reason": error.reason})
            raise NotSignedIn(f"{error.message} Nothing was granted.", place=started.place) from error
        logger.info("Somebody signed in at the identity provider.", extra={"subject": person.subject})
        return person, started.place

    async def _id_token(self, endpoints: _Endpoints, code: str, started: StartedSignIn, origin: str) -> str:
        fields = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": origin + CALLBACK_PATH,
            "code_verifier": started.verifier,
        }
        client_id, secret, headers = self._provider.client_id, await self._client_secret(), dict[str, str]()
        if secret and endpoints.takes_basic:
            headers = basic(client_id, secret)
        else:
            fields |= {"client_id": client_id, **({"client_secret": secret} if secret else {})}
        limit, wait_s = self._limits.keys_bytes, self._limits.keys_wait_s
        try:
            answer = await self._ask(form(endpoints.token, fields, headers, limit=limit, wait_s=wait_s))
        except Failure as failure:
            logger.error("The identity provider does not answer.", extra={"code": failure.code})
            raise self._down() from failure
        said = answer.json() if answer.status == 200 else None
        token = None if said is None else said.get("id_token")
        if not isinstance(token, str):
            logger.error("The identity provider gave no ID token.", extra={"status": answer.status})
            raise NotSignedIn(f"{self.name} did not confirm who you are.", place=started.place)
        return token

    async def _client_secret(self) -> str:
        provider = self._provider
        if provider.env is not None:
            return os.environ.get(provider.env, "").strip()
        named = provider.secret or os.environ.get(CLIENT_SECRET_VARIABLE)
        if not named:
            return ""
        if self._secret is None:
            self._secret = await asyncio.to_thread(secret_value, named, self._down().message)
        return self._secret

    async def _endpoints(self) -> _Endpoints:
        """Raises ``unavailable``."""
        if self._found is not None and self._now() < self._found[0] + self._limits.keys_s:
            return self._found[1]
        try:
            endpoints = self._read(await openid_configuration(self._provider.issuer, self._ask, self._limits))
        except (Failure, ValueError) as error:
            logger.error("The identity provider cannot be discovered.", extra={"reason": str(error)[:200]})
            raise self._down() from error
        self._found = self._now(), endpoints
        return endpoints

    def _read(self, document: Mapping[str, Any]) -> _Endpoints:
        addresses = [document.get(name) for name in ("authorization_endpoint", "token_endpoint")]
        plain = self._provider.allow_private
        for address in addresses:
            if not isinstance(address, str) or not address.startswith(("https://", *(("http://",) if plain else ()))):
                raise ValueError("the discovery document lacks an endpoint")
        methods: object = document.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
        authorization, token = cast("list[str]", addresses)
        return _Endpoints(
            authorization,
            token,
            names_itself=document.get("authorization_response_iss_parameter_supported") is True,
            takes_basic=isinstance(methods, list) and "client_secret_basic" in methods,
        )

    async def _throttled(self, address: str) -> None:
        most, window_s = self._limits.sign_ins_each, self._limits.strangers_window_s
        try:
            wait_s = await self._budgets.take(f"sign-ins {source_of(address)}", most, window_s)
        except Contended:
            wait_s = 1.0
        if wait_s > 0:
            raise NotSignedIn("Too many people were sent from your address of late. Try again in some minutes.")

    def _down(self) -> Failure:
        return unavailable(f"{self.name} cannot be asked who you are at the moment. Try again shortly.")
