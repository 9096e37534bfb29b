"""What a downstream's ``WWW-Authenticate`` says (RFC 9110 11.6.1, RFC 6750 3, RFC 9728 5.1)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connecta.auth.downstream.challenge import Challenge, challenge_in

METADATA = "https://notes.example/.well-known/oauth-protected-resource/mcp"


@pytest.mark.parametrize(
    ("headers", "said"),
    [
        (["Bearer"], Challenge()),
        ([f'Bearer resource_metadata="{METADATA}"'], Challenge(resource_metadata=METADATA)),
        ([f"Bearer resource_metadata={METADATA}"], Challenge(resource_metadata=METADATA)),
        (
            ['bearer realm="a, b", Error = insufficient_scope , scope="read write"'],
            Challenge("insufficient_scope", "read write"),
        ),
        (['Basic realm="x", Bearer error="invalid_token"'], Challenge("invalid_token")),
        (['Basic realm="x"', 'Bearer error="invalid_token"'], Challenge("invalid_token")),
        (['Negotiate YII==, Bearer scope="read"'], Challenge(scope="read")),
        (['DPoP error="use_dpop_nonce", Bearer'], Challenge()),
        (['Bearer error="a", error="b", Basic error="c"'], Challenge("a")),
        (['Bearer error="a", Bearer error="b"'], Challenge("a")),
        (['Bearer scope="say \\"so\\""'], Challenge(scope='say "so"')),
    ],
)
def test_the_first_bearer_challenge_is_read_wherever_it_stands(headers: list[str], said: Challenge) -> None:
    assert challenge_in(headers) == said


@pytest.mark.parametrize("headers", [[], [""], ['Basic realm="Bearer error=x"'], ["Negotiate YII=="], [" ,, "]])
def test_what_is_no_bearer_challenge_is_none(headers: list[str]) -> None:
    assert challenge_in(headers) is None


@pytest.mark.parametrize(
    "value", ['"unfinished', '""', f'"{"x" * 2_049}"', '"two\nlines"', '"a"b'], ids=lambda value: value[:10]
)
def test_a_parameter_that_cannot_be_used_is_one_that_is_not_said(value: str) -> None:
    assert challenge_in([f"Bearer error={value}"]) == Challenge()


def test_only_so_much_of_it_is_looked_at() -> None:
    assert challenge_in(["Basic " + "x" * 8_192 + ', Bearer error="late"']) is None


def test_the_error_that_asks_for_more_scope_is_told_apart() -> None:
    assert [Challenge(error).wants_scope for error in (None, "invalid_token", "insufficient_scope")] == [
        False,
        False,
        True,
    ]


@given(st.lists(st.text(alphabet='Bbearer ,="\\\t\nxé', max_size=60), max_size=4))
def test_no_header_breaks_the_reading(headers: list[str]) -> None:
    said = challenge_in(headers)
    assert said is None or all(text.isprintable() for text in (said.error, said.scope) if text is not None)
