"""What is kept of the browser's reports, when anything may send one."""

import json
from typing import Any

import pytest

from connecta.local.preview.reports import Reports


def name(number: int) -> str:
    return f"{number:032x}"


def report(**fields: Any) -> bytes:
    return json.dumps({"csp-report": fields}).encode()


def test_the_fields_of_older_browsers_are_read_too() -> None:
    reports = Reports()
    assert reports.begin(name(1))
    reports.add(
        name(1), report(**{"violated-directive": "script-src-elem", "blocked-uri": "inline", "script-sample": "x()"})
    )
    assert reports.of(name(1)) == [{"directive": "script-src-elem", "blocked": "inline", "sample": "x()"}]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff",
        b"[]",
        b"1",
        b"null",
        b'{"csp-report": null}',
        b'{"csp-report": []}',
        b'{"other": {}}',
        b"[" * 16_000,
    ],
)
def test_what_is_no_report_is_dropped(body: bytes) -> None:
    reports = Reports()
    reports.begin(name(1))
    reports.add(name(1), body)
    assert reports.of(name(1)) == []


def test_fields_that_are_no_text_are_left_out_and_long_ones_cut() -> None:
    reports = Reports()
    reports.begin(name(1))
    reports.add(name(1), report(**{"effective-directive": {"a": 1}, "blocked-uri": "u" * 5_000}))
    assert reports.of(name(1)) == [{"directive": "", "blocked": "u" * 300, "sample": ""}]


def test_a_view_that_violates_without_end_fills_no_memory() -> None:
    reports = Reports()
    reports.begin(name(1))
    for _ in range(1_000):
        reports.add(name(1), report(**{"blocked-uri": "x"}))
    assert len(reports.of(name(1))) == 200


def test_only_the_last_runs_are_remembered() -> None:
    reports = Reports()
    for number in range(30):
        assert reports.begin(name(number))
        reports.add(name(number), report(**{"blocked-uri": "x"}))
    assert [len(reports.of(name(number))) for number in (0, 9, 10, 29)] == [0, 0, 1, 1]


@pytest.mark.parametrize("run", ["", "x" * 32, name(1).upper() + "A", name(1) + "\n", "é" * 32])
def test_a_run_is_named_by_128_bits(run: str) -> None:
    assert not Reports().begin(run)
