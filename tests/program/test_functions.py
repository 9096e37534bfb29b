"""A guest function that is given something else says what it was given, and what it takes (P5 - S7)."""

from typing import Any, cast

import pytest

from connecta.failures import Failure
from connecta.program.functions import GuestFunctions
from connecta.program.output import Output
from connecta.text import Json
from tests.fixtures.desk import Desk
from tests.fixtures.scopes import bench

ELEVEN: list[Json] = [{"address": "desk.flaky"} for _ in range(11)]
MISSHAPEN: list[tuple[str, list[Json], str]] = [
    ("call", [], "Its first argument was missing."),
    ("call", [{"address": "desk.flaky"}], "Its first argument was an object."),
    ("call", ["desk.read_note", "7"], "like { id: 1 }. It got a string."),
    ("call", ["desk.read_note", ["7"]], "It got an array."),
    ("call", ["desk.read_note", {"id": "7"}, {}], "takes an address and one object. It got 3 arguments."),
    ("shortcut", ["desk", "read_note", 7], "It got a number."),
    ("shortcut", ["desk", "read_note", {"id": "7"}, {}], "desk.read_note takes one object. It got 2 arguments."),
    ("batch", [], "It got null."),
    ("batch", [{"address": "desk.flaky"}], "It got an object."),
    ("batch", [[]], "It got an array of 0."),
    ("batch", [ELEVEN], "It got an array of 11."),
    ("search", ["notes"], "connecta.search takes one object with query"),
    ("search", ["notes"], "It got a string."),
    ("search", [{"query": "notes"}, {"limit": 3}], "takes one object. It got 2 arguments."),
    ("describe", [], "It got null."),
    ("describe", ["desk.flaky"], "It got a string."),
    ("ui", ["<p>", "<p>"], "It got 2 arguments."),
    ("ui", [""], "It got an empty string."),
    ("ui", [{"html": "<p>"}], "It got an object."),
    (
        "emit",
        [{"type": "text", "text": 1, "x": None}],
        "an object with type (a string), text (a number), x (null).",
    ),
    ("emit", ["hello"], "It got a string."),
]


@pytest.mark.parametrize(("operation", "args", "says"), MISSHAPEN)
async def test_arguments_of_another_shape_are_refused_with_what_was_given(
    operation: str, args: list[Json], says: str
) -> None:
    async with bench([Desk().connector]).scope() as scope:
        with pytest.raises(Failure) as refused:
            await GuestFunctions(scope, Output(scope.limits))(operation, args)
    assert refused.value.code == "invalid_args"
    assert says in refused.value.message


@pytest.mark.parametrize(
    ("entry", "got"),
    [
        ("desk.flaky", "a string"),
        ({}, "an empty object"),
        ({"address": 7}, "an object with address (a number)"),
        ({"address": "desk.flaky", "arguments": {}}, "an object with address (a string), arguments (an object)"),
        ({str(n): 1 for n in range(9)}, "and 3 more"),
    ],
)
async def test_an_entry_of_a_batch_of_another_shape_is_an_outcome_that_says_what_it_was(entry: Json, got: str) -> None:
    """S7: one bad entry fails nothing else."""
    async with bench([Desk().connector]).scope() as scope:
        functions = GuestFunctions(scope, Output(scope.limits))
        outcomes = cast("list[Any]", await functions("batch", [[entry, {"address": "desk.flaky"}]]))
    assert [outcome["ok"] for outcome in outcomes] == [False, True]
    assert outcomes[0]["errorDetails"]["code"] == "invalid_args"
    assert got in outcomes[0]["error"]


async def test_a_defect_of_ours_is_a_failure_that_only_names_its_log_entry(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """E2."""

    def broken(*_: object) -> None:
        raise LookupError("the secret is hunter2")

    monkeypatch.setattr("connecta.program.functions.asked_search", broken)
    async with bench([Desk().connector]).scope() as scope:
        with pytest.raises(Failure) as failed:
            await GuestFunctions(scope, Output(scope.limits))("search", [])
    assert (failed.value.code, failed.value.retryable) == ("internal_error", False)
    assert "hunter2" not in failed.value.message
    assert vars(caplog.records[-1])["reference"] in failed.value.message
