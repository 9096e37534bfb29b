"""What is kept of a passphrase (auth.md: "scrypt hash in a secret")."""

import re

import pytest

from connecta.auth.sign_in.hashes import hashed, is_hash, matches

PASSPHRASE = "träd och åska över ån"


def test_only_the_passphrase_matches_its_hash():
    kept = hashed(PASSPHRASE)
    assert is_hash(kept)
    assert [matches(each, kept) for each in (PASSPHRASE, PASSPHRASE.upper(), PASSPHRASE + " ", "")] == [
        True,
        False,
        False,
        False,
    ]


def test_the_same_letters_typed_on_another_keyboard_match():
    assert matches("tra\u0308d och a\u030aska o\u0308ver a\u030an", hashed(PASSPHRASE))


def test_a_hash_says_what_it_costs_and_is_never_the_same_twice():
    """32 MiB, three times over."""
    one, other = hashed(PASSPHRASE), hashed(PASSPHRASE)
    assert one != other
    assert re.match(r"\$scrypt\$ln=15,r=8,p=3\$", one)


@pytest.mark.parametrize("kept", ["", "x", "$scrypt$ln=15,r=8,p=3$AAAA$AAAA", "$2b$10$abc"])
def test_what_is_no_hash_matches_nothing(kept: str):
    assert not is_hash(kept)
    with pytest.raises(ValueError, match="not a hash"):
        matches(PASSPHRASE, kept)


def test_a_hash_that_asks_for_too_much_memory_is_not_computed():
    with pytest.raises(ValueError, match="memory"):
        matches(PASSPHRASE, hashed(PASSPHRASE).replace("ln=15", "ln=24"))
