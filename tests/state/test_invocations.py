"""What the function sends to itself. Lambda's API is a stub here; the credentials are made up."""

from collections.abc import Iterator

import pytest

from connecta.failures import Failure
from connecta.limits import LIMITS
from connecta.state.invocations import SelfInvocation
from tests.fixtures.dynamodb import answering
from tests.fixtures.lambda_api import Invocation, LambdaApi, lambda_api


@pytest.fixture(autouse=True)
def _account(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "local")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[LambdaApi]:
    with lambda_api() as running:
        monkeypatch.setenv("AWS_ENDPOINT_URL_LAMBDA", running.url)
        yield running


async def test_an_event_is_queued_for_the_function_of_that_name(api: LambdaApi) -> None:
    itself = SelfInvocation("connecta-McpFunction-1", LIMITS)
    await itself.send({"connecta": "refresh", "n": 1})
    itself.close()
    path = "/2015-03-31/functions/connecta-McpFunction-1/invocations"
    assert api.taken == [Invocation(path, "Event", {"connecta": "refresh", "n": 1})]


async def test_an_event_lambda_refuses_is_a_typed_failure_without_aws_words(monkeypatch: pytest.MonkeyPatch) -> None:
    with answering(403, "AccessDeniedException") as url:
        monkeypatch.setenv("AWS_ENDPOINT_URL_LAMBDA", url)
        itself = SelfInvocation("f", LIMITS)
        with pytest.raises(Failure) as raised:
            await itself.send({})
        itself.close()
    assert raised.value.envelope() == {
        "code": "unavailable",
        "message": "Work could not be handed over to another invocation.",
        "retryable": True,
    }


async def test_closing_what_never_sent_anything_is_fine() -> None:
    SelfInvocation("f", LIMITS).close()
