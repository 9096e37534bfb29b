"""Whoever uses a deployment: a person at a browser, an agent, a client of its authorization server. All that comes
back is noted."""

import re
from html import unescape
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

import httpx2

from connecta.auth.downstream.model import CALLBACK_PATH
from tests.fixtures.mcp_messages import call, modern
from tests.fixtures.oauth import DESK_CALLBACK, STATE, VERIFIER, challenge_of
from tests.secrets.ledger import Ledger

PAGES: Final = ("/", "/credentials", "/tokens", "/activity", "/sign-in", "/health", "/oauth/client.json", "/nothing")


class People:
    """``origin`` is the deployment; ``told`` begins every place that is noted."""

    def __init__(self, http: httpx2.Client, ledger: Ledger, origin: str, told: str = "") -> None:
        self._http = http
        self._ledger = ledger
        self._told = told
        self.origin = origin

    def asked(self, place: str, method: str, path: str, **request: Any) -> httpx2.Response:
        answer = self._http.request(method, f"{self.origin}{path}", **request)
        self._ledger.note(f"{self._told}{place}", repr(answer.headers.multi_items()))
        self._ledger.note(f"{self._told}{place}", answer.content)
        return answer

    def calls(self, token: str, name: str, arguments: dict[str, Any], place: str = "") -> dict[str, Any]:
        request = modern("tools/call", call(name, arguments)).having(authorization=f"Bearer {token}")
        answer = self.asked(place or f"tool {name}", "POST", "/mcp", content=request.body, headers=request.headers)
        for state in re.findall(r"authorizationUrl.*?[?&]state=([A-Za-z0-9_-]+)", answer.text):
            self._ledger.plant("state of a flow under way", state, f"{self._told}tool authorize_connector")
        found: dict[str, Any] = answer.json()
        return found

    def sees_every_page(self) -> None:
        for path in PAGES:
            self.asked(f"page {path}", "GET", path)

    def signs_in(self, passphrase: str) -> int:
        answer = self.sends("/sign-in", "/sign-in", passphrase=passphrase)
        for cookie in self._http.cookies.jar:
            if cookie.value and len(cookie.value) > 40:
                self._ledger.plant("session cookie", cookie.value, f"{self._told}sign-in", f"{self._told}page /sign-in")
        return answer.status_code

    def sends(self, path: str, page: str, /, **fields: str) -> httpx2.Response:
        shown = self.asked(f"page {page}", "GET", page).text
        form = re.search(rf'<form[^>]* action="{re.escape(path)}(?:\?[^"]*)?"[^>]*>(.*?)</form>', shown, re.DOTALL)
        assert form is not None, f"no form goes to {path} on {page}: {shown[:2000]}"
        found: list[tuple[str, str]] = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', form[1])
        unseen = {name: unescape(value) for name, value in found}
        headers = {"origin": self.origin, "sec-fetch-site": "same-origin"}
        return self.asked(path.removeprefix("/"), "POST", path, data={**unseen, **fields}, headers=headers)

    def fills_in(self, connector: str, **values: str) -> None:
        fields = {f"value-{name}": value for name, value in values.items()}
        answer = self.sends(f"/credentials/{connector}/set", "/credentials", **fields)
        assert answer.status_code == 303, answer.text
        self.sends(f"/credentials/{connector}/test", "/credentials")

    def has_a_token(self) -> str:
        answer = self.sends("/tokens", "/tokens", name="Agent", life="30")
        [text] = re.findall(r'<code class="secret" tabindex="0">([^<]*)</code>', answer.text)
        return self._ledger.plant("access token", text, f"{self._told}tokens")

    def comes_back(self, connector: str, parameters: dict[str, str]) -> httpx2.Response:
        return self.asked("callback", "GET", f"{CALLBACK_PATH}{connector}", params=parameters)

    def connects(self, connector: str) -> dict[str, str]:
        """The way of a person who agrees, and what they came back with."""
        begun = self.sends(f"/connectors/{connector}/connect", "/")
        assert begun.status_code == 303, begun.text
        parameters = self.agrees(begun.headers["location"])
        assert self.comes_back(connector, parameters).status_code == 200
        return parameters

    def is_refused(self, connector: str) -> None:
        """The same way, with a code that the authorization server does not know."""
        begun = self.sends(f"/connectors/{connector}/connect", "/")
        asked = dict(parse_qsl(urlsplit(begun.headers["location"]).query))
        self._ledger.plant("state of a refusal", asked["state"], f"{self._told}connectors/")
        made_up = self._ledger.plant("code that is none", "planted-code-that-is-none")
        assert self.comes_back(connector, {"code": made_up, "state": asked["state"]}).status_code == 400

    def agrees(self, url: str) -> dict[str, str]:
        back = dict(parse_qsl(urlsplit(self._http.get(url).headers["location"]).query))
        # Both go through the person's browser by design: there once, in the address it is sent to.
        self._ledger.plant(
            "state", back["state"], *(f"{self._told}{place}" for place in ("connectors/", "tool authorize"))
        )
        if "code" in back:
            self._ledger.plant("downstream's code", back["code"])
        return back

    def is_let_in_as_a_client(self) -> dict[str, Any]:
        """The tokens of a whole way through this deployment's own authorization server."""
        asked = {
            "response_type": "code",
            "client_id": "desk",
            "redirect_uri": DESK_CALLBACK,
            "state": STATE,
            "code_challenge": challenge_of(VERIFIER),
            "code_challenge_method": "S256",
            "resource": f"{self.origin}/mcp",
        }
        page = self.asked("page authorize", "GET", "/oauth/authorize", params=asked)
        [action] = set(re.findall(r'<form[^>]* action="([^"]*)"', page.text))
        [token] = set(re.findall(r'name="token" value="([^"]*)"', page.text))
        headers = {"origin": self.origin, "sec-fetch-site": "same-origin"}
        data = {"token": unescape(token), "action": "allow"}
        agreed = self.asked("authorize", "POST", unescape(action), data=data, headers=headers)
        assert agreed.is_redirect, agreed.text
        code = dict(parse_qsl(urlsplit(agreed.headers["location"]).query))["code"]
        self._ledger.plant("our code", code, f"{self._told}authorize")
        self._ledger.plant("verifier", VERIFIER)
        redeemed = {
            "grant_type": "authorization_code",
            "code": code,
            "client_id": "desk",
            "redirect_uri": DESK_CALLBACK,
            "code_verifier": VERIFIER,
        }
        return self._tokens(redeemed)

    def refreshes(self, tokens: dict[str, Any]) -> dict[str, Any]:
        return self._tokens(
            {"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"], "client_id": "desk"}
        )

    def _tokens(self, form: dict[str, str]) -> dict[str, Any]:
        answer = self.asked("token", "POST", "/oauth/token", data=form)
        found: dict[str, Any] = answer.json()
        for name in ("access_token", "refresh_token"):
            self._ledger.plant(f"our {name}", found[name], f"{self._told}token")
        return found
