"""Sessions and forms as signed text."""

from collections.abc import Callable

from connecta.auth.sign_in.seals import Seals
from connecta.auth.sign_in.sessions import Person, Session, Sessions, new_session
from connecta.limits import LIMITS

NOW = 1_800_000_000.5
ABOUT = (("client_id", "desk"), ("state", "s"))
PERSON = Person("123", "owner@example.com", "owner@example.com", "https://id.example")


def sessions(
    *,
    key: bytes = b"k" * 64,
    deployment: str = "one",
    now: float = NOW,
    lets_in: Callable[[Person], bool] = lambda _: True,
) -> Sessions:
    return Sessions(Seals(key, deployment), LIMITS, now, lets_in)


def test_a_session_comes_back_as_it_was_until_it_ends():
    for session in (new_session(), new_session(PERSON)):
        text = sessions().text(session)
        assert sessions(now=NOW + LIMITS.sign_in_session_s - 1).read(text) == session
        assert sessions(now=NOW + LIMITS.sign_in_session_s).read(text) is None


def test_a_session_of_somebody_who_is_not_let_in_any_more_is_none():
    """auth.md: the allow-list is asked each time, not only when somebody signs in."""
    text = sessions().text(new_session(PERSON))
    assert sessions(lets_in=lambda person: person != PERSON).read(text) is None


def test_no_two_sessions_are_the_same_whoever_they_are_of():
    assert (
        len({session.id for session in (new_session(), new_session(), new_session(PERSON), new_session(PERSON))}) == 4
    )


def test_what_another_key_or_another_deployment_signed_is_none_of_ours():
    text = sessions().text(new_session(PERSON))
    for other in (sessions(key=b"l" * 64), sessions(deployment="two")):
        assert other.read(text) is None


def test_a_form_s_token_is_for_one_session_one_purpose_and_what_it_is_about():
    session = new_session(PERSON)
    token = sessions().token(session, "consent", ABOUT)
    assert sessions().is_token(token, session, "consent", ABOUT)
    for other in (
        (new_session(PERSON), "consent", ABOUT),
        (session, "sign-in", ABOUT),
        (session, "consent", (*ABOUT, ("scope", "mcp"))),
        (session, "consent", (("client_id", "desks"), ("tate", "s"))),
        (session, "consent", ()),
    ):
        assert not sessions().is_token(token, *other)


def test_neither_a_session_nor_a_form_s_token_stands_in_for_the_other():
    session = Session("one", PERSON)
    assert not sessions().is_token(sessions().text(session), session, "consent", ABOUT)
    assert sessions().read(sessions().token(session, "consent", ABOUT)) is None


def test_a_form_s_token_ends():
    session = new_session()
    token = sessions().token(session, "sign-in", ABOUT)
    late = sessions(now=NOW + LIMITS.sign_in_form_s)
    assert not late.is_token(token, session, "sign-in", ABOUT)
