"""``src/deployment.py`` as it ships, in Lambda's runtime loop with the template's own variables."""

from collections.abc import Iterator

import pytest

from tests.fixtures.artifact import Artifact
from tests.fixtures.rie import RunningFunction, body_of, running_function
from tests.fixtures.shipped import shipped_stack
from tools.events import TOKEN, request


@pytest.fixture(scope="module")
def shipped_function(lambda_artifact: Artifact, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningFunction]:
    with (
        shipped_stack() as stack,
        running_function(lambda_artifact, stack.environ, tmp_path_factory.mktemp("shipped")) as function,
    ):
        yield function


def test_it_starts_and_lists_its_tools_to_who_has_the_token_of_the_secret(shipped_function: RunningFunction) -> None:
    response = shipped_function.invoke(request("tools/list", {}))
    assert response.get("statusCode") == 200, (response, shipped_function.log.read_text()[-4000:])
    assert len(body_of(response)["result"]["tools"]) == 7


@pytest.mark.parametrize("authorization", [None, "Bearer something else", f"Basic {TOKEN}"])
def test_nobody_else_comes_in(shipped_function: RunningFunction, authorization: str | None) -> None:
    event = request("tools/list", {})
    if authorization is None:
        del event["headers"]["authorization"]
    else:
        event["headers"]["authorization"] = authorization
    response = shipped_function.invoke(event)
    assert response.get("statusCode") == 401, response
    assert "www-authenticate" in response["headers"]
