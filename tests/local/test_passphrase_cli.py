"""``python -m connecta passphrase`` as somebody types it."""

import json
import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from connecta.auth.sign_in.hashes import matches
from connecta.limits import LIMITS
from connecta.local.cli import main
from connecta.local.passphrase import local_secret
from tests.fixtures.dynamodb import running_moto
from tests.fixtures.sam import ROOT

PASSPHRASE = "correct horse battery staple"


def run(*arguments: str, typed: str = "", environ: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "connecta", "passphrase", *arguments],
        input=typed,
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), **(environ or {})},
    )


def test_it_is_kept_as_a_hash_that_only_its_owner_can_read(tmp_path: Path):
    done = run("--data", str(tmp_path / "data"), typed=f"{PASSPHRASE}\n")
    assert (done.returncode, done.stdout) == (0, "")
    file = tmp_path / "data" / "sign-in.json"
    assert file.stat().st_mode & 0o777 == 0o600
    kept = json.loads(file.read_text())
    assert PASSPHRASE not in file.read_text()
    assert matches(PASSPHRASE, kept["passphrase"])
    again = run("--data", str(tmp_path / "data"), typed="another passphrase\n")
    assert again.returncode == 0
    replaced = json.loads(file.read_text())
    assert matches("another passphrase", replaced["passphrase"])
    assert replaced["key"] != kept["key"]


@pytest.mark.parametrize(
    "typed", ["", "short", " leading and trailing ", "aaaaaaaaaaaaaaaa", "tab\tin the middle", "x" * 1_025]
)
def test_a_passphrase_that_is_none_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], typed: str
):
    (tmp_path / "typed").write_text(f"{typed}\n")
    with (tmp_path / "typed").open() as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        assert main(["passphrase", "--data", str(tmp_path)]) == 1
    assert capsys.readouterr().err.startswith("connecta: A passphrase ")
    assert not (tmp_path / "sign-in.json").exists()


def test_one_can_be_made_and_printed_for_who_keeps_it_elsewhere():
    done = run("--generate", "--print")
    passphrase, kept = done.stdout.splitlines()
    assert len(passphrase) >= LIMITS.passphrase_chars
    assert matches(passphrase, json.loads(kept)["passphrase"])


def test_the_local_server_has_a_key_before_there_is_a_passphrase(tmp_path: Path):
    file = local_secret(tmp_path)
    made = json.loads(file.read_text())
    assert set(made) == {"key"}
    assert json.loads(local_secret(tmp_path).read_text()) == made


@contextmanager
def secrets_manager() -> Generator[dict[str, str]]:
    """The environment of who may write one secret, ``sign-in``."""
    with running_moto() as endpoint_url:
        environ = {
            "AWS_ENDPOINT_URL": endpoint_url,
            "AWS_ACCESS_KEY_ID": "x",
            "AWS_SECRET_ACCESS_KEY": "x",
            "AWS_DEFAULT_REGION": "eu-west-1",
        }
        yield environ


def test_the_deployed_stack_s_secret_is_written_and_read_as_the_function_reads_it(monkeypatch: pytest.MonkeyPatch):
    """As the template makes it: a key and no passphrase."""
    import boto3

    from connecta.auth.secrets_manager import secret_value

    with secrets_manager() as environ:
        for name, value in environ.items():
            monkeypatch.setenv(name, value)
        client = boto3.client("secretsmanager")  # pyright: ignore
        try:
            client.create_secret(Name="sign-in", SecretString='{"key": "made"}')  # pyright: ignore
        finally:
            client.close()  # pyright: ignore
        done = run("--secret", "sign-in", typed=f"{PASSPHRASE}\n")
        assert (done.returncode, done.stdout) == (0, "")
        assert matches(PASSPHRASE, json.loads(secret_value("sign-in", "otherwise"))["passphrase"])
        unknown = run("--secret", "nowhere", typed=f"{PASSPHRASE}\n")
    assert (unknown.returncode, unknown.stdout) == (1, "")
    assert "AWS answered ResourceNotFoundException" in unknown.stderr
