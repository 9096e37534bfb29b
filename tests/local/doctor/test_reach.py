"""Addresses, names, ports and certificates that keep everybody out, and secrets that stay at home."""

from pathlib import Path

import pytest

from connecta.local.doctor.checks import CHECKS
from connecta.local.doctor.findings import Problem
from connecta.local.doctor.reach import tls
from connecta.local.doctor.wire import Wire, keeps_secrets
from tests.fixtures.faulty_proxy import running_proxy
from tests.fixtures.processes import free_port
from tests.local.doctor.conftest import Examine

ALL = [check.name for check in CHECKS]
TLS_FAULTS = {
    "self-signed": "self-signed",
    "expired": "has expired. Renew it",
    "not yet valid": "not valid yet",
    "of another host": "for another address",
}


@pytest.mark.parametrize(
    ("url", "failed", "said"),
    [
        ("http://tools.example.com/mcp", "url", "plain HTTP"),
        ("https://tools.example.com", "url", "The endpoint is at /mcp"),
        ("https://tools.example.com/prod/mcp", "url", 'The path is "/prod/mcp"'),
        ("https://tools.example.com/mcp/", "url", "exactly"),
        ("https://me@tools.example.com/mcp", "url", "user names"),
        ("https://tools.example.com/mcp?token=x", "url", "queries"),
        ("ftp://tools.example.com/mcp", "url", "looks like https://host/mcp"),
        ("https://tools.example.com:x/mcp", "url", "not a URL"),
        ("tools.invalid/mcp", "dns", 'The name "tools.invalid" does not resolve'),
        ("https://10.0.0.8/mcp", "dns", "the internet cannot reach"),
        ("https://127.0.0.1:{free}/mcp", "port", "Nothing listens"),
    ],
)
def test_an_address_that_leads_nowhere_is_said_and_nothing_after_it_tried(
    url: str, failed: str, said: str, examine: Examine
):
    report = examine(url.replace("{free}", str(free_port())))
    assert (report.status, list(report.outcome("failed"))) == (1, [failed])
    assert said in report.outcome("failed")[failed]
    assert list(report.outcome("not tried")) == ALL[ALL.index(failed) + 1 :]


@pytest.mark.parametrize("certificate", TLS_FAULTS)
def test_a_certificate_nobody_takes_is_named(certificate: str, certificates: Path, examine: Examine):
    """And no request is made over it."""
    with running_proxy("http://127.0.0.1:9", certificate=certificates / f"{certificate}.pem") as proxy:
        report = examine(f"{proxy.origin}/mcp")
        assert proxy.seen == []
    assert list(report.outcome("failed")) == ["tls"]
    assert TLS_FAULTS[certificate] in report.outcome("failed")["tls"]
    assert set(report.outcome("not tried").values()) == {'not tried because "TLS certificate" failed.'}


def test_a_chain_that_ends_in_an_unknown_authority_is_named(
    certificates: Path, examine: Examine, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates / "self-signed.pem"))
    with running_proxy("http://127.0.0.1:9", certificate=certificates / "good.pem") as proxy:
        report = examine(f"{proxy.origin}/mcp")
    assert "Serve the intermediate certificates too" in report.outcome("failed")["tls"]


def test_a_port_without_tls_is_named(examine: Examine):
    with running_proxy("http://127.0.0.1:9") as proxy:
        report = examine(f"{proxy.origin.replace('http:', 'https:')}/mcp")
    assert "does not speak TLS" in report.outcome("failed")["tls"]


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://tools.example.com/mcp", True),
        ("http://127.0.0.1:8787/mcp", True),
        ("http://localhost:8787/mcp", True),
        ("http://[::1]:8787/mcp", True),
        ("http://tools.example.com/mcp", False),
        ("http://localhost.example.com/mcp", False),
        ("http://127.0.0.1.example.com/mcp", False),
        ("http://127.0.0.1@tools.example.com/mcp", False),
        ("http://10.0.0.8/mcp", False),
    ],
)
def test_secrets_are_kept_by_https_and_by_this_machine(url: str, kept: bool):
    assert keeps_secrets(url) is kept


async def test_nothing_secret_is_sent_in_the_clear_whoever_asks_for_it():
    wire = Wire(tls())
    there = "http://tools.example.com/x"
    for sending in (
        wire.post_json(there, {}, {}, token="secret"),
        wire.post_form(there, {"code": "secret"}),
        wire.browse(there, [("passphrase", "secret")]),
    ):
        with pytest.raises(Problem, match="so it was not sent"):
            await sending
    await wire.close()
