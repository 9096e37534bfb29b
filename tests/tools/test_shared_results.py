"""A large result kept by one process and read by another: two real processes over one table ("Results")."""

import json
import time
from contextlib import closing
from typing import Any

import pytest

from connecta.limits import LIMITS
from connecta.state.client import open_client
from connecta.text import JsonObject
from tests.fixtures.dynamodb import TABLE
from tests.fixtures.odd_fleet import OTHER_TOKEN, OddFleet
from tools.events import TOKEN

MELODY = "𝄞é"
WHOLE = MELODY * 10_000
SIZED: JsonObject = {"address": "odd.sized", "args": {"text": MELODY, "times": 10_000}}


def kept(fleet: OddFleet) -> dict[str, Any]:
    return fleet.tool("call_tool", SIZED)["structuredContent"]


def read(fleet: OddFleet, id: str, **where: str) -> dict[str, Any]:
    """The whole of a kept result page by page, or the error of its first page."""
    text, offset, page = "", 0, {}
    while True:
        page = fleet.tool("get_result", {"id": id, "offset": offset, "maxBytes": 10_001}, **where)["structuredContent"]
        if "error" in page:
            return page["error"]
        assert page["offset"] == offset
        text += page["text"]
        if "nextOffset" not in page:
            return {"text": text, "totalBytes": page["totalBytes"]}
        offset = page["nextOffset"]


def test_what_one_process_keeps_the_other_reads_whole(odd_fleet: OddFleet) -> None:
    """Pages of 10,001 bytes end inside characters of two and of four bytes, and none is lost or doubled."""
    notice = kept(odd_fleet)
    assert (notice["ok"], notice["truncated"], notice["totalBytes"]) == (True, True, 60_002)
    followed = odd_fleet.tool(notice["nextAction"]["tool"], notice["nextAction"]["arguments"], url=odd_fleet.second)
    assert followed["structuredContent"]["totalBytes"] == 60_002
    result = read(odd_fleet, notice["resultId"], url=odd_fleet.second)
    assert result["totalBytes"] == 60_002
    assert json.loads(result["text"]) == WHOLE


@pytest.mark.parametrize(
    ("where", "token"), [("second", OTHER_TOKEN), ("first", OTHER_TOKEN), ("elsewhere", TOKEN)], ids=str
)
def test_another_caller_and_another_deployment_have_no_such_result(odd_fleet: OddFleet, where: str, token: str) -> None:
    id = kept(odd_fleet)["resultId"]
    assert read(odd_fleet, id, url=getattr(odd_fleet, where), token=token) == {
        "code": "not_found",
        "message": f'No result "{id}" is kept here: it expired or never existed. Make the call again.',
        "retryable": False,
    }
    assert json.loads(read(odd_fleet, id)["text"]) == WHOLE


@pytest.mark.parametrize("where", ["first", "second"])
def test_a_result_past_its_time_is_refused_though_the_table_still_has_it(odd_fleet: OddFleet, where: str) -> None:
    """DynamoDB deletes days later, so expiry is checked on read, in the process that kept it as in any other."""
    id = kept(odd_fleet)["resultId"]
    life = age(odd_fleet.table, id)
    assert abs(life - LIMITS.result_s) < 60
    assert read(odd_fleet, id, url=getattr(odd_fleet, where))["code"] == "not_found"


def age(table: str, id: str) -> float:
    """Make the kept result one that ended a second ago; how long it had still to live, in seconds."""
    with closing(open_client(table, LIMITS)) as client:
        pages = client.get_paginator("scan").paginate(TableName=TABLE)
        [item] = [each for page in pages for each in page["Items"] if each["pk"].get("S", "").endswith(id)]
        now = time.time()
        left = float(item["expires_at"].get("N", "0")) - now
        client.put_item(TableName=TABLE, Item={**item, "expires_at": {"N": str(int(now) - 1)}})
    return left


@pytest.mark.parametrize(
    ("asked", "page"),
    [
        ({"offset": 2, "maxBytes": 5}, {"text": "𝄞", "offset": 1, "nextOffset": 5, "totalBytes": 60_002}),
        ({"offset": 4, "maxBytes": 1}, {"text": "𝄞", "offset": 1, "nextOffset": 5, "totalBytes": 60_002}),
        ({"offset": 6, "maxBytes": 2}, {"text": "é", "offset": 5, "nextOffset": 7, "totalBytes": 60_002}),
        ({"offset": 60_001}, {"text": '"', "offset": 60_001, "totalBytes": 60_002}),
        ({"offset": 60_002}, {"text": "", "offset": 60_002, "totalBytes": 60_002}),
        ({"offset": 10**30}, {"text": "", "offset": 60_002, "totalBytes": 60_002}),
    ],
    ids=str,
)
def test_an_offset_inside_a_character_moves_back_and_one_past_the_end_is_the_end(
    odd_fleet: OddFleet, asked: JsonObject, page: JsonObject
) -> None:
    id = kept(odd_fleet)["resultId"]
    assert odd_fleet.tool("get_result", {"id": id, **asked}, url=odd_fleet.second)["structuredContent"] == page


def test_a_page_is_24_000_bytes_unless_asked_and_50_000_at_most(odd_fleet: OddFleet) -> None:
    id = kept(odd_fleet)["resultId"]
    ends = {
        most: odd_fleet.tool("get_result", {"id": id, **({"maxBytes": most} if most else {})})["structuredContent"]
        for most in (None, 50_000, 50_001, 10**30)
    }
    # The last of them ends inside a character of four bytes, and therefore before it.
    assert [page["nextOffset"] for page in ends.values()] == [23_999, 49_999, 49_999, 49_999]
