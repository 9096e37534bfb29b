"""Who may still come in after having signed in once (auth.md: e-mail or subject allow-list)."""

import pytest

from connecta.auth.sign_in.config import OidcProvider, Passphrase, SignIn
from connecta.auth.sign_in.passphrases import OWNER
from connecta.auth.sign_in.sessions import Person
from connecta.state.grants import Grantor

ISSUER = "https://id.example.com"
PROVIDER = OidcProvider(ISSUER, "connecta", ["ada@example.com", "77"])


@pytest.mark.parametrize(
    ("sign_in", "person", "let_in"),
    [
        (PROVIDER, Grantor("1", "Ada@Example.com", ISSUER), True),
        (PROVIDER, Grantor("77", "", ISSUER), True),
        (PROVIDER, Grantor("78", "", ISSUER), False),
        (PROVIDER, Grantor("1", "eve@example.com", ISSUER), False),
        # A subject is a name at one provider; another's means somebody else.
        (PROVIDER, Grantor("77", "ada@example.com", "https://other.example.com"), False),
        (PROVIDER, Grantor("owner", "", ""), False),
        (PROVIDER, Grantor("77", "", ""), False),
        (OidcProvider(ISSUER, "connecta", ["7", ""]), Grantor("8", "", ISSUER), False),
        (Passphrase(), Grantor("owner", "", ""), True),
        (Passphrase(), OWNER, True),
        (Passphrase(), Person("77", "Ada", "ada@example.com", ISSUER), False),
    ],
)
def test_the_list_is_of_this_provider_and_the_passphrase_lets_in_who_knew_it(
    sign_in: SignIn, person: Grantor | Person, let_in: bool
) -> None:
    assert sign_in.lets_in(person) is let_in
