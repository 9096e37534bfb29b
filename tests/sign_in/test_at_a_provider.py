"""Signing in at an OpenID Connect provider (npm ``oidc-provider``), in Chromium."""

from urllib.parse import parse_qs, urlsplit

import pytest

from tests.sign_in.browser import Browser, Visit
from tests.sign_in.conftest import Served
from tests.sign_in.test_in_a_browser import asking

CALLBACK = "/oauth/sign-in/callback"


def going_there(browser: Browser, served: Served, login: str, *more: tuple[str, ...]) -> Visit:
    """Signs ``login`` in at the provider, which asks for the rest on pages of its own."""
    return browser.visit(
        login,
        ("goto", asking(served, browser)),
        ("press", "Continue with Example ID"),
        ("login", login),
        *more,
    )


@pytest.mark.parametrize("login", ["alice", "bob"])
def test_who_is_listed_by_address_or_subject_comes_back_and_agrees(
    served_with_provider: Served, browser: Browser, login: str
):
    visit = going_there(browser, served_with_provider, login, ("text",), ("press", "Allow"))
    answer = parse_qs(urlsplit(visit.url).query)
    assert answer == {"code": answer["code"], "state": ["s"], "iss": [served_with_provider.origin]}
    assert f"Signed in as {login}@example.com." in visit.said[3]


@pytest.mark.parametrize("login", ["carol", "mallory"])
def test_who_is_not_listed_or_whose_address_nobody_verified_is_turned_away(
    served_with_provider: Served, browser: Browser, login: str
):
    visit = going_there(browser, served_with_provider, login, ("text",), ("cookies",))
    assert (urlsplit(visit.url).path, visit.statuses[-1]) == (CALLBACK, 403)
    assert "has not been let in by the owner of this server. Nothing was granted." in visit.said[3]
    again = browser.visit(login, ("goto", asking(served_with_provider, browser)), ("text",))
    assert "Continue with Example ID" in again.said[-1]


def test_the_way_back_works_once_and_in_the_browser_that_went(served_with_provider: Served, browser: Browser):
    """Neither a way back that was used nor one of somebody else's signs anybody in."""
    visit = going_there(browser, served_with_provider, "dave", ("text",))
    assert (urlsplit(visit.url).path, visit.statuses[-1]) == (CALLBACK, 403)
    begun = browser.visit("grace", ("goto", asking(served_with_provider, browser)), ("until", "authorize"))
    assert begun.statuses == [200]
    for who in ("dave", "grace"):
        replayed = browser.visit(who, ("goto", visit.url), ("text",))
        assert replayed.statuses == [403]
        told = "This sign-in was not begun in this browser, took too long, or is over already."
        assert told in replayed.said[-1]
