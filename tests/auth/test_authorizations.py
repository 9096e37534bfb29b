"""What a call shows its downstream, and how somebody brings what is missing (auth.md, "Vault and downstream OAuth")."""

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from connecta import Credential, OAuth, Token, failures
from connecta.auth.authorizations import Authorization, Authorizations
from connecta.auth.credentials import DownstreamAuth
from connecta.auth.downstream.challenge import Challenge
from connecta.auth.downstream.model import Granted, GrantStanding, NotGranted, Reason
from connecta.auth.presented import bearer
from connecta.auth.vault.keys import unusable
from connecta.auth.vault.slots import Slots
from connecta.failures import Failure
from connecta.state import State
from tests.fixtures.credentials import slots_over
from tests.web.conftest import clock, moto_url, oauth_state

__all__ = ["clock", "moto_url", "oauth_state"]

ORIGIN = "https://tools.example"
BASIC = Credential("Desk account", scheme="Basic", fields=("user", "password"))


@dataclass(frozen=True)
class Server:
    auth: DownstreamAuth | None
    id: str = "notes"
    title: str | None = "Notes"
    url: str = "https://notes.example/mcp"
    allow_private: bool = False


@dataclass
class Grants:
    """A client of an authorization server that says what it is told to."""

    granted: Granted | None = None
    next: Granted | None = None
    why: Reason = "never"
    refused: Reason | None = None
    failure: Failure | None = None
    asked: list[Any] = field(default_factory=list[Any])

    async def token(self, server: Any) -> Granted:
        return self._given(self.granted)

    async def renewed(self, server: Any, used: Granted, challenge: Challenge | None) -> Granted:
        self.asked.append((used.token, challenge))
        return self._given(self.next)

    async def begin(self, server: Any, *, origin: str, by: str, force: bool = False) -> str:
        self.asked.append((server.id, origin, by, force))
        if self.failure is not None:
            raise self.failure
        return "https://accounts.example/authorize?state=1"

    async def standing(self, server: Any) -> GrantStanding | None:
        if self.granted is None:
            return None
        return GrantStanding("https://accounts.example", "read", None, 1.0, "owner", refused=self.refused)

    def _given(self, granted: Granted | None) -> Granted:
        if granted is None:
            raise NotGranted(self.why)
        return granted


@pytest.fixture
def slots(oauth_state: State, tmp_path: Path) -> Slots:
    return slots_over(oauth_state, tmp_path)


def over(slots: Slots, grants: Grants | None = None, environ: Mapping[str, str] | None = None) -> Authorizations:
    return Authorizations(slots, cast("Any", grants or Grants()), environ or {})


async def required(authorizations: Authorizations, server: Server) -> tuple[object, str]:
    with pytest.raises(Failure) as caught:
        await authorizations.present(server, "notes.look")
    assert (caught.value.code, caught.value.details["operation"]) == ("auth_required", "notes.look")
    return caught.value.details["recovery"], caught.value.message


@pytest.mark.parametrize(
    ("auth", "values", "headers"),
    [
        (Credential(), {"value": "s3cret"}, {"authorization": "Bearer s3cret"}),
        (Credential(header="X-Key", scheme=""), {"value": "s3cret"}, {"x-key": "s3cret"}),
        (Credential(scheme="Basic"), {"value": "dTpw"}, {"authorization": "Basic dTpw"}),
        (Credential(fields=("key",)), {"key": "s3cret"}, {"authorization": "Bearer s3cret"}),
        (
            BASIC,
            {"user": "anne", "password": "p:ß"},
            {"authorization": f"Basic {b64encode('anne:p:ß'.encode()).decode()}"},
        ),
        (Credential(fields=("account", "key")), {"account": "a-1", "key": "s3cret"}, {}),
    ],
)
async def test_a_credential_is_framed_as_its_author_says(
    slots: Slots, auth: Credential, values: dict[str, str], headers: dict[str, str]
) -> None:
    """RFC 7617 for a user name and a password; of other fields none is sent."""
    await slots.put("notes", values, "owner")
    presented = await over(slots).present(Server(auth), "notes.look")
    assert (presented.headers, presented.fields) == (headers, values)


async def test_what_is_presented_is_shown_in_no_repr(slots: Slots) -> None:
    await slots.put("notes", {"value": "s3cret"}, "owner")
    presented = await over(slots).present(Server(Credential()), "notes.look")
    granted = await over(slots, Grants(Granted("t0ken", "v1"))).present(Server(OAuth()), "notes.look")
    assert "s3cret" not in repr(presented)
    assert "t0ken" not in repr(granted)


async def test_what_was_replaced_is_presented_by_the_next_call_of_every_process(slots: Slots, tmp_path: Path) -> None:
    """auth.md: rotation takes effect on the next call, in every process."""
    here, there, server = over(slots), over(slots), Server(Credential())
    await slots.put("notes", {"value": "old"}, "owner")
    assert (await here.present(server, "notes.look")).fields == {"value": "old"}
    await slots.put("notes", {"value": "new"}, "owner")
    assert [(await each.present(server, "notes.look")).fields for each in (here, there)] == [{"value": "new"}] * 2
    await slots.remove("notes")
    assert (await required(there, server))[0] == "operator_config"


@pytest.mark.parametrize("value", ["ümlaut", "日本"])
async def test_a_value_that_fits_in_no_header_asks_the_operator(slots: Slots, value: str) -> None:
    await slots.put("notes", {"value": value}, "owner")
    assert await required(over(slots), Server(Credential("Notes key"))) == (
        "operator_config",
        'The credential "Notes key" of "notes" fits in no header: the operator replaces it on the credentials page, '
        "in ASCII and without a colon in a user name.",
    )


async def test_a_user_name_with_a_colon_is_not_sent_as_another_one(slots: Slots) -> None:
    """RFC 7617 2."""
    await slots.put("notes", {"user": "a:b", "password": "s3cret"}, "owner")
    assert (await required(over(slots), Server(BASIC)))[0] == "operator_config"


async def test_a_slot_that_lacks_a_field_is_one_to_fill_in(slots: Slots) -> None:
    """The owner may have named another field since."""
    await slots.put("notes", {"value": "s3cret"}, "owner")
    wanted = '"notes" needs the credential "Desk account": the operator fills it in on the credentials page.'
    assert await required(over(slots), Server(BASIC)) == ("operator_config", wanted)


async def test_a_credential_that_cannot_be_read_any_more_is_set_again(slots: Slots, tmp_path: Path) -> None:
    await slots.put("notes", {"value": "s3cret"}, "owner")
    (tmp_path / "credentials.key").unlink()
    recovery, said = await required(over(slots), Server(Credential("Notes key")))
    assert recovery == "operator_config"
    assert said.startswith('The credential "Notes key" of "notes" cannot be read any more')


async def test_a_key_that_cannot_be_used_has_nobody_set_a_credential_again(slots: Slots, tmp_path: Path) -> None:
    """It is as it was once the owner has put the key right."""
    await slots.put("notes", {"value": "s3cret"}, "owner")
    key, server = tmp_path / "credentials.key", Server(Credential("Notes key"))
    key.chmod(0o644)
    with pytest.raises(Failure) as refused:
        await over(slots).present(server, "notes.look")
    assert refused.value.envelope() == unusable().envelope()
    key.chmod(0o600)
    assert (await over(slots).present(server, "notes.look")).headers == {"authorization": "Bearer s3cret"}


@pytest.mark.parametrize(
    ("why", "said"),
    [
        ("never", '"notes" has not been connected yet: somebody has to connect it, in a browser.'),
        ("expired", '"notes" was connected, and that has expired: somebody has to connect it, in a browser.'),
    ],
)
async def test_what_was_not_granted_is_for_somebody_to_connect(slots: Slots, why: Reason, said: str) -> None:
    assert await required(over(slots, Grants(why=why)), Server(OAuth())) == ("oauth", said)


@pytest.mark.parametrize(("status", "challenge"), [(401, None), (403, Challenge("insufficient_scope", "write"))])
async def test_a_refused_token_is_renewed_once(slots: Slots, status: int, challenge: Challenge | None) -> None:
    grants = Grants(Granted("t0ken", "v1"), Granted("t0ken-2", "v2"))
    authorizations, server = over(slots, grants), Server(OAuth())
    used = await authorizations.present(server, "notes.look")
    again = await authorizations.after_refusal(server, "notes.look", used, challenge, status=status)
    assert again.headers == {"authorization": "Bearer t0ken-2"}
    assert grants.asked == [("t0ken", challenge)]


@pytest.mark.parametrize(
    ("auth", "recovery"),
    [(None, "unavailable"), (Token("T"), "unavailable"), (Credential(), "operator_config"), (OAuth(), "oauth")],
)
async def test_a_refusal_that_nothing_else_can_meet_is_auth_required(
    slots: Slots, auth: DownstreamAuth | None, recovery: str
) -> None:
    """A 403 that does not speak of scope: another token would not do either."""
    grants = Grants(Granted("t0ken", "v1"), Granted("t0ken-2", "v2"))
    await slots.put("notes", {"value": "s3cret"}, "owner")
    authorizations, server = over(slots, grants, {"T": "t"}), Server(auth)
    used = await authorizations.present(server, "notes.look")
    with pytest.raises(Failure) as caught:
        await authorizations.after_refusal(server, "notes.look", used, Challenge(), status=403)
    assert (caught.value.code, caught.value.details["recovery"]) == ("auth_required", recovery)
    assert grants.asked == []


async def test_a_credential_replaced_while_it_was_used_is_tried(slots: Slots) -> None:
    authorizations, server = over(slots), Server(Credential())
    await slots.put("notes", {"value": "old"}, "owner")
    used = await authorizations.present(server, "notes.look")
    await slots.put("notes", {"value": "new"}, "owner")
    again = await authorizations.after_refusal(server, "notes.look", used, None, status=401)
    assert again.headers == {"authorization": "Bearer new"}


@pytest.mark.parametrize("auth", [OAuth(), Credential()])
async def test_without_a_vault_it_is_said_what_the_owner_has_to_name(auth: DownstreamAuth) -> None:
    """tools.md, "Recovery envelopes": unavailable is a sentence naming the missing configuration."""
    described = await Authorizations(environ={}).describe(Server(auth), origin=ORIGIN, by="owner")
    assert (described.recovery, described.status) == ("unavailable", "missing")
    assert "CONNECTA_KMS_KEY" in described.instructions
    assert (await required(Authorizations(environ={}), Server(auth)))[0] == "unavailable"


async def test_a_slot_is_described_by_its_page_and_its_fields_alone(slots: Slots) -> None:
    """tools.md: ``operatorUrl`` ending in ``/credentials``, and ``credential { label, fields }``."""
    empty = (await over(slots).describe(Server(BASIC), origin=ORIGIN, by="owner")).shown()
    await slots.put("notes", {"user": "anne", "password": "s3cret"}, "owner")
    filled = (await over(slots).describe(Server(BASIC), origin=ORIGIN, by="owner", force=True)).shown()
    common = {
        "recovery": "operator_config",
        "operatorUrl": "https://tools.example/credentials",
        "credential": {"label": "Desk account", "fields": ["user", "password"]},
    }
    assert {**empty, "instructions": ""} == {**common, "status": "missing", "instructions": ""}
    assert {**filled, "instructions": ""} == {**common, "status": "configured", "instructions": ""}
    assert (await slots.values("notes")) == {"user": "anne", "password": "s3cret"}


@pytest.mark.parametrize(
    ("grants", "force", "status"),
    [
        (Grants(), False, "missing"),
        (Grants(Granted("t0ken", "v1")), False, "configured"),
        (Grants(Granted("t0ken", "v1"), refused="scope"), False, "missing"),
        (Grants(Granted("t0ken", "v1")), True, "missing"),
    ],
)
async def test_a_connection_is_begun_for_whoever_has_to_agree(
    slots: Slots, grants: Grants, force: bool, status: str
) -> None:
    described = await over(slots, grants).describe(Server(OAuth()), origin=ORIGIN, by="bearer:agent", force=force)
    assert (described.recovery, described.status) == ("oauth", status)
    assert described.authorization_url == "https://accounts.example/authorize?state=1"
    assert grants.asked == [("notes", ORIGIN, "bearer:agent", force)]
    assert "t0ken" not in str(described.shown())


async def test_a_downstream_that_cannot_be_connected_says_why(slots: Slots) -> None:
    trouble = failures.call_failed("It has no authorization server.")
    described = await over(slots, Grants(failure=trouble)).describe(Server(OAuth()), origin=ORIGIN, by="owner")
    assert described == Authorization(
        "unavailable", "missing", '"notes" cannot be connected: It has no authorization server.'
    )


async def test_a_connection_that_stands_is_not_lost_to_a_downstream_that_cannot_be_asked(slots: Slots) -> None:
    grants = Grants(Granted("t0ken", "v1"), failure=failures.call_failed("It is down."))
    described = await over(slots, grants).describe(Server(OAuth()), origin=ORIGIN, by="owner")
    assert described == Authorization("oauth", "configured", '"notes" is connected.')


async def test_trouble_that_passes_is_a_failure_to_try_again(slots: Slots) -> None:
    grants = Grants(failure=failures.unavailable("The table cannot be reached."))
    with pytest.raises(Failure) as caught:
        await over(slots, grants).describe(Server(OAuth()), origin=ORIGIN, by="owner")
    assert (caught.value.code, caught.value.retryable) == ("unavailable", True)


@pytest.mark.parametrize("auth", [None, Token("T"), Credential(), OAuth()])
async def test_how_a_connector_stands_is_found_without_touching_it(slots: Slots, auth: DownstreamAuth | None) -> None:
    grants = Grants(Granted("t0ken", "v1"))
    await slots.put("notes", {"value": "s3cret"}, "owner")
    standing = await over(slots, grants, {"T": "t"}).standing(Server(auth))
    assert standing.status == ("not_needed" if auth is None else "configured")
    assert grants.asked == []


async def test_a_secret_is_recognized_however_it_is_written(slots: Slots) -> None:
    """auth.md: an upstream error quoting one is dropped whole."""
    await slots.put("notes", {"user": "anne@x", "password": 'p"ß/1'}, "owner")
    presented = await over(slots).present(Server(BASIC), "notes.look")
    pair = b64encode('anne@x:p"ß/1'.encode()).decode()
    for text in ('it is p"ß/1', r"it is p\"ß/1", r"p\"\u00df/1", "p%22%C3%9F%2F1", f"Basic {pair}", r"p\\\"ß/1"):
        assert presented.in_answer(text), text
    assert (presented.in_answer("anne@x"), presented.in_error("anne@x")) == (False, True)
    assert not presented.in_error("nothing of it")


def test_a_text_too_short_to_keep_anybody_out_costs_no_answer() -> None:
    assert [bearer(text).in_answer("abc, abcd") for text in ("abc", "abcd")] == [False, True]
