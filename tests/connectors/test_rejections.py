"""Arguments the advertised schema lets through and a tool's annotations do not: one vocabulary for both (E8)."""

import datetime
import uuid
from collections.abc import Iterable
from decimal import Decimal
from typing import Annotated, Literal, cast

import pytest
from pydantic import AfterValidator, BaseModel, Field

from connecta import Context, api
from connecta.calls.arguments import check_arguments
from connecta.connectors import rejections
from connecta.failures import Failure
from connecta.limits import LIMITS
from connecta.text import Json, JsonObject, dotted

SECRET = "hunter2"


class Cat(BaseModel):
    kind: Literal["cat"]
    born: datetime.date


class Dog(BaseModel):
    kind: Literal["dog"]
    born: datetime.date


def even(number: int) -> int:
    if number % 2:
        raise ValueError(SECRET)
    return number


things = api("things", base_url="https://things.example")


@things.tool(read_only=True)
async def look(
    ctx: Context,
    on: datetime.date | None = None,
    at: datetime.datetime | None = None,
    pet: Annotated[Cat | Dog | None, Field(discriminator="kind")] = None,
    any_pet: Cat | Dog | None = None,
    ids: list[uuid.UUID] | None = None,
    days: dict[str, datetime.date] | None = None,
    number: Annotated[int, AfterValidator(even)] = 0,
    price: Decimal = Decimal(0),
    size: Literal["s", "m"] = "s",
    code: Annotated[str, Field(min_length=1)] = "a",
) -> object:
    """Look."""
    return None


def finding(path: str, code: str, expected: str) -> JsonObject:
    return {"path": path, "code": code, "expected": expected}


async def told(args: JsonObject) -> JsonObject:
    """The failure of a call whose arguments the schema lets through."""
    connection = things.open()
    (tool,) = await connection.list_tools()
    check_arguments(tool, args)
    with pytest.raises(Failure) as caught:
        await connection.call(tool, args, 5.0)
    await connection.close()
    assert SECRET not in str(caught.value.envelope())
    return caught.value.envelope()


HALF = "well-formed text, without half of a surrogate pair: repair it, for example with toWellFormed()"


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({"on": SECRET}, finding("on", "format", "format date")),
        ({"at": SECRET}, finding("at", "format", "format date-time")),
        ({"pet": {"kind": "dog", "born": SECRET}}, finding("pet.born", "format", "format date")),
        ({"any_pet": {"kind": "dog", "born": SECRET}}, finding("any_pet.born", "format", "format date")),
        ({"ids": [str(uuid.UUID(int=1)), SECRET]}, finding("ids[1]", "format", "format uuid")),
        ({"days": {"first": SECRET}}, finding("days.first", "format", "format date")),
        ({"number": 3}, finding("number", "mismatch", "integer that the tool accepts")),
        ({"price": "1,5"}, finding("price", "mismatch", "number or string that the tool accepts")),
        ({"code": "\ud800"}, finding("code", "format", HALF)),
        ({"days": {"\x1b[2J": SECRET}}, finding("days.\ufffd[2J", "format", "format date")),
    ],
)
async def test_what_only_the_annotations_reject_is_told_like_what_the_schema_does(
    args: JsonObject, expected: JsonObject
) -> None:
    said = f'"{expected["path"]}" must be {expected["expected"]}'
    assert await told(args) == {
        "code": "invalid_args",
        "message": f'The arguments of "things.look" do not match its input schema: {said}.',
        "retryable": False,
        "findings": [expected],
        "truncated": False,
    }


async def test_no_more_than_three_are_told_and_the_rest_is_said_to_be_there() -> None:
    failure = await told({"on": "x", "at": "x", "ids": ["x", "y"], "number": 1})
    dates = [finding("on", "format", "format date"), finding("at", "format", "format date-time")]
    assert failure["findings"] == [*dates, finding("ids[0]", "format", "format uuid")]
    assert failure["truncated"] is True


async def test_of_very_many_only_that_is_told() -> None:
    """To find out where each of them is would take longer than the call has."""
    over = "values that the tool accepts, which over 10,000 are not"
    ids: list[Json] = ["x"] * 10_000
    assert (await told({"ids": [*ids, "x"]}))["findings"] == [finding("", "mismatch", over)]
    failure = await told({"ids": ids})
    assert failure["findings"] == [finding(f"ids[{at}]", "format", "format uuid") for at in range(3)]
    assert failure["truncated"] is True


async def test_no_more_are_looked_at_than_can_be_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of places whose names are only different where they are cut."""
    looked_at: list[str] = []

    def counted(steps: Iterable[str | int], limit: int) -> str:
        looked_at.append(found := dotted(steps, limit))
        return found

    monkeypatch.setattr(rejections, "dotted", counted)
    await told({"ids": list[Json](["x"] * 1_000)})
    assert len(looked_at) == LIMITS.findings + 1
    looked_at.clear()
    await told({"days": {f"{'long' * 40}{at}": "x" for at in range(1_000)}})
    assert len(looked_at) == 100


@pytest.mark.parametrize(
    ("args", "path", "code"),
    [
        ({"size": "l"}, "size", "enum"),
        ({"number": "x"}, "number", "wrong_type"),
        ({"number": []}, "number", "wrong_type"),
        ({"nunber": 2}, "nunber", "unknown_key"),
        ({"pet": {"kind": "cat"}}, "pet.born", "missing_key"),
    ],
)
async def test_both_name_the_same_place_by_the_same_code(args: JsonObject, path: str, code: str) -> None:
    """What the schema finds first, the annotations would have called the same."""
    connection = things.open()
    (tool,) = await connection.list_tools()
    with pytest.raises(Failure) as by_schema:
        check_arguments(tool, args)
    with pytest.raises(Failure) as by_annotations:
        await connection.call(tool, args, 5.0)
    await connection.close()
    assert [places(caught.value) for caught in (by_schema, by_annotations)] == [[(path, code)]] * 2


def places(failure: Failure) -> list[tuple[object, object]]:
    found = cast("list[JsonObject]", failure.details["findings"])
    return [(each["path"], each["code"]) for each in found]
