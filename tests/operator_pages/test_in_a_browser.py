"""The operator's pages in Chromium: with the keyboard alone, without scripts, in both themes and at both widths."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.fixtures.keyed_mcp import KeyedMcp
from tests.fixtures.operated import KEY, operated
from tests.operator_pages.busy import furnish_house
from tests.operator_pages.conftest import PASSPHRASE, House, running_house
from tests.sign_in.browser import Browser, Visit

SIGN_IN = (("fill", "Passphrase", PASSPHRASE), ("press", "Sign in"))
PAGES = ("/", "/credentials", "/tokens", "/activity")


@pytest.fixture(scope="session")
def busy_house(moto_url: str, kept: str, shelf: KeyedMcp, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A deployment that has been used for a while."""
    calendar_url = "http://127.0.0.1:9/mcp"
    folder = tmp_path_factory.mktemp("busy")
    with running_house(folder, kept, moto_url, "busy-house", shelf.url, calendar_url) as house:
        furnish_house(house, operated(shelf.url, name=house.name, calendar_url=calendar_url), calls=70)
        yield house


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_a_credential_is_set_tested_and_removed_by_keyboard(house: House, browser: Browser, scripts: bool):
    visit = browser.visit(
        f"ada {scripts}",
        ("goto", f"{house.origin}/credentials"),
        *SIGN_IN,
        ("fill", "API key", "a wrong key"),
        ("press", "Set the credential for Book shelf"),
        ("text",),
        ("press", "Test the credential for Book shelf"),
        ("text",),
        ("fill", "API key", KEY),
        ("press", "Replace the credential for Book shelf"),
        ("press", "Test the credential for Book shelf"),
        ("text",),
        ("open", "Remove"),
        ("press", "Remove the credential for Book shelf"),
        ("text",),
        scripts=scripts,
    )
    texts = [said for said in visit.said if isinstance(said, str)]
    assert "The credential for Book shelf is set." in texts[0]
    assert "Book shelf did not take the credential." in texts[1]
    assert "Book shelf takes the credential: it lists 1 tool." in texts[2]
    assert "The credential for Book shelf is removed." in texts[3]
    assert house.values("shelf") is None
    assert visit.url == f"{house.origin}/credentials"


def test_a_connector_is_connected_and_disconnected(house: House, browser: Browser):
    """At an authorization server of its own, which is another site."""
    visit = browser.visit(
        "bea",
        ("goto", f"{house.origin}/"),
        *SIGN_IN,
        ("press", "Connect Calendar"),
        ("login", "bea"),
        ("text",),
        ("goto", f"{house.origin}/"),
        ("text",),
        ("open", "Disconnect"),
        ("press", "Disconnect Calendar"),
        ("text",),
        scripts=False,
    )
    texts = [said for said in visit.said if isinstance(said, str)]
    assert "Connect again" in texts[1]
    assert "by the owner of this server" in texts[1]
    assert "Calendar is disconnected" in texts[2]


def test_a_token_is_issued_renamed_and_revoked_by_keyboard(house: House, browser: Browser):
    visit = browser.visit(
        "cia",
        ("goto", f"{house.origin}/tokens"),
        *SIGN_IN,
        ("select", "Ends", "30"),
        ("fill", "Name of a new token", "Cursor"),
        ("press", "Issue"),
        ("text",),
        ("goto", f"{house.origin}/tokens"),
        ("open", "Rename"),
        ("fill", "New name", "Editor"),
        ("press", "Rename Cursor"),
        ("text",),
        ("open", "Revoke"),
        ("press", "Revoke Editor"),
        ("text",),
        scripts=False,
    )
    texts = [said for said in visit.said if isinstance(said, str)]
    assert "Copy the token “Cursor” now" in texts[0]
    assert "cta_" in texts[0]
    assert "cta_" not in texts[1]
    assert "The token is now called “Editor”." in texts[1]
    assert "No access token yet." in texts[2]


def test_calls_are_paged_filtered_and_left_by_signing_out(busy_house: House, browser: Browser):
    visit = browser.visit(
        "dan",
        ("goto", f"{busy_house.origin}/activity"),
        *SIGN_IN,
        ("follow", "Older calls"),
        ("text",),
        ("follow", "Newest calls"),
        ("select", "Outcome", "timeout"),
        ("press", "Filter"),
        ("text",),
        ("press", "Sign out"),
        ("text",),
        ("goto", f"{busy_house.origin}/activity"),
        ("text",),
        scripts=False,
    )
    texts = [said for said in visit.said if isinstance(said, str)]
    assert "Newest calls" in texts[0]
    assert "Timed out" in texts[1]
    assert "Succeeded\n" not in texts[1].partition("Took")[2]
    assert "Passphrase" in texts[2]
    assert "Passphrase" in texts[3]


def test_no_other_site_frames_a_page_or_sends_its_forms(house: House, browser: Browser):
    browser.visit("eve", ("goto", f"{house.origin}/"), *SIGN_IN)
    there = f"http://localhost:{browser.elsewhere}/"
    frame = f'<iframe src="{house.origin}/credentials" title="framed"></iframe>'
    framed = browser.visit("eve", ("goto", there), ("frames",), strange=frame)
    assert framed.said[-1] == ["chrome-error://chromewebdata/"]
    form = f'<form method="post" action="{house.origin}/tokens"><input name="name"><button>Win</button></form>'
    sent = browser.visit("eve", ("goto", there), ("press", "Win"), ("text",), strange=form)
    assert (sent.statuses[-1], "Nothing was changed" in sent.said[-1]) == (403, True)


def seen(browser: Browser, house: House, scheme: str, width: int, folder: Path) -> Visit:
    """Every page, looked at."""
    steps: list[Sequence[str]] = [("goto", f"{house.origin}/"), *SIGN_IN]
    for path in PAGES:
        name = path.strip("/") or "connectors"
        steps += [("goto", f"{house.origin}{path}"), ("wide",), ("axe",), ("tabs", "7")]
        steps.append(("shot", str(folder / f"{name}-{scheme}-{width}.png")))
    return browser.visit(f"{house.name} {scheme} {width}", *steps, scheme=scheme, width=width)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_each_page_reads_well_in_both_themes_and_at_both_widths(
    house: House, busy_house: House, browser: Browser, tmp_path: Path, scheme: str, width: int
):
    """axe finds nothing, nothing is cut off, and the keyboard goes where the eye does; empty pages, too."""
    for each in (house, busy_house):
        said = seen(browser, each, scheme, width, tmp_path).said[3:]
        for page in range(len(PAGES)):
            _, wide, violations, tabs, _ = said[page * 5 : page * 5 + 5]
            assert (wide, violations) == (0, [])
            first = ["Skip to the content", "Connectors", "Credentials", "Access", "Activity", "Sign out"]
            assert [name for name in tabs if name in first] == first
