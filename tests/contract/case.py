"""A case of the contract: what it proves, and the check that a real endpoint has to pass."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.contract.endpoint import Endpoint
from tests.contract.reading import failed

Check = Callable[[Endpoint], None]


@dataclass(frozen=True)
class Case:
    """``name`` is a sentence, unique in the table. ``serial`` says whether an endpoint that serves one request at a
    time can show it, ``hasty`` whether it waits for a bound of time, and so wants short ones."""

    name: str
    clauses: tuple[str, ...]
    check: Check
    serial: bool = True
    hasty: bool = False


@dataclass(frozen=True, eq=False)
class Says:
    """Equal to every text that has all of ``parts`` in it: for messages whose wording is free and content is not."""

    parts: tuple[str, ...]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and all(part in other for part in self.parts)

    def __hash__(self) -> int:
        return hash(self.parts)


def says(*parts: str) -> Says:
    return Says(parts)


def assert_same(actual: object, expected: object) -> None:
    """Equal as JSON: ``true`` is not 1, and 1.0 is not 1."""
    assert actual == expected
    assert json.dumps(actual, sort_keys=True) == json.dumps(expected, sort_keys=True)


def returns(name: str, clauses: tuple[str, ...], program: str, value: object) -> Case:
    """The program's envelope is ``{ result: value }`` and nothing else, alike in text and structuredContent (R6)."""

    def check(endpoint: Endpoint) -> None:
        result = endpoint.run(program)
        assert [block["type"] for block in result["content"]] == ["text"]
        text = result["content"][0]["text"]
        assert not result.get("isError"), text
        assert_same(json.loads(text), {"result": value})
        assert_same(result["structuredContent"], {"result": value})

    return Case(name, clauses, check)


def fails(
    name: str, clauses: tuple[str, ...], program: str, error: Mapping[str, object], logs: str | None = None
) -> Case:
    """The program's answer is an error, ``{ error, logs? }`` as a whole (E1)."""
    expected: dict[str, object] = {"error": dict(error), **({} if logs is None else {"logs": logs})}

    def check(endpoint: Endpoint) -> None:
        assert failed(endpoint.run(program)) == expected

    return Case(name, clauses, check)


def checks(name: str, clauses: tuple[str, ...], function: Check, *, serial: bool = True, hasty: bool = False) -> Case:
    """A case of several steps."""
    return Case(name, clauses, function, serial, hasty)


def value_of(endpoint: Endpoint, program: str) -> Any:
    """What the program returned; it has to succeed."""
    result = endpoint.run(program)
    assert not result.get("isError"), result["content"][0]["text"][:2_000]
    return json.loads(result["content"][0]["text"])["result"]
