"""The doctor and a deployment that is well."""

import io
import sys
from urllib.parse import parse_qs

import pytest

from connecta.local.doctor.checks import CHECKS
from tests.fixtures.doctored_deployment import PASSPHRASE, TOKEN
from tests.fixtures.faulty_proxy import Proxy
from tests.fixtures.local_server import LocalServer
from tests.local.doctor.conftest import Examine, run_command

ALL = [check.name for check in CHECKS]
ONLY_WITH_SIGN_IN = {
    "resource",
    "root-resource",
    "server-metadata",
    "registration",
    "client-document",
    "sign-in",
    "token",
    "refresh",
    "revocation",
}
NO_TOKEN = "not tried because there is no token: neither did signing in bring one, nor was --token given."


def test_a_deployment_that_is_well_passes_every_check(secure_server: Proxy, examine: Examine):
    report = examine(f"{secure_server.origin}/mcp")
    assert (report.status, report.ok, [check["name"] for check in report.checks]) == (0, True, ALL)
    assert list(report.outcome("ok")) == ALL, report.checks


def test_the_doctor_ends_its_own_grant(proxy: Proxy, examine: Examine):
    report = examine(f"{proxy.origin}/mcp")
    assert list(report.outcome("ok")) == ALL, report.checks
    [revoked] = [asked for asked in proxy.seen if asked.place == "/oauth/revoke"]
    assert parse_qs(revoked.body.decode())["token"][0].startswith("ctr_")


def test_with_a_token_it_comes_in_as_a_script_does(proxy: Proxy, examine: Examine, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CONNECTA_TOKEN", TOKEN)
    report = examine(f"{proxy.origin}/mcp", "--token")
    assert (report.status, set(report.outcome("not tried"))) == (0, ONLY_WITH_SIGN_IN)
    assert set(report.outcome("not tried").values()) == {
        "not tried because a token was given, so nobody has to sign in."
    }


def test_an_open_deployment_is_used_without_either(shop_server: LocalServer, examine: Examine):
    report = examine(shop_server.url)
    assert (report.status, set(report.outcome("not tried"))) == (0, {*ONLY_WITH_SIGN_IN, "refusal"})


def test_without_a_passphrase_what_needs_one_is_not_tried(proxy: Proxy, examine: Examine):
    report = examine(f"{proxy.origin}/mcp", passphrase="")
    assert (report.status, report.outcome("failed")) == (0, {})
    assert report.outcome("not tried") == {
        **dict.fromkeys(("sign-in", "token", "refresh", "revocation"), "not tried because no passphrase was given."),
        **dict.fromkeys(("modern", "legacy", "tools", "program", "shell"), NO_TOKEN),
    }


def test_a_person_reads_a_line_for_each_check(
    proxy: Proxy, examine: Examine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """Without colour, because this is no terminal."""
    monkeypatch.setenv("CONNECTA_TOKEN", TOKEN)
    status = run_command(["doctor", f"{proxy.origin}/mcp", "--token"])
    lines = capsys.readouterr().out.splitlines()
    assert (status, len(lines), lines[-1]) == (0, len(ALL) + 2, "12 of 21 checks are well, 9 not tried.")
    assert lines[0] == "✓ URL                  plain HTTP, which only this machine may use"
    assert lines[7].startswith("– Resource document    not tried because a token was given")
    assert not any("\x1b" in line for line in lines)


def test_no_secret_is_said(proxy: Proxy, examine: Examine, capsys: pytest.CaptureFixture[str]):
    report = examine(f"{proxy.origin}/mcp")
    said = repr(report) + capsys.readouterr().err
    grants = [word for word in ("cto_", "ctr_", "ctk_", PASSPHRASE) if word in said]
    assert grants == []


def test_where_there_is_no_terminal_nobody_is_asked(
    proxy: Proxy, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.delenv("CONNECTA_TOKEN", raising=False)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert run_command(["doctor", f"{proxy.origin}/mcp", "--token"]) == 1
    assert capsys.readouterr().err == (
        "connecta: There is no token: set CONNECTA_TOKEN, or run this in a terminal and type it.\n"
    )


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_token_that_no_header_can_carry_is_not_sent(
    proxy: Proxy, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], options: list[str]
):
    monkeypatch.setenv("CONNECTA_TOKEN", "tök…")
    assert run_command(["doctor", f"{proxy.origin}/mcp", "--token", *options]) == 1
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "connecta: The token has letters that no header can carry. Copy it again.\n")
    assert proxy.seen == []
