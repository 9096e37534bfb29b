"""The main job through the official TypeScript client, on the local server and on the built artifact."""

import json
from typing import Any

import pytest

from tests.fixtures.job import JOB_PROGRAM, TOOL_NAMES, check_job_result
from tests.fixtures.node import NodeProject
from tests.fixtures.served import TOKEN

ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28", "2026-07-28": "2026-07-28"}


def check(seen: dict[str, Any], revision: str) -> None:
    assert seen["protocolVersion"] == revision
    assert seen["tools"] == TOOL_NAMES
    check_job_result(seen["result"])
    assert seen["kept"]["_meta"]["connecta/ui"] == seen["result"]["_meta"]["connecta/ui"]
    assert "<h1>" not in json.dumps(seen["kept"]["content"])


@pytest.mark.parametrize(("era", "revision"), ERAS.items())
def test_the_typescript_client_does_the_job_on_the_local_server(
    node_project: NodeProject, shop_endpoint: str, era: str, revision: str
) -> None:
    """P1, A2, S1, S5, E4, M2, U3."""
    check(node_project.run_json("client.js", shop_endpoint, era, stdin=JOB_PROGRAM), revision)


@pytest.mark.parametrize(("era", "revision"), ERAS.items())
def test_the_typescript_client_does_the_job_on_the_built_artifact_behind_the_gateway(
    node_project: NodeProject, gateway_endpoint: str, era: str, revision: str
) -> None:
    check(node_project.run_json("client.js", gateway_endpoint, era, TOKEN, stdin=JOB_PROGRAM), revision)
