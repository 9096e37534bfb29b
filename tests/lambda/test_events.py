"""The samples in ``events/``, as files and through the built artifact in Lambda's runtime loop."""

import json
from typing import Any

import pytest

from connecta.catalog.refresh import refresh_in
from tests.fixtures.rie import RunningFunction, body_of
from tests.fixtures.sam import ROOT
from tools.events import render, samples

EVENTS = ROOT / "events"
REFRESH = "refresh.json"
REQUESTS = sorted(samples().keys() - {REFRESH})


def event(name: str) -> dict[str, Any]:
    return json.loads((EVENTS / name).read_text())


def answer_to(function: RunningFunction, name: str) -> dict[str, Any]:
    response = function.invoke(event(name))
    assert response.get("statusCode") == 200, response
    return body_of(response)["result"]


def test_the_files_are_what_the_generator_writes() -> None:
    assert {path.name: path.read_text() for path in EVENTS.iterdir()} == {
        name: render(sample) for name, sample in samples().items()
    }


@pytest.mark.parametrize("name", REQUESTS)
def test_every_sample_request_is_answered(rie_function: RunningFunction, name: str) -> None:
    response = rie_function.invoke(event(name))
    assert response.get("statusCode") == 200, response
    assert body_of(response).keys() == {"jsonrpc", "id", "result"}


def test_what_the_function_sends_to_itself_is_done_and_answers_nobody(rie_function: RunningFunction) -> None:
    """In the shape it is sent in; what it names is of no deployment, so there is nothing to do."""
    sent = event(REFRESH)
    refresh = refresh_in(sent)
    assert refresh is not None
    assert refresh.event() == sent
    assert rie_function.invoke(sent) is None


def test_both_eras_meet_the_same_server(rie_function: RunningFunction) -> None:
    initialized = answer_to(rie_function, "initialize.json")
    discovered = answer_to(rie_function, "discover.json")
    assert initialized["protocolVersion"] == "2025-11-25"
    assert "2026-07-28" in discovered["supportedVersions"]
    assert initialized["instructions"] == discovered["instructions"]


def test_the_program_runs_in_its_sandbox_inside_the_artifact(rie_function: RunningFunction) -> None:
    result = answer_to(rie_function, "program.json")
    assert result.get("isError", False) is False, result
    assert result["structuredContent"]["result"]["squares"] == [1, 4, 9]


def test_the_view_arrives_beside_the_result(rie_function: RunningFunction) -> None:
    """U3: the HTML under ``_meta``, its id in the envelope."""
    result = answer_to(rie_function, "view.json")
    html = "<h1>This week</h1><ul><li>Mon: 1</li><li>Tue: 2</li><li>Wed: 3</li></ul>"
    assert result["_meta"]["connecta/ui"] == {"html": html}
    assert result["structuredContent"]["ui"] is True


def test_the_shell_is_read_as_an_app(rie_function: RunningFunction) -> None:
    [contents] = answer_to(rie_function, "resources-read.json")["contents"]
    assert contents["uri"] == "ui://connecta/program-ui/v2"
    assert contents["mimeType"] == "text/html;profile=mcp-app"
