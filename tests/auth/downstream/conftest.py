"""Downstream OAuth over a real table and a real key, against real authorization servers."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from connecta.auth.downstream.oauth import DownstreamOAuth
from connecta.state import State
from tests.auth.downstream.deployments import Notes, oauth_over
from tests.auth.downstream.downstreams import (
    NodeDownstream,
    SdkDownstream,
    node_downstream,
    sdk_downstream,
)
from tests.fixtures.node import NodeProject, installed_project
from tests.fixtures.sam import ROOT
from tests.web.conftest import clock, moto_url, oauth_state

__all__ = ["clock", "moto_url", "oauth_state"]


@pytest.fixture
def oauth(oauth_state: State, tmp_path: Path) -> DownstreamOAuth:
    return oauth_over(oauth_state, tmp_path)


@pytest.fixture(scope="session")
def sdk() -> Iterator[SdkDownstream]:
    """One for the session: a test says what it should do wrong before it begins."""
    with sdk_downstream() as running:
        yield running


@pytest.fixture(scope="session")
def node_project() -> NodeProject:
    return installed_project(ROOT / "tests/sign_in")


@pytest.fixture(scope="session")
def node(node_project: NodeProject, tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeDownstream]:
    with node_downstream(node_project, tmp_path_factory.mktemp("node")) as running:
        yield running


@pytest.fixture
async def desk(sdk: SdkDownstream) -> SdkDownstream:
    """The SDK's, behaving."""
    await sdk.told()
    return sdk


@pytest.fixture
def notes(desk: SdkDownstream) -> Notes:
    return Notes(f"{desk.origin}/mcp")
