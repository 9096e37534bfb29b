"""Finding a downstream's authorization server: RFC 9728 for the resource, then RFC 8414 or OpenID Connect Discovery
for its issuer, then where the 2025-03-26 revision of MCP has everything by default."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from connecta.auth.downstream.challenge import Challenge, challenge_in
from connecta.auth.downstream.model import Downstream
from connecta.auth.exchange import Exchange, Question
from connecta.failures import Failure, call_failed, unavailable
from connecta.limits import Limits
from connecta.text import Json, JsonObject

_RESOURCE: Final = "/.well-known/oauth-protected-resource"
_SERVER: Final = "/.well-known/oauth-authorization-server"
_OPENID: Final = "/.well-known/openid-configuration"
_PING: Final = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
_ACCEPT: Final = {"accept": "application/json"}
_ASKS: Final = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


@dataclass(frozen=True, slots=True)
class Resource:
    """What the downstream says of itself: ``resource`` is what tokens are for (RFC 8707), ``issuers`` those it takes
    them from, none where it does not say."""

    resource: str
    issuers: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Issuer:
    """One authorization server. Empty texts are endpoints it does not have."""

    issuer: str
    authorization: str
    token: str
    registration: str
    revocation: str
    names_itself: bool
    """It says in its answers who it is (RFC 9207)."""
    takes_documents: bool
    """It takes the address of a client's metadata document for a client id."""
    methods: tuple[str, ...]
    """How clients may authenticate at the token endpoint."""
    scopes: tuple[str, ...]


async def asked_for(server: Downstream, ask: Exchange, limits: Limits) -> Challenge | None:
    """The challenge the downstream answers a request without a token with; ``None`` where it has none to give."""
    try:
        answer = await ask(
            Question(
                method="POST",
                url=server.url,
                headers=_ASKS,
                body=_PING,
                limit=limits.downstream_document_bytes,
                wait_s=limits.downstream_document_wait_s,
            )
        )
    except Failure:
        # Whatever is wrong with it, the documents are asked for next and say so better.
        return None
    return challenge_in(answer.challenges) if answer.status in (401, 403) else None


async def resource_of(server: Downstream, challenge: Challenge | None, ask: Exchange, limits: Limits) -> Resource:
    """The downstream's own metadata (RFC 9728), or its address where it has none. Raises ``Failure``."""
    named = challenge.resource_metadata if challenge else None
    origin, path = _parts(server.url)
    suffixed = (f"{origin}{_RESOURCE}{path}",) if path else ()
    for url in (*((named,) if named else ()), *suffixed, f"{origin}{_RESOURCE}"):
        document = await _document(url, ask, limits)
        if document is not None:
            return _resource(document, server, limits)
    return Resource(server.url)


def takes(resource: Resource, issuer: str) -> bool:
    """Whether the downstream takes tokens of ``issuer``, as far as it says."""
    return not resource.issuers or issuer.rstrip("/") in (each.rstrip("/") for each in resource.issuers)


async def issuer_for(server: Downstream, resource: Resource, ask: Exchange, limits: Limits) -> Issuer:
    """The authorization server of ``resource`` that the deployment wants, else its first, and where it has what.
    Raises ``Failure``."""
    origin, _ = _parts(server.url)
    named = server.auth.issuer or (resource.issuers[0] if resource.issuers else None)
    if named is not None and not takes(resource, named):
        raise call_failed(f'"{server.id}" does not name the authorization server this deployment connects it at.')
    for url in _metadata_urls(named or origin):
        document = await _document(url, ask, limits)
        if document is not None:
            return _issuer(document, named, server, limits)
    if named is not None:
        raise call_failed(f'The authorization server of "{server.id}" does not say where it has its endpoints.')
    return Issuer(
        issuer=origin,
        authorization=f"{origin}/authorize",
        token=f"{origin}/token",
        registration=f"{origin}/register",
        revocation="",
        names_itself=False,
        takes_documents=False,
        methods=("none", "client_secret_post"),
        scopes=(),
    )


def _metadata_urls(issuer: str) -> Iterable[str]:
    """RFC 8414 section 3.1 and 5, and OpenID Connect Discovery 1.0 section 4, in the order MCP asks for."""
    origin, path = _parts(issuer)
    if not path:
        return (f"{origin}{_SERVER}", f"{origin}{_OPENID}")
    return (f"{origin}{_SERVER}{path}", f"{origin}{_OPENID}{path}", f"{origin}{path}{_OPENID}")


async def _document(url: str, ask: Exchange, limits: Limits) -> JsonObject | None:
    """``None`` where there is no such document. Raises ``Failure`` where that cannot be told."""
    answer = await ask(
        Question(
            method="GET",
            url=url,
            headers=_ACCEPT,
            limit=limits.downstream_document_bytes,
            wait_s=limits.downstream_document_wait_s,
        )
    )
    if answer.status >= 500 or answer.status == 429:
        raise unavailable("The authorization of this connector cannot be found out at the moment. Try again shortly.")
    return answer.json() if answer.status == 200 else None


def _resource(document: JsonObject, server: Downstream, limits: Limits) -> Resource:
    resource = document.get("resource")
    # RFC 9728 section 3.3: metadata of another resource is not used. MCP lets one at the origin cover its paths.
    if not isinstance(resource, str) or not _plain(resource, server, limits) or not _covers(resource, server.url):
        raise call_failed(f'The metadata of "{server.id}" is that of another resource.')
    issuers = _texts(document.get("authorization_servers"), limits)
    if not all(_plain(each, server, limits) and not {"?", "#"} & set(each) for each in issuers):
        raise call_failed(f'"{server.id}" names an authorization server that is no https address.')
    scopes = tuple(each for each in _texts(document.get("scopes_supported"), limits) if each.isprintable())
    return Resource(resource, issuers, scopes)


def _issuer(document: JsonObject, named: str | None, server: Downstream, limits: Limits) -> Issuer:
    issuer = document.get("issuer")
    if not isinstance(issuer, str) or not _plain(issuer, server, limits) or not _is_own(issuer, named, server):
        raise call_failed(f'The authorization server of "{server.id}" describes itself as another one.')
    challenges = _texts(document.get("code_challenge_methods_supported"), limits)
    if "S256" not in challenges:
        raise call_failed(f'The authorization server of "{server.id}" does not say that it checks PKCE with S256.')
    methods = _texts(document.get("token_endpoint_auth_methods_supported"), limits) or ("client_secret_basic",)
    found = Issuer(
        issuer=issuer,
        authorization=_endpoint(document, "authorization_endpoint", server, limits),
        token=_endpoint(document, "token_endpoint", server, limits),
        registration=_endpoint(document, "registration_endpoint", server, limits),
        revocation=_endpoint(document, "revocation_endpoint", server, limits),
        names_itself=document.get("authorization_response_iss_parameter_supported") is True,
        takes_documents=document.get("client_id_metadata_document_supported") is True and "none" in methods,
        methods=methods,
        scopes=_texts(document.get("scopes_supported"), limits),
    )
    if not found.authorization or not found.token:
        raise call_failed(f'The authorization server of "{server.id}" lacks an endpoint that grants need.')
    return found


def _is_own(issuer: str, named: str | None, server: Downstream) -> bool:
    """Whether a document may say that it is of ``issuer`` (RFC 8414 section 3.3): what was ``named``, and where nothing
    was, one at the resource's own origin, which the document was found at. Whoever may pass for another's issuer is
    sent that one's codes, and ``iss`` does not tell."""
    if named is None:
        return _parts(issuer)[0] == _parts(server.url)[0]
    # A slash at the end leads to the same document, and some write it in one place only.
    return issuer.rstrip("/") == named.rstrip("/")


def _endpoint(document: JsonObject, name: str, server: Downstream, limits: Limits) -> str:
    url = document.get(name)
    return url if isinstance(url, str) and _plain(url, server, limits) and "#" not in url else ""


def _plain(url: str, server: Downstream, limits: Limits) -> bool:
    """Whether ``url`` is one a client may be sent to: it stands on pages and in a header, and is what it looks like."""
    schemes = ("https", "http") if server.allow_private else ("https",)
    if len(url) > limits.downstream_url_chars or not url.isascii() or not url.isprintable() or " " in url:
        return False
    try:
        parts = urlsplit(url)
        return parts.scheme in schemes and bool(parts.hostname) and "@" not in parts.netloc and parts.port != 0
    except ValueError:
        return False


def _texts(value: Json, limits: Limits) -> tuple[str, ...]:
    if not isinstance(value, list):
        return ()
    return tuple(each for each in value[: limits.downstream_scopes] if isinstance(each, str))


def _covers(resource: str, url: str) -> bool:
    """Whether ``resource`` is the server at ``url``, or an address above it at the same origin."""
    try:
        (its, path), (ours, wanted) = _parts(resource), _parts(url)
    except ValueError:
        return False
    return its == ours and f"{wanted}/".startswith(f"{path}/")


def _parts(url: str) -> tuple[str, str]:
    """Origin, and path without a slash at its end."""
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    host = f"[{host}]" if ":" in host else host
    usual = {"https": 443, "http": 80}.get(parts.scheme)
    port = "" if parts.port in (None, usual) else f":{parts.port}"
    return f"{parts.scheme}://{host}{port}", parts.path.rstrip("/")
