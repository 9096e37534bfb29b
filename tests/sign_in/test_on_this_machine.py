"""Signing in to ``python -m connecta dev``, which has no https, with what ``python -m connecta passphrase`` set."""

import re
import subprocess
import sys
from html import unescape
from pathlib import Path

import httpx2

from tests.fixtures.local_server import running_local_server
from tests.fixtures.oauth import DESK_CALLBACK, VERIFIER, challenge_of
from tests.fixtures.sam import ROOT
from tests.sign_in.conftest import PASSPHRASE

REQUEST = {
    "response_type": "code",
    "client_id": "desk",
    "redirect_uri": DESK_CALLBACK,
    "code_challenge": challenge_of(VERIFIER),
    "code_challenge_method": "S256",
}


def test_a_passphrase_set_on_the_command_line_signs_in_on_a_local_server(tmp_path: Path):
    command = [sys.executable, "-m", "connecta", "passphrase", "--data", str(tmp_path)]
    subprocess.run(command, input=f"{PASSPHRASE}\n", text=True, check=True, cwd=ROOT, capture_output=True)
    with (
        running_local_server(tmp_path, "tests.sign_in.local_deployment:deployment") as server,
        httpx2.Client(base_url=server.origin, trust_env=False, timeout=60) as browser,
    ):
        page = browser.get("/oauth/authorize", params=REQUEST)
        assert page.headers["set-cookie"].startswith("connecta-session=")
        assert "secure" not in page.headers["set-cookie"].lower()
        [token] = re.findall(r'name="token" value="([^"]*)"', page.text)
        form = {"token": unescape(token), "passphrase": PASSPHRASE, "action": "sign-in"}
        own = {"origin": server.origin}
        signed_in = browser.post(str(page.request.url), data=form, headers=own, follow_redirects=True)
        [token, _] = re.findall(r'name="token" value="([^"]*)"', signed_in.text)
        form = {"token": unescape(token), "action": "allow"}
        # A page of another server on this machine, whose requests are answered elsewhere (CORS), agrees to nothing.
        other = browser.post(str(page.request.url), data=form, headers={"origin": "http://127.0.0.1:1"})
        allowed = browser.post(str(page.request.url), data=form, headers=own)
    assert (other.status_code, allowed.status_code) == (403, 303)
    assert allowed.headers["location"].startswith(f"{DESK_CALLBACK}?code=")
