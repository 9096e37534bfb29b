"""The whole way in, as claude.ai goes it: become a client, send the person to sign in and agree, get tokens."""

import hmac
import secrets
from base64 import urlsafe_b64encode
from hashlib import sha256
from typing import Final
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

from connecta.local.doctor.findings import NotTried, Problem, quoted
from connecta.local.doctor.forms import Form, forms_in
from connecta.local.doctor.messages import initialize
from connecta.local.doctor.visit import ENDPOINT, Client, Grant, Visit
from connecta.local.doctor.wire import Answer, text_of
from connecta.text import JsonObject

CLAUDE: Final = Client("https://claude.ai/oauth/mcp-oauth-client-metadata", "https://claude.ai/api/mcp/auth_callback")
_REDIRECT: Final = "http://127.0.0.1/connecta-doctor"
"""Nothing listens there: the doctor reads the answer off the redirect instead of following it."""
_PAGES: Final = 4
"""Sign in, agree, and what a server may have between them."""


async def check_registration(visit: Visit) -> str:
    """RFC 7591."""
    asked: JsonObject = {
        "client_name": "Connecta doctor",
        "redirect_uris": [_REDIRECT],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    }
    answer = await visit.wire.post_json(_endpoint(visit, "registration_endpoint"), asked, {}, token=None)
    if answer.status == 429:
        raise Problem(
            "Too many clients registered from here lately. Wait ten minutes, or remove connections in clients that "
            "register over and over."
        )
    id = text_of(answer.object().get("client_id"))
    if answer.status not in (200, 201) or not id:
        raise Problem(f"A client that registers is answered {_said(answer)}. The function's log says why.")
    visit.registered = Client(id, _REDIRECT)
    return "a new client got an id"


async def check_client_document(visit: Visit) -> str:
    """That Claude's own client is known by its document, without signing in as it."""
    answer = await visit.wire.browse(_authorize_url(visit, CLAUDE, state="doctor", challenge=_challenge("x" * 43)))
    if answer.status != 200:
        raise Problem(
            f"Claude's own client is answered {answer.status} on its way to sign in. Check the function's way to the "
            "internet, and its log."
        )
    return "Claude is known by its document"


async def check_sign_in(visit: Visit) -> str:
    """RFC 6749 4.1 with PKCE and RFC 9207: through the pages, with the passphrase, to a code."""
    client = _known(visit)
    state, visit.verifier = secrets.token_urlsafe(24), secrets.token_urlsafe(48)
    url = _authorize_url(visit, client, state=state, challenge=_challenge(visit.verifier))
    answer = await visit.wire.browse(url)
    for _ in range(_PAGES):
        location = answer.headers.get("location")
        if location is not None and location.startswith(client.redirect_uri):
            visit.code = _code_in(location, state, visit)
            return "signed in, agreed, and came back with a code"
        if location is not None:
            url = _own(urljoin(url, location), visit)
            answer = await visit.wire.browse(url)
            continue
        url, answer = await _submitted(visit, url, answer)
    raise Problem("Signing in goes round in circles. Cookies may be lost on the way: check what stands in between.")


async def check_token(visit: Visit) -> str:
    """RFC 6749 4.1.3 and 5.1."""
    client = _known(visit)
    form = {
        "grant_type": "authorization_code",
        "code": visit.code or "",
        "client_id": client.id,
        "redirect_uri": client.redirect_uri,
        "code_verifier": visit.verifier,
        "resource": visit.origin + ENDPOINT,
    }
    visit.grant = await _granted(visit, client, form)
    return "the code was exchanged"


async def check_refresh(visit: Visit) -> str:
    """RFC 6749 6: without it, Claude asks the person to sign in again every hour."""
    assert visit.grant is not None
    if visit.grant.refresh is None:
        raise Problem("No refresh token came with the access token, so people would have to sign in every hour.")
    form = {"grant_type": "refresh_token", "refresh_token": visit.grant.refresh, "client_id": visit.grant.client.id}
    visit.grant = await _granted(visit, visit.grant.client, form)
    return "new tokens came for the refresh token"


async def check_refusals(visit: Visit) -> str:
    """That a token nobody issued does not come in."""
    if visit.is_open:
        raise NotTried("this deployment is open: nobody is turned away.")
    answer = await visit.wire.post_json(visit.url, initialize(), {}, token=secrets.token_urlsafe(32))
    if answer.status == 200:
        raise Problem(
            "A made-up token came in. Something before the server adds one of its own, or Open() is in auth=."
        )
    if answer.status not in (401, 429):
        raise Problem(f"A made-up token is answered {answer.status}; it has to be 401. Look into the function's log.")
    return "a made-up token is refused"


async def check_revocation(visit: Visit) -> str:
    """RFC 7009; the doctor's own tokens end here."""
    assert visit.grant is not None
    endpoint = _endpoint(visit, "revocation_endpoint")
    token = visit.grant.refresh or visit.grant.access
    answer = await visit.wire.post_form(endpoint, {"token": token, "client_id": visit.grant.client.id})
    if answer.status != 200:
        raise Problem(f"Revoking the doctor's own tokens is answered {_said(answer)}. The function's log says why.")
    visit.grant = None
    return "the doctor's own tokens were revoked"


async def _submitted(visit: Visit, url: str, answer: Answer) -> tuple[str, Answer]:
    """The page's form filled in and sent."""
    if answer.status >= 400:
        raise Problem(f"The page to sign in is answered {answer.status}. {_PAGE_HINTS.get(answer.status, _IN_LOG)}")
    forms = forms_in(answer.body)
    signing_in = next((form for form in forms if form.password is not None), None)
    if signing_in is not None:
        return await _with_passphrase(visit, url, signing_in)
    agreeing = next((form for form in forms if ("action", "allow") in form.buttons), None)
    if agreeing is None:
        if forms:
            raise NotTried("people sign in at a provider here, in a browser.")
        raise Problem("There is no form to sign in with. Something else answers at the authorization endpoint.")
    target = _own(urljoin(url, agreeing.action), visit)
    return target, await visit.wire.browse(target, [*agreeing.hidden, ("action", "allow")], origin=visit.origin)


async def _with_passphrase(visit: Visit, url: str, form: Form) -> tuple[str, Answer]:
    passphrase = visit.passphrase()
    if not passphrase:
        raise NotTried("no passphrase was given.")
    target = _own(urljoin(url, form.action), visit)
    filled = [*form.hidden, (form.password or "", passphrase), *form.buttons[:1]]
    answer = await visit.wire.browse(target, filled, origin=visit.origin)
    if answer.status == 503:
        raise Problem("No passphrase is set yet, or it cannot be read. Set one: python -m connecta passphrase")
    if answer.status == 429:
        raise Problem("Too many wrong passphrases came from here lately. Wait as long as the page says.")
    if answer.status >= 400 or (answer.status == 200 and _asks_again(answer)):
        raise Problem("The passphrase was not taken. Check it, or set a new one: python -m connecta passphrase")
    return target, answer


def _asks_again(answer: Answer) -> bool:
    return any(form.password is not None for form in forms_in(answer.body))


async def _granted(visit: Visit, client: Client, form: dict[str, str]) -> Grant:
    answer = await visit.wire.post_form(_endpoint(visit, "token_endpoint"), form)
    body = answer.object()
    access = text_of(body.get("access_token"))
    if answer.status != 200 or not access:
        raise Problem(f"The token endpoint answers {_said(answer)}. The function's log says why.")
    if text_of(body.get("token_type")).lower() != "bearer":
        raise Problem("The token is not a bearer token. Something else answers at the token endpoint.")
    return Grant(client, access, text_of(body.get("refresh_token")) or None)


def _code_in(location: str, state: str, visit: Visit) -> str:
    told = dict(parse_qsl(urlsplit(location).query))
    if "error" in told:
        raise Problem(f"Signing in ended with the error {quoted(told['error'])}. The function's log says why.")
    if not hmac.compare_digest(told.get("state", "").encode(), state.encode()):
        raise Problem("The answer lost the client's state on the way, so clients refuse it.")
    if told.get("iss") != visit.origin:
        raise Problem("The answer does not say who gives it (iss), so clients that check refuse it. Set PublicUrl.")
    if not told.get("code"):
        raise Problem("The answer has no code.")
    return told["code"]


def _authorize_url(visit: Visit, client: Client, *, state: str, challenge: str) -> str:
    parameters = {
        "response_type": "code",
        "client_id": client.id,
        "redirect_uri": client.redirect_uri,
        "state": state,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
        "resource": visit.origin + ENDPOINT,
        "scope": "mcp",
    }
    return f"{_endpoint(visit, 'authorization_endpoint')}?{urlencode(parameters)}"


def _challenge(verifier: str) -> str:
    return urlsafe_b64encode(sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def _known(visit: Visit) -> Client:
    assert visit.registered is not None
    return visit.registered


def _endpoint(visit: Visit, name: str) -> str:
    assert visit.server is not None
    endpoint = visit.server.get(name)
    if not isinstance(endpoint, str):
        raise Problem(f"The metadata name no {name}.")
    return _own(endpoint, visit)


def _own(url: str, visit: Visit) -> str:
    """``url``, of the deployment itself: a passphrase goes nowhere else."""
    parts = urlsplit(url)
    if f"{parts.scheme}://{parts.netloc}".lower() != visit.origin:
        raise Problem(f"Signing in leads to {quoted(url)}, another host, so nothing was sent there. Set PublicUrl.")
    return url


def _said(answer: Answer) -> str:
    """Status, and OAuth's error where there is one."""
    try:
        error = answer.object().get("error")
    except Problem:
        error = None
    return f"{answer.status} {quoted(error)}" if isinstance(error, str) else str(answer.status)


_IN_LOG: Final = "The function's log says why."
_PAGE_HINTS: Final = {
    403: "The form was not taken for the server's own: something changes the Origin header or drops cookies.",
    429: "Too many requests came from here. Wait a minute, then run this again.",
    501: "This deployment has no way to sign in: give AuthorizationServer(…) one.",
    503: "Set a passphrase (python -m connecta passphrase), and check that the function may read its table.",
}
