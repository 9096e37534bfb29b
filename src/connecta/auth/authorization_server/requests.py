"""The authorization request (RFC 6749 4.1.1 with PKCE and a resource), checked before anybody is asked to sign in."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode, urlsplit, urlunsplit

from connecta.auth.authorization_server.client_metadata import BadMetadata
from connecta.auth.authorization_server.clients import Client, Clients
from connecta.auth.authorization_server.errors import OAuthError, Redirected, Unanswerable
from connecta.auth.authorization_server.forms import Pairs, parameters_of
from connecta.auth.authorization_server.metadata import SCOPE, is_resource_of, resource_of
from connecta.auth.authorization_server.redirects import host_of
from connecta.limits import Limits

_CHALLENGE: Final = re.compile(r"[A-Za-z0-9_-]{43}")
"""RFC 7636: SHA-256 in URL-safe base64 without padding."""
_KEPT: Final = (
    "response_type",
    "client_id",
    "redirect_uri",
    "scope",
    "state",
    "code_challenge",
    "code_challenge_method",
    "resource",
    "response_mode",
)


@dataclass(frozen=True, slots=True)
class AuthorizationRequest:
    """A request that may be put to the person. ``parameters`` are what makes it up: a page repeats them in its form
    and has them checked again when the form comes back. ``state`` is the client's, ``issuer`` is us."""

    client: Client
    redirect_uri: str
    state: str | None
    challenge: str
    scope: str
    resource: str
    issuer: str
    parameters: tuple[tuple[str, str], ...]

    @property
    def redirect_host(self) -> str:
        """Where the person will be sent with the answer, as a consent page names it."""
        return host_of(self.redirect_uri)

    def answer(self, **parameters: str) -> str:
        """The redirect URI with an answer in its query, and who gives it (RFC 9207)."""
        return _with_query(self.redirect_uri, _answer(parameters, self.state, self.issuer))


async def authorization_request(
    pairs: Pairs, clients: Clients, *, origin: str, address: str, limits: Limits
) -> AuthorizationRequest:
    """The request that ``pairs`` make to the server at ``origin``.

    Raises ``Unanswerable`` as long as client and redirect are not known to belong together, ``Redirected`` for
    anything wrong after that (``Unanswerable`` to a site or an application nobody vouches for), and ``unavailable``.
    """
    parameters = _readable(pairs, limits)
    client = await _client(parameters, clients, address)
    redirect_uri = client.redirect(parameters.get("redirect_uri"))
    if redirect_uri is None:
        raise Unanswerable(
            f"{client.name} asks to be answered at an address that it has not named before, so it may be somebody "
            "else. Nothing was granted."
        )
    state = parameters.get("state")
    wrong = _wrong(parameters, origin)
    if wrong is not None:
        error, description = wrong
        refusal = _answer({"error": error, "error_description": description}, state, origin)
        raise _refused(client, redirect_uri, _with_query(redirect_uri, refusal), description)
    return AuthorizationRequest(
        client=client,
        redirect_uri=redirect_uri,
        state=state,
        challenge=parameters["code_challenge"],
        scope=SCOPE,
        resource=resource_of(origin),
        issuer=origin,
        parameters=tuple((name, parameters[name]) for name in _KEPT if name in parameters),
    )


def _readable(pairs: Pairs, limits: Limits) -> Mapping[str, str]:
    try:
        return parameters_of(pairs, limits)
    except OAuthError as error:
        raise Unanswerable(f"The link that led here is broken. {error.description}") from error


async def _client(parameters: Mapping[str, str], clients: Clients, address: str) -> Client:
    id = parameters.get("client_id")
    try:
        client = None if id is None else await clients.find(id, address)
    except BadMetadata as error:
        raise Unanswerable(f"{error} Nothing was granted.") from error
    except OAuthError as error:
        raise Unanswerable(error.description, retry_after_s=error.retry_after_s) from error
    if client is None:
        raise Unanswerable(
            "The application that sent you here is not known to this server, or not any more. Remove the connection "
            "there and add it again."
        )
    return client


def _wrong(parameters: Mapping[str, str], origin: str) -> tuple[str, str] | None:
    """OAuth's error and our description of what is wrong with a request; ``None`` for a good one."""
    if parameters.get("response_type") != "code":
        return "unsupported_response_type", "response_type must be code."
    if parameters.get("response_mode", "query") != "query":
        return "invalid_request", "response_mode must be query."
    if parameters.get("code_challenge_method") != "S256":
        return "invalid_request", "code_challenge_method must be S256."
    if _CHALLENGE.fullmatch(parameters.get("code_challenge", "")) is None:
        return "invalid_request", "code_challenge must be 43 characters of URL-safe base64."
    if not is_resource_of(parameters.get("resource", origin), origin):
        return "invalid_target", "resource must be this server."
    return None


def _refused(client: Client, redirect_uri: str, url: str, description: str) -> Redirected | Unanswerable:
    """How a refusal gets to the client at ``url``. Anybody may register a site or write a document, so a link to this
    server would take whoever follows it there before they were asked anything (RFC 9700 4.11.2). So would one to an
    application: some open what their address names. The person's own machine is the one place that is theirs."""
    if client.source == "declared" or urlsplit(redirect_uri).scheme == "http":
        return Redirected(url)
    return Unanswerable(f"{client.name} asks for what this server does not do. {description}", back=url)


def _answer(parameters: Mapping[str, str], state: str | None, issuer: str) -> dict[str, str]:
    return {**parameters, **({} if state is None else {"state": state}), "iss": issuer}


def _with_query(uri: str, parameters: Mapping[str, str]) -> str:
    parts = urlsplit(uri)
    query = "&".join(filter(None, (parts.query, urlencode(parameters))))
    return urlunsplit(parts._replace(query=query))
