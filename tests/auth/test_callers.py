"""The kinds of caller a deployment can name."""

import boto3
import pytest
from moto import mock_aws

from connecta import Bearer, Open
from connecta.auth.callers import Caller
from connecta.failures import Failure

TOKEN = "correct horse battery staple"


@pytest.fixture
def aws(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "AWS_ACCESS_KEY_ID": "x",
        "AWS_SECRET_ACCESS_KEY": "x",
        "AWS_DEFAULT_REGION": "eu-west-1",
    }.items():
        monkeypatch.setenv(name, value)


def keep_secret(value: str) -> str:
    """The ARN of a new secret."""
    manager = boto3.client("secretsmanager")  # pyright: ignore
    try:
        return manager.create_secret(Name="token", SecretString=value)["ARN"]  # pyright: ignore
    finally:
        manager.close()  # pyright: ignore


async def test_open_lets_everybody_in_with_or_without_a_token():
    anyone = Caller("open", "anyone", "Anyone")
    assert [await Open().identify(None), await Open().identify("x")] == [anyone, anyone]


async def test_a_bearer_token_is_in_the_variable_it_names(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MY_TOKEN", f" {TOKEN}\n")
    assert await Bearer(env="MY_TOKEN").identify(TOKEN) == Caller("bearer", "MY_TOKEN", "Bearer token")


async def test_without_a_name_the_token_is_where_the_template_puts_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CONNECTA_TOKEN", TOKEN)
    assert await Bearer().identify(TOKEN) == Caller("bearer", "token", "Bearer token")


@pytest.mark.parametrize("presented", [None, "", TOKEN[:-1], f"{TOKEN}x", TOKEN.upper(), "\ud800"])
async def test_any_other_token_is_nobody_s(monkeypatch: pytest.MonkeyPatch, presented: str | None):
    monkeypatch.setenv("CONNECTA_TOKEN", TOKEN)
    assert await Bearer().identify(presented) is None


@pytest.mark.parametrize("configured", [None, "", "  "])
async def test_without_a_token_configured_nobody_comes_in(monkeypatch: pytest.MonkeyPatch, configured: str | None):
    monkeypatch.delenv("CONNECTA_TOKEN", raising=False)
    if configured is not None:
        monkeypatch.setenv("CONNECTA_TOKEN", configured)
    assert [await Bearer().identify(token) for token in ("", "  ", "x")] == [None, None, None]


async def test_a_secret_is_read_once_per_process(aws: None, monkeypatch: pytest.MonkeyPatch):
    """auth.md: Bearer(secret=…). The template names the secret in $CONNECTA_TOKEN_SECRET."""
    with mock_aws():
        arn = keep_secret(f"{TOKEN}\n")
        named = Bearer(secret=arn)
        monkeypatch.setenv("CONNECTA_TOKEN_SECRET", arn)
        templated = Bearer()
        assert await named.identify(None) is None
        assert await named.identify(TOKEN) == Caller("bearer", arn, "Bearer token")
        boto3.client("secretsmanager").delete_secret(SecretId=arn, ForceDeleteWithoutRecovery=True)  # pyright: ignore
        assert await named.identify(TOKEN) == Caller("bearer", arn, "Bearer token")
        with pytest.raises(Failure) as failed:
            await templated.identify(TOKEN)
    assert failed.value.envelope() == {
        "code": "unavailable",
        "message": "The server cannot check tokens at the moment. Try again shortly.",
        "retryable": True,
    }


@pytest.mark.parametrize("names", [{"env": "A", "secret": "b"}, {"env": ""}, {"secret": ""}])
def test_a_bearer_that_names_no_place_or_two_is_refused(names: dict[str, str]):
    with pytest.raises(ValueError, match=r"Bearer\("):
        Bearer(**names)
