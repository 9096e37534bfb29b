"""How a client that knows only the URL finds out where to sign in: the challenge and the documents."""

import re
from typing import Final
from urllib.parse import urlsplit

from connecta.local.doctor.findings import NotTried, Problem, quoted
from connecta.local.doctor.messages import initialize
from connecta.local.doctor.visit import ENDPOINT, Challenge, Visit
from connecta.local.doctor.wire import Answer, keeps_secrets
from connecta.text import JsonObject

RESOURCE: Final = "/.well-known/oauth-protected-resource"
SERVER: Final = "/.well-known/oauth-authorization-server"
_REMAPPED: Final = "x-amzn-remapped-www-authenticate"
_METADATA: Final = re.compile(r'resource_metadata="([^"]*)"')
_NO_OAUTH: Final = (
    "This deployment has no sign-in, so claude.ai, Claude Desktop and ChatGPT cannot connect. Give Connecta(…) "
    "auth=[AuthorizationServer(…)]; or check it with --token, as a client that is given one."
)


async def check_challenge(visit: Visit) -> str:
    """RFC 6750 3 and RFC 9728 5.1: a request without a token is told where to get one; API Gateway may rename the
    header, so its absence alone is no fault."""
    answer = await visit.wire.post_json(visit.url, initialize(), {}, token=None)
    if answer.status == 200:
        visit.challenge = Challenge(open=True)
        return "open: nobody is asked for a token"
    if answer.status != 401:
        raise Problem(f"A request without a token is answered {answer.status}; it has to be 401. {_why(answer)}")
    header = answer.headers.get("www-authenticate") or answer.headers.get(_REMAPPED)
    named = _METADATA.search(header or "")
    visit.challenge = Challenge(open=False, metadata_url=named.group(1) if named else None)
    if header is None:
        return "401 without WWW-Authenticate: something took the header away, so clients depend on the documents"
    if not header.lower().startswith("bearer"):
        raise Problem("The challenge is not for a bearer token. Something before the server asks for another login.")
    if named and urlsplit(named.group(1)).netloc != urlsplit(visit.url).netloc:
        raise Problem(
            f"The challenge sends clients to {quoted(named.group(1))}, another host than the URL's. Set the template's "
            "PublicUrl (or public_url= of Connecta(…)) to the origin in the URL."
        )
    renamed = "" if "www-authenticate" in answer.headers else ", renamed by API Gateway"
    return f"401 with a challenge{renamed}"


async def check_resource(visit: Visit) -> str:
    """RFC 9728 3.1, with the endpoint's path: where clients look first."""
    return await _resource(visit, RESOURCE + ENDPOINT)


async def check_root_resource(visit: Visit) -> str:
    """RFC 9728 3.1 without it: where they look next."""
    return await _resource(visit, RESOURCE)


async def check_server(visit: Visit) -> str:
    """RFC 8414: everything claude.ai needs of the authorization server."""
    visit.needs_sign_in()
    issuer = await _issuer(visit)
    answer = await visit.wire.get(issuer + SERVER)
    if answer.status != 200:
        raise Problem(f"{quoted(issuer + SERVER)} answers {answer.status}; it has to be served at the host's root.")
    document = answer.object()
    wrong = _wrong(document, issuer)
    if wrong is not None:
        raise Problem(wrong)
    visit.server = document
    return issuer


async def _resource(visit: Visit, path: str) -> str:
    visit.needs_sign_in()
    answer = await visit.wire.get(visit.origin + path)
    if answer.status == 404 and visit.challenge is not None and visit.challenge.metadata_url is None:
        raise Problem(f"{path} is not there. {_NO_OAUTH}")
    if answer.status != 200:
        raise Problem(
            f"{path} answers {answer.status}. It has to be served at the host's root: an API with a named stage, or a "
            "proxy that passes on only /mcp, hides it."
        )
    document = answer.object()
    if document.get("resource") != visit.origin + ENDPOINT:
        raise Problem(
            f"{path} names the resource {quoted(document.get('resource'))}, not the URL. Set the template's PublicUrl "
            "(or public_url= of Connecta(…)) to the origin in the URL."
        )
    servers = document.get("authorization_servers")
    if not isinstance(servers, list) or not servers or not isinstance(servers[0], str):
        raise Problem(f"{path} names no authorization server. Something else answers there.")
    return str(servers[0])


async def _issuer(visit: Visit) -> str:
    """The first server a document names; where there is none, the URL's own host, as older clients do."""
    for path in (RESOURCE + ENDPOINT, RESOURCE):
        answer = await visit.wire.get(visit.origin + path)
        if answer.status == 200:
            servers = answer.object().get("authorization_servers")
            if isinstance(servers, list) and servers and isinstance(servers[0], str):
                issuer = servers[0].removesuffix("/")
                if issuer != visit.origin:
                    raise NotTried(f"people sign in at {quoted(issuer)}, which is not this deployment's own.")
                return issuer
    return visit.origin


def _wrong(document: JsonObject, issuer: str) -> str | None:
    if document.get("issuer") != issuer:
        return f"The metadata are of {quoted(document.get('issuer'))}, not of {quoted(issuer)}. Set PublicUrl."
    for name in ("authorization_endpoint", "token_endpoint", "registration_endpoint"):
        endpoint = document.get(name)
        if not isinstance(endpoint, str):
            return f"The metadata name no {name}."
        if not keeps_secrets(endpoint):
            return f"The {name} is {quoted(endpoint)}: plain HTTP. Set PublicUrl to an https origin."
        if urlsplit(endpoint).netloc != urlsplit(issuer).netloc:
            return f"The {name} is {quoted(endpoint)}, on another host than its issuer. Set PublicUrl."
    for name, wanted in (
        ("code_challenge_methods_supported", "S256"),
        ("token_endpoint_auth_methods_supported", "none"),
        ("grant_types_supported", "refresh_token"),
    ):
        offered = document.get(name)
        if not isinstance(offered, list) or wanted not in offered:
            return f"{name} lacks {wanted}, which clients need. Something changes the answer on its way."
    if document.get("client_id_metadata_document_supported") is not True:
        return "client_id_metadata_document_supported is not true, which Claude looks for."
    return None


def _why(answer: Answer) -> str:
    if answer.status == 403:
        return "Something turns requests away: an allow-list of addresses, a firewall, or an Origin that is refused."
    if answer.status == 404:
        return "The endpoint is not there: check the path, and that no stage is part of it."
    if answer.status == 429:
        return "Too many requests came from here. Wait a minute, then run this again."
    return "Look into the function's log."
