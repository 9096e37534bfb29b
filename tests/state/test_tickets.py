"""Secrets that are handed out: what they look like, and what follows from them."""

import re

import pytest

from connecta.state.tickets import Ticket, derived_id, derived_ticket, new_ticket, same, ticket_in


def test_a_ticket_is_found_again_in_its_text():
    ticket = new_ticket("cta_")
    assert re.fullmatch(r"cta_[A-Za-z0-9_-]{65}", ticket.text)
    assert ticket_in("cta_", ticket.text) == ticket
    assert ticket.text.startswith(f"cta_{ticket.id}")


def test_no_two_tickets_are_alike():
    assert len({new_ticket("cta_", "i" * 22).text for _ in range(100)}) == 100
    assert not [ticket for ticket in (new_ticket("") for _ in range(500)) if ticket.id.startswith("-")]


@pytest.mark.parametrize(
    "text", ["", "cta_", "x", "cta_" + "a" * 64, "cta_" + "a" * 66, "cta_" + "é" * 65, "ctb_" + "a" * 65]
)
def test_what_cannot_be_a_ticket_is_none(text: str):
    assert ticket_in("cta_", text) is None


def test_a_successor_follows_from_the_ticket_and_the_salt_alone():
    first, other = new_ticket("ctr_"), new_ticket("ctr_")
    successor = derived_ticket("ctr_", first, "salt")
    assert derived_ticket("ctr_", first, "salt") == successor == ticket_in("ctr_", successor.text)
    assert successor.id == first.id
    others = {
        derived_ticket("ctr_", first, "another").text[-43:],
        derived_ticket("cto_", first, "salt").text[-43:],
        derived_ticket("ctr_", Ticket(first.id, other.text), "salt").text[-43:],
        successor.text[-43:],
        first.text[-43:],
    }
    assert len(others) == 5


def test_an_id_follows_from_a_ticket_and_a_purpose():
    ticket = new_ticket("ctk_")
    assert derived_id(ticket, "grant") == derived_id(ticket, "grant")
    assert len({derived_id(ticket, "grant"), derived_id(ticket, "else"), derived_id(new_ticket("ctk_"), "grant")}) == 3


def test_a_ticket_does_not_tell_its_secret_where_it_is_printed():
    ticket = new_ticket("ctr_")
    assert repr(ticket) == f"Ticket(id={ticket.id!r})"


def test_digests_are_compared_whole():
    assert same(new_ticket("a", "b").digest, "") is False
    assert same("é", "é") is True
