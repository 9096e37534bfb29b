"""Arguments that break a schema fail before anything is sent (E8)."""

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from connecta.calls.arguments import argument_failure, check_arguments
from connecta.calls.effort import DEPTH
from connecta.connectors.model import Tool
from connecta.failures import Failure
from connecta.text import Json, JsonObject

SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "minLength": 2},
        "limit": {"type": "integer", "maximum": 5},
        "state": {"enum": ["open", "closed"]},
        "tags": {"$ref": "#/$defs/tags"},
    },
    "required": ["query"],
    "additionalProperties": False,
    "$defs": {"tags": {"type": "array", "items": {"type": "string"}}},
}


def findings(schema: Json, args: JsonObject) -> tuple[Json, Json]:
    failure = argument_failure(schema, args, "find")
    assert failure is not None
    return failure.details["findings"], failure.details["truncated"]


def test_arguments_that_fit_pass() -> None:
    check_arguments(Tool("find", input_schema=SCHEMA), {"query": "ab", "limit": 5, "tags": ["a"]})


def test_a_misspelled_key_is_answered_with_the_nearest_name() -> None:
    failure = argument_failure(SCHEMA, {"quary": "hunter2"}, "find")
    assert failure is not None
    assert failure.envelope() == {
        "code": "invalid_args",
        "message": 'The arguments of "find" do not match its input schema: "quary" is not a field, expected query; '
        '"query" is missing, expected string /* length 2.. */ (did you mean it by "quary"?).',
        "retryable": False,
        "findings": [
            {"path": "quary", "code": "unknown_key", "expected": "query"},
            {"path": "query", "code": "missing_key", "expected": "string /* length 2.. */"},
        ],
        "truncated": False,
    }


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({"query": 5}, {"path": "query", "code": "wrong_type", "expected": "string, in quotes"}),
        ({}, {"path": "query", "code": "missing_key", "expected": "string /* length 2.. */"}),
        ({"query": "a"}, {"path": "query", "code": "minLength", "expected": "at least 2 characters"}),
        ({"query": "ab", "limit": 9}, {"path": "limit", "code": "maximum", "expected": "at most 5"}),
        ({"query": "ab", "state": "hunter2"}, {"path": "state", "code": "enum", "expected": '"open" | "closed"'}),
        ({"query": "ab", "tags": ["a", 5]}, {"path": "tags[1]", "code": "wrong_type", "expected": "string, in quotes"}),
        (
            {"query": "ab", "zzzzzz": 1},
            {"path": "zzzzzz", "code": "unknown_key", "expected": "one of query, limit, state, tags"},
        ),
    ],
)
def test_a_finding_names_the_place_and_what_is_expected_there(args: JsonObject, expected: JsonObject) -> None:
    assert findings(SCHEMA, args) == ([expected], False)


def test_at_most_three_findings_come_back_and_say_that_there_were_more() -> None:
    listed, truncated = findings(SCHEMA, {"query": 1, "limit": "x", "state": "y", "tags": "z"})
    assert isinstance(listed, list)
    assert (len(listed), truncated) == (3, True)


def test_no_value_that_was_sent_comes_back() -> None:
    secret = "hunter2"
    args: JsonObject = {"query": [secret], "limit": secret, "state": secret, "tags": {"a": secret}}
    failure = argument_failure(SCHEMA, args, "find")
    assert failure is not None
    assert secret not in str(failure.envelope())


def test_a_long_path_is_clamped() -> None:
    listed, _ = findings(SCHEMA, {"query": "ab", "k" * 10_000: 1})
    assert isinstance(listed, list)
    (only,) = listed
    assert isinstance(only, dict)
    assert len(str(only["path"]).encode()) == 128


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "nonsense"},
        {"properties": {"a": {"pattern": "("}}},
        {"$schema": "https://elsewhere.example/dialect"},
        "text",
        None,
    ],
)
def test_a_schema_that_does_not_compile_passes_everything_through(schema: Json) -> None:
    assert argument_failure(schema, {"a": 1}, "find") is None


def test_a_reference_outside_the_schema_is_never_followed(tmp_path: Path) -> None:
    """A downstream's schema must not make this process fetch or read anything."""
    local = tmp_path / "schema.json"
    local.write_text('{"type": "string"}')
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        for reference in (local.as_uri(), f"http://127.0.0.1:{server.server_port}/schema"):
            assert argument_failure({"$ref": reference}, {"a": 1}, "find") is None
        server.socket.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.socket.accept()


def test_a_schema_too_deep_to_compile_passes_everything_through() -> None:
    schema: Json = {"type": "string"}
    for _ in range(5_000):
        schema = {"properties": {"a": schema}}
    assert argument_failure(schema, {"a": 1}, "find") is None


@pytest.mark.parametrize("innermost", [1, [], {}])
def test_arguments_too_deep_to_check_are_refused(innermost: Json) -> None:
    """An empty list or object is a level, too."""
    inside = 1 if innermost == 1 else 0
    args = nested(DEPTH - 1 + inside, innermost)
    assert argument_failure({"type": "object"}, args, "find") is None
    failure = argument_failure({"type": "object"}, {"a": args}, "find")
    assert failure is not None
    assert (failure.code, failure.message) == (
        "invalid_args",
        'The arguments of "find" are nested more than 100 levels deep.',
    )


def nested(levels: int, innermost: Json) -> JsonObject:
    args: JsonObject = {"a": innermost}
    for _ in range(levels - 1):
        args = {"a": args}
    return args


def test_a_pattern_made_to_backtrack_for_ever_ends() -> None:
    listed, _ = findings({"properties": {"a": {"pattern": "^(a+)+$(?=x)"}}}, {"a": "a" * 60 + "!"})
    assert isinstance(listed, list)
    assert len(listed) == 1


def test_lone_surrogates_and_huge_numbers_can_be_checked() -> None:
    """P3: every code point crosses unharmed."""
    schema: Json = {"properties": {"a": {"type": "string", "pattern": "^.$"}, "b": {"type": "integer"}}}
    assert argument_failure(schema, {"a": "\ud800", "b": 10**400}, "find") is None


def test_check_raises_what_is_wrong() -> None:
    with pytest.raises(Failure) as raised:
        check_arguments(Tool("find", input_schema=SCHEMA), {}, "shop.find")
    assert (raised.value.code, raised.value.message[:30]) == ("invalid_args", 'The arguments of "shop.find" d')
