"""Credentials that are filled in on ``/credentials``, and tried there (auth.md "Operator pages")."""

import pytest

from connecta.auth.vault.slots import Slots
from connecta.composition import Application
from tests.fixtures.keyed_mcp import KeyedMcp
from tests.fixtures.operated import KEY
from tests.web.operator.conftest import Person, alert_in


async def test_a_credential_is_set_tested_replaced_and_removed(house: Application, person: Person, shelf: KeyedMcp):
    """And used by the next call, in this process and every other."""
    told = await person.told("/credentials/shelf/set", "/credentials", **{"value-value": "a wrong key"})
    assert told == "The credential for Book shelf is set. It is used from the next call on."
    refused = await person.send("/credentials/shelf/test", "/credentials")
    assert (refused.status_code, alert_in(refused)) == (
        422,
        "Book shelf did not take the credential. Look whether it is whole and still valid, and set it again.",
    )
    assert "a wrong key" not in refused.text
    await person.told("/credentials/shelf/set", "/credentials", **{"value-value": KEY})
    told = await person.told("/credentials/shelf/test", "/credentials")
    assert told == "Book shelf takes the credential: it lists 1 tool."
    assert "tools/list" in shelf.asked
    told = await person.told("/credentials/shelf/remove", "/credentials")
    assert told == "The credential for Book shelf is removed. Agents cannot use the connector until it is set again."
    assert await house.state.credentials.read("shelf") is None
    assert '<span class="state warn">Not set</span>' in (await person.get("/credentials")).text


async def test_a_downstream_that_is_down_does_not_say_that_the_credential_is_bad(person: Person, shelf: KeyedMcp):
    await person.told("/credentials/shelf/set", "/credentials", **{"value-value": KEY})
    shelf.is_down = True
    refused = await person.send("/credentials/shelf/test", "/credentials")
    assert refused.status_code == 422
    assert alert_in(refused).endswith("Whether the credential is good is not known; test it again later.")


async def test_an_api_s_credential_is_only_read_when_it_is_tested(person: Person):
    fields = {"value-user": "ada", "value-password": "a password of the desk"}
    await person.told("/credentials/front-desk/set", "/credentials", **fields)
    told = await person.told("/credentials/front-desk/test", "/credentials")
    assert told.startswith("The credential for Front desk can be read. No call was made with it: ")


async def test_a_pair_that_no_header_can_carry_is_refused(house: Application, person: Person):
    """RFC 7617 2: the colon ends the user name."""
    fields = {"value-user": "a:da", "value-password": "a password of the desk"}
    answer = await person.send("/credentials/front-desk/set", "/credentials", **fields)
    assert (answer.status_code, alert_in(answer)) == (
        422,
        "A user name with a colon in it cannot be sent. Nothing was changed.",
    )
    assert await house.state.credentials.read("front-desk") is None


@pytest.mark.parametrize(
    ("id", "label", "fields"),
    [
        ("shelf", "API key", {"value-value": ""}),
        ("front-desk", "Password", {"value-user": "ada", "value-password": ""}),
    ],
)
async def test_a_field_is_called_what_the_form_calls_it(person: Person, id: str, label: str, fields: dict[str, str]):
    answer = await person.send(f"/credentials/{id}/set", "/credentials", **fields)
    assert (answer.status_code, alert_in(answer)) == (422, f'"{label}" is empty: fill it in. Nothing was changed.')


@pytest.mark.parametrize(
    ("id", "kept", "said"),
    [
        ("front-desk", {"user": "ada"}, "What is set for Front desk is incomplete: set it again."),
        ("shelf", {"key": KEY}, "What is set for Book shelf is incomplete: set it again."),
        ("shelf", {"value": "clé"}, "What is set for Book shelf fits in no HTTP header: set it again."),
    ],
)
async def test_what_was_kept_before_the_deployment_asked_for_something_else_is_not_tried(
    house: Application, person: Person, shelf: KeyedMcp, id: str, kept: dict[str, str], said: str
):
    assert house.vault is not None
    await Slots(house.state.credentials, house.vault).put(id, kept, "owner")
    refused = await person.send(f"/credentials/{id}/test", "/credentials")
    assert (refused.status_code, alert_in(refused), shelf.refused) == (422, said, 0)


@pytest.mark.parametrize("value", ["", " ", "a\r\nb", "x" * 70_000, "  a", "clé"])
async def test_a_value_that_cannot_be_kept_is_refused_at_its_form_and_not_repeated(
    house: Application, person: Person, value: str
):
    answer = await person.send("/credentials/shelf/set", "/credentials", **{"value-value": value})
    assert answer.status_code in (400, 422)
    assert "Nothing was changed." in answer.text
    assert await house.state.credentials.read("shelf") is None
