from pathlib import Path

import pytest

from tests.fixtures.node import NodeProject, installed_project

FOLDER = Path(__file__).parent


@pytest.fixture(scope="session")
def conformance() -> NodeProject:
    return installed_project(FOLDER)
