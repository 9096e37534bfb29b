"""The main job's view, live: a host calls the tool, reads its shell and shows what the program rendered."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.apps.driver import NONE, Driver, Live, Report, Scenario, Until
from tests.fixtures.job import JOB_PROGRAM, check_job_result
from tests.fixtures.served import TOKEN


def job(url: str, token: str | None = None) -> Scenario:
    return Scenario(until=Until(text="Total"), live=Live(url, {"code": JOB_PROGRAM}, token=token))


def check_shown(report: Report) -> None:
    assert report.complaints == NONE
    assert report.result is not None
    check_job_result(report.result)
    assert report.payload.text.startswith("Shipped orders")
    assert report.payload.origin == "null"
    assert report.payload.height >= report.payload.content > 50
    assert report.height == report.sizes[-1] >= report.payload.height
    assert report.view.text == ""
    assert report.teardown == {}


def test_a_host_shows_what_the_program_rendered(host: Driver, shop_endpoint: str, tmp_path: Path) -> None:
    """U3, U5, U6: visible at its full height, no console error, no policy violation, nothing asked of the host."""
    report = host.play(replace(job(shop_endpoint), screenshot=tmp_path / "shown.png"))
    check_shown(report)
    assert report.executed == []
    assert (tmp_path / "shown.png").stat().st_size > 1000


def test_a_host_shows_what_the_built_artifact_behind_the_gateway_rendered(host: Driver, gateway_endpoint: str) -> None:
    report = host.play(job(gateway_endpoint, TOKEN))
    check_shown(report)
    assert report.executed == []


@pytest.mark.parametrize("served", ["shop_endpoint", "gateway_endpoint"])
def test_a_host_that_strips_meta_lets_the_view_fetch_its_payload_by_id(
    host: Driver, request: pytest.FixtureRequest, served: str
) -> None:
    """U3: the id stands in the envelope's text, and ``get_result`` is the one tool a view may call."""
    url: str = request.getfixturevalue(served)
    report = host.play(replace(job(url, TOKEN if served == "gateway_endpoint" else None), strips=True))
    check_shown(report)
    assert report.result is not None
    view = check_job_result(report.result)
    assert report.executed == [{"name": "tools/call", "params": {"name": "get_result", "arguments": {"id": view}}}]


def test_a_program_without_a_view_leaves_one_pixel(host: Driver, shop_endpoint: str) -> None:
    """U6."""
    call = Live(shop_endpoint, {"code": "async () => 7"})
    report = host.play(Scenario(until=Until(height=1), live=call))
    assert report.complaints == NONE
    assert (report.height, report.view.text, "payload" in report.frames) == (1, "", False)


def test_a_program_that_failed_leaves_one_pixel(host: Driver, shop_endpoint: str) -> None:
    """U3, U6: the view of a failed run is discarded."""
    call = Live(shop_endpoint, {"code": "async () => { await connecta.ui('<p>gone</p>'); throw new Error('no'); }"})
    report = host.play(Scenario(until=Until(height=1), live=call))
    assert report.complaints == NONE
    assert (report.height, report.view.text, "payload" in report.frames) == (1, "", False)
