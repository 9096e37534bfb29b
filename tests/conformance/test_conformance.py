"""The official conformance suite against the example shop on the local server."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.expected import EXPECTED, EXTENSIONS
from tests.fixtures.node import NodeProject

FOLDER = Path(__file__).parent
SUITE = FOLDER / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
RUN_S = 500.0
TIME = re.compile(r"-\d{4}-\d{2}-\d{2}T[\dZ-]+$")


def checks_of(project: NodeProject, url: str, revision: str, folder: Path) -> dict[str, list[dict[str, Any]]]:
    """The checks of each scenario that ``revision`` requires, with what came of them."""
    # Unless it is given longer, a scenario that takes its 30 s here counts as failed.
    command = [project.node, SUITE, "server", "--url", url, "--requirements", revision, "--timeout", "120000"]
    done = subprocess.run([*command, "-o", folder], cwd=FOLDER, capture_output=True, text=True, timeout=RUN_S)
    found: dict[str, list[dict[str, Any]]] = {}
    for file in folder.glob("*/checks.json"):
        scenario = TIME.sub("", file.parent.name).removeprefix("server-")
        found[scenario] = json.loads(file.read_text())
    assert found, done.stderr[-4_000:]
    return found


@pytest.mark.parametrize("revision", EXPECTED)
def test_of_what_a_revision_requires_only_what_needs_something_that_is_not_here_fails(
    revision: str, shop_endpoint: str, conformance: NodeProject, tmp_path: Path
):
    """A check that begins to pass is to be taken off the list."""
    found = checks_of(conformance, shop_endpoint, revision, tmp_path)
    expected = {name: ids for reason in EXPECTED[revision].values() for name, ids in reason.items()}
    failed: dict[str, set[str]] = {}
    surprises: list[dict[str, Any]] = []
    for scenario, checks in found.items():
        failures = [check for check in checks if check["status"] == "FAILURE"]
        if failures and not scenario.startswith(EXTENSIONS):
            failed[scenario] = {check["id"] for check in failures}
            surprises += [check for check in failures if check["id"] not in expected.get(scenario, set())]
    assert failed == expected, surprises[:3]
    assert sum(check["status"] == "SUCCESS" for checks in found.values() for check in checks) > 30
