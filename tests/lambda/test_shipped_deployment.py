"""``src/deployment.py`` as it ships, in Lambda's runtime loop with the template's own variables."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from botocore.session import get_session

from tests.fixtures.artifact import Artifact
from tests.fixtures.dynamodb import TABLE, running_moto
from tests.fixtures.rie import RunningFunction, body_of, running_function
from tests.fixtures.sam import load_template
from tools.events import TOKEN, request


def secret_with_the_token(endpoint_url: str) -> str:
    """The ARN of a Secrets Manager secret holding ``TOKEN``, as the template makes one."""
    client: Any = get_session().create_client(
        "secretsmanager",
        endpoint_url=endpoint_url,
        region_name="us-east-1",
        aws_access_key_id="local",
        aws_secret_access_key="local",
    )
    with closing(client):
        return client.create_secret(Name="token", SecretString=TOKEN)["ARN"]


@pytest.fixture(scope="module")
def shipped_function(lambda_artifact: Artifact, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningFunction]:
    variables = load_template()["Resources"]["McpFunction"]["Properties"]["Environment"]["Variables"]
    with running_moto() as aws_url:
        ours = {
            "CONNECTA_TABLE": TABLE,
            "CONNECTA_TOKEN_SECRET": secret_with_the_token(aws_url),
            "PUBLIC_URL": "",
        }
        literal = {name: value for name, value in variables.items() if isinstance(value, str)}
        assert literal.keys() | ours.keys() == variables.keys()
        environ = {**literal, **ours, "AWS_ENDPOINT_URL": aws_url}
        with running_function(lambda_artifact, environ, tmp_path_factory.mktemp("shipped")) as function:
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
