"""The two surfaces every case is run against: the local server, and the built artifact in Lambda's runtime loop."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

import pytest

from examples.shop.servers import serving_process
from tests.contract.endpoint import Downstream, Endpoint
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
    environ = {"CONTRACT_URL": downstream.url, "CONNECTA_TOKEN": TOKEN}
    with running_local_server(tmp_path_factory.mktemp("contract"), DEPLOYMENT, environ) as server:
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


@pytest.fixture(scope="session")
def lambda_surface(
    downstream: Downstream, lambda_artifact: Artifact, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Endpoint]:
    with running_moto() as dynamodb_url:
        environ = {
            "CONTRACT_URL": downstream.url,
            "AWS_ENDPOINT_URL_DYNAMODB": dynamodb_url,
            "CONNECTA_DEPLOYMENT": DEPLOYMENT,
            "CONNECTA_TABLE": TABLE,
            "CONNECTA_TOKEN": TOKEN,
            "PYTHONPATH": str(ROOT),
        }
        with running_function(lambda_artifact, environ, tmp_path_factory.mktemp("function")) as function:
            yield warmed(Endpoint(lambda event: body_of(function.invoke(event)), downstream, function.log))


@pytest.fixture
def endpoint(request: pytest.FixtureRequest, downstream: Downstream) -> Endpoint:
    """The surface a test is parametrized with, with nothing recorded yet."""
    surface: Endpoint = request.getfixturevalue(f"{request.param}_surface")
    downstream.reset()
    return surface


def warmed(endpoint: Endpoint) -> Endpoint:
    """Catalogs are loaded once a process; a case is about a process that has them."""
    endpoint.run(LOADS_EVERY_CATALOG)
    return endpoint
