"""Signing in and agreeing, in Chromium (auth.md "The embedded authorization server")."""

from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from tests.fixtures.oauth import VERIFIER, challenge_of
from tests.sign_in.browser import Browser
from tests.sign_in.conftest import PASSPHRASE, Served


def asking(served: Served, browser: Browser, **more: str) -> str:
    """The address a client sends people to, and comes back to itself by way of two origins."""
    query = {
        "response_type": "code",
        "client_id": "desk",
        "redirect_uri": f"http://127.0.0.1:{browser.client}/callback",
        "state": "s",
        "code_challenge": challenge_of(VERIFIER),
        "code_challenge_method": "S256",
        **more,
    }
    return f"{served.origin}/oauth/authorize?{urlencode(query)}"


def test_a_person_signs_in_and_allows_it_without_any_script(served: Served, browser: Browser):
    """And the policy of the page does not hold the way to the client against the form: Chromium applies
    ``form-action`` to every step of it."""
    visit = browser.visit(
        "ada",
        ("goto", asking(served, browser)),
        ("fill", "Passphrase", "not the passphrase"),
        ("press", "Sign in"),
        ("fill", "Passphrase", PASSPHRASE),
        ("press", "Sign in"),
        ("text",),
        ("press", "Allow"),
        scripts=False,
    )
    there = urlsplit(visit.url)
    assert (there.netloc, there.path) == (f"localhost:{browser.elsewhere}", "/landed")
    answer = parse_qs(there.query)
    assert answer == {"code": answer["code"], "state": ["s"], "iss": [served.origin]}
    assert visit.statuses == [200, 403, 303, 200, 303, 302, 200]
    assert "The Desk" in visit.said[5]


def test_who_is_signed_in_agrees_at_once_and_can_refuse_and_sign_out(served: Served, browser: Browser):
    address = asking(served, browser)
    browser.visit("bea", ("goto", address), ("fill", "Passphrase", PASSPHRASE), ("press", "Sign in"))
    denied = browser.visit("bea", ("goto", address), ("press", "Deny"))
    assert parse_qs(urlsplit(denied.url).query)["error"] == ["access_denied"]
    out = browser.visit("bea", ("goto", address), ("press", "Sign out"), ("text",))
    assert "Passphrase" in out.said[-1]


def test_the_cookie_is_one_no_other_host_can_plant_and_changes_when_somebody_signs_in(served: Served, browser: Browser):
    before = browser.visit("cia", ("goto", asking(served, browser)), ("cookies",)).said[-1]
    after = browser.visit(
        "cia",
        ("goto", asking(served, browser)),
        ("fill", "Passphrase", PASSPHRASE),
        ("press", "Sign in"),
        ("cookies",),
    ).said[-1]
    wanted = ("__Host-connecta-session", "127.0.0.1", "/", True, True, "Lax")
    for cookies in (before, after):
        [cookie] = [{name: value for name, value in each.items() if name != "expires"} for each in cookies]
        value = cookie.pop("value")
        names = ("name", "domain", "path", "secure", "httpOnly", "sameSite")
        assert cookie == dict(zip(names, wanted, strict=True))
        assert "signed" not in value
    assert before[0]["value"] != after[0]["value"]


def test_no_other_site_frames_the_page(served: Served, browser: Browser):
    frame = f'<iframe src="{asking(served, browser)}" title="framed"></iframe>'.replace("&", "&amp;")
    visit = browser.visit("dan", ("goto", f"http://localhost:{browser.elsewhere}/"), ("frames",), strange=frame)
    assert visit.said[-1] == ["chrome-error://chromewebdata/"]
    assert any("frame-ancestors" in complaint for complaint in visit.complaints)


def test_no_other_site_s_form_agrees_for_somebody_who_is_signed_in(served: Served, browser: Browser):
    address = asking(served, browser)
    browser.visit("eve", ("goto", address), ("fill", "Passphrase", PASSPHRASE), ("press", "Sign in"))
    form = f'<form method="post" action="{address}"><button name="action" value="allow">Win</button></form>'
    visit = browser.visit(
        "eve",
        ("goto", f"http://localhost:{browser.elsewhere}/"),
        ("press", "Win"),
        ("text",),
        strange=form.replace("&", "&amp;"),
    )
    assert (visit.url.partition("?")[0], visit.statuses[-1]) == (f"{served.origin}/oauth/authorize", 403)
    assert "This form was not sent from this server's own page." in visit.said[-1]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1200])
def test_each_page_reads_well_in_both_themes_and_at_both_widths(
    served: Served, browser: Browser, tmp_path: Path, scheme: str, width: int
):
    """axe finds nothing, nothing is cut off, and the keyboard goes where the eye does."""
    who, address = f"fay {scheme} {width}", asking(served, browser)
    sign_in = browser.visit(
        who,
        ("goto", address),
        ("wide",),
        ("shot", str(tmp_path / "sign-in.png")),
        ("described",),
        ("tabs",),
        ("axe",),
        ("fill", "Passphrase", "not the passphrase"),
        ("press", "Sign in"),
        ("described",),
        ("shot", str(tmp_path / "wrong.png")),
        ("fill", "Passphrase", PASSPHRASE),
        ("press", "Sign in"),
        ("wide",),
        ("shot", str(tmp_path / "consent.png")),
        ("axe",),
        ("tabs",),
        scheme=scheme,
        width=width,
    )
    said, hint = sign_in.said, "The one that this server’s owner has set."
    assert (said[1], said[12]) == (0, 0)
    assert (said[5], said[14]) == ([], [])
    assert said[3] == {"autocomplete": "current-password", "invalid": None, "described": [hint], "focused": True}
    wrong = "That is not the passphrase. Check capitals and spaces, then try again."
    assert said[8] == {
        "autocomplete": "current-password",
        "invalid": "true",
        "described": [wrong, hint],
        "focused": True,
    }
    assert said[4][:2] == ["passphrase", "Sign in"]
    assert [each for each in said[15] if each in {"Allow", "Deny", "Sign out"}][:3] == ["Allow", "Deny", "Sign out"]
