"""The two surfaces every case is run against: the local server, and the built artifact in Lambda's runtime loop."""

import json
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

import pytest

from examples.shop.servers import serving_process
from tests.contract.endpoint import HASTY, Downstream, Endpoint
from tests.fixtures.artifact import Artifact
from tests.fixtures.dynamodb import TABLE, running_moto
from tests.fixtures.local_server import running_local_server
from tests.fixtures.rie import body_of, running_function
from tests.fixtures.sam import ROOT
from tools.events import TOKEN

# The cases assert outside of test modules.
pytest.register_assert_rewrite(
    *(f"tests.contract.{path.stem}" for path in Path(__file__).parent.glob("ca*.py")), "tests.contract.reading"
)

DEPLOYMENT = "tests.contract.deployment:deployment"
LOADS_EVERY_CATALOG = "async () => (await connecta.search()).total"
NOT_SENT = frozenset({"accept-encoding", "host", "x-forwarded-for", "x-forwarded-port", "x-forwarded-proto"})
"""Headers that the gateway and the HTTP client add."""


@pytest.fixture(scope="session")
def downstream() -> Iterator[Downstream]:
    with serving_process("tests.contract.downstream", 0) as url:
        yield Downstream(url)


@pytest.fixture(scope="session")
def local_surface(downstream: Downstream, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
    with local(downstream, tmp_path_factory.mktemp("contract"), {}) as endpoint:
        yield endpoint


@pytest.fixture(scope="session")
def local_hasty_surface(downstream: Downstream, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
    with local(downstream, tmp_path_factory.mktemp("contract"), HASTY) as endpoint:
        yield endpoint


@pytest.fixture(scope="session")
def lambda_surface(
    downstream: Downstream, lambda_artifact: Artifact, dynamodb_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Endpoint]:
    with built(downstream, lambda_artifact, dynamodb_url, tmp_path_factory.mktemp("function"), {}) as endpoint:
        yield endpoint


@pytest.fixture(scope="session")
def lambda_hasty_surface(
    downstream: Downstream, lambda_artifact: Artifact, dynamodb_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Endpoint]:
    with built(downstream, lambda_artifact, dynamodb_url, tmp_path_factory.mktemp("function"), HASTY) as endpoint:
        yield endpoint


@pytest.fixture(scope="session")
def dynamodb_url() -> Iterator[str]:
    with running_moto() as url:
        yield url


@pytest.fixture
def endpoint(request: pytest.FixtureRequest, downstream: Downstream) -> Endpoint:
    """The surface a test is parametrized with, with nothing recorded yet."""
    surface: Endpoint = request.getfixturevalue(f"{request.param}_surface")
    downstream.reset()
    return surface


def environment(downstream: Downstream, limits: Mapping[str, float]) -> dict[str, str]:
    return {"CONTRACT_URL": downstream.url, "CONTRACT_LIMITS": json.dumps(limits), "CONNECTA_TOKEN": TOKEN}


@contextmanager
def local(downstream: Downstream, data: Path, limits: Mapping[str, float]) -> Generator[Endpoint]:
    with running_local_server(data, DEPLOYMENT, environment(downstream, limits)) as server:
        opener = build_opener(ProxyHandler({}))

        def send(event: dict[str, Any]) -> dict[str, Any]:
            headers = {name: value for name, value in event["headers"].items() if name not in NOT_SENT}
            try:
                with opener.open(Request(server.url, event["body"].encode(), headers), timeout=40) as answer:
                    return json.load(answer)
            except HTTPError as refused:
                # A JSON-RPC error has an HTTP status that says so, too.
                with refused:
                    return json.load(refused)

        yield warmed(Endpoint(send, downstream, server.log))


@contextmanager
def built(
    downstream: Downstream, artifact: Artifact, dynamodb_url: str, folder: Path, limits: Mapping[str, float]
) -> Generator[Endpoint]:
    environ = {
        **environment(downstream, limits),
        "AWS_ENDPOINT_URL_DYNAMODB": dynamodb_url,
        "CONNECTA_DEPLOYMENT": DEPLOYMENT,
        "CONNECTA_TABLE": TABLE,
        "PYTHONPATH": str(ROOT),
    }
    with running_function(artifact, environ, folder) as function:
        yield warmed(Endpoint(lambda event: body_of(function.invoke(event)), downstream, function.log))


def warmed(endpoint: Endpoint) -> Endpoint:
    """Catalogs are loaded once a process; a case is about a process that has them."""
    endpoint.run(LOADS_EVERY_CATALOG)
    return endpoint
