"""Authorization codes (auth.md: single use, 60 s, atomic pop)."""

import asyncio
from dataclasses import replace

from connecta.limits import LIMITS
from connecta.state.codes import Authorization
from connecta.state.tickets import Ticket, ticket_in
from tests.fixtures.dynamodb import Clock, StateOpener

AUTHORIZATION = Authorization(
    client="desk",
    label="The Desk",
    subject="owner",
    redirect_uri="https://desk.example/callback",
    challenge="c" * 43,
    scope="mcp",
    resource="https://tools.example.com/mcp",
)


async def test_a_code_stands_for_what_was_agreed_to_once(open_here: StateOpener):
    codes = open_here().codes
    code = await codes.issue(AUTHORIZATION)
    assert await codes.redeem(code) == (ticket_in("ctk_", code), AUTHORIZATION)
    assert await codes.redeem(code) == ticket_in("ctk_", code)


async def test_of_many_who_redeem_a_code_at_once_one_gets_what_it_stands_for(open_here: StateOpener):
    codes = open_here().codes
    code = await codes.issue(AUTHORIZATION)
    answers = await asyncio.gather(*(codes.redeem(code) for _ in range(8)))
    assert sum(isinstance(answer, tuple) for answer in answers) == 1


async def test_a_code_is_good_for_a_minute(open_here: StateOpener):
    clock = Clock()
    codes = open_here(now=clock).codes
    code = await codes.issue(AUTHORIZATION)
    clock.seconds += LIMITS.code_s + 1
    assert isinstance(await codes.redeem(code), Ticket)


async def test_a_code_is_worth_nothing_elsewhere_or_changed(open_here: StateOpener):
    here, elsewhere = open_here(), open_here("elsewhere")
    code = await here.codes.issue(AUTHORIZATION)
    assert isinstance(await elsewhere.codes.redeem(code), Ticket)
    other_end = "A" if code[-1] != "A" else "B"
    assert isinstance(await here.codes.redeem(code[:-1] + other_end), Ticket)
    assert await here.codes.redeem("no code") is None
    # Somebody who has half a code is no reason to let its other half in.
    assert isinstance(await here.codes.redeem(code), Ticket)


async def test_the_table_does_not_hold_the_code(open_here: StateOpener):
    state = open_here()
    code = await state.codes.issue(replace(AUTHORIZATION, label=""))
    again = await state.codes.redeem(code)
    assert isinstance(again, tuple)
    assert again[1].label == ""
    assert code not in repr(again)
