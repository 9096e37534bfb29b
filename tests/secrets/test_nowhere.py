"""No secret is anywhere but where it has to be (auth.md "Vault and downstream OAuth", aws.md "Secrets")."""

import os
import subprocess
import sys
from pathlib import Path

import httpx2

from connecta.auth.sign_in.hashes import hashed
from connecta.auth.sign_in.secret import secret_text
from connecta.auth.vault.local_key import FILE as KEY_FILE
from connecta.local.emulator import PORT
from connecta.local.passphrase import local_secret
from tests.fixtures.faulty_proxy import Proxy
from tests.fixtures.local_server import ROOT, running_local_server
from tests.secrets.echo import LISTS, WAYS, WIRES
from tests.secrets.ledger import Ledger
from tests.secrets.people import People
from tests.secrets.planted import API, BEARER, ENVIRON, MCP, PASSPHRASE, SLOTS, dump, planted, runs_a_program


def runs(ledger: Ledger, place: str, *command: str, told: str = "", **environ: str) -> None:
    """A command of ours, whatever becomes of it."""
    done = subprocess.run(
        [sys.executable, "-m", "connecta", *command],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), **environ},
        input=told,
        capture_output=True,
        text=True,
        timeout=120,
    )
    ledger.note(place, done.stdout + done.stderr)


def calls_everything(people: People, token: str) -> None:
    """Each connector in each way: called, and called by a program, which does all it can with what it gets."""
    for id in MCP:
        for how in WAYS if id in ("single", "notes") else ():
            people.calls(token, "call_tool", {"address": f"{id}.say", "args": {"how": how}})
        lost = {"address": f"{id}.say", "args": {"how": "other_id"}, "timeoutMs": 1_000}
        people.calls(token, "call_tool", lost)
        people.calls(token, "call_destructive_tool", {"address": f"{id}.write", "args": {"how": "text"}})
        for some in (list(WAYS)[:25], list(WAYS)[25:]):
            runs_a_program(people, token, [(f"{id}.say", some)])
    for id in API:
        ways = {
            f"{id}.get": ["json", *WIRES],
            f"{id}.get_text": ["text", *WIRES],
            f"{id}.picture": ["text", "page_500"],
            f"{id}.kept": ["text"],
            f"{id}.crash": ["plain", "caused", "noted", "grouped", "told", "odd", "returned"],
        }
        for address, hows in ways.items():
            for how in hows:
                people.calls(token, "call_tool", {"address": address, "args": {"how": how}})
        runs_a_program(people, token, list(ways.items()))
    for query in ({}, {"query": "say something"}, {"includeSchemas": "json", "fullDescriptions": True}):
        people.calls(token, "search_tools", query)
    for id in (*MCP, *API, *LISTS):
        people.calls(token, "search_tools", {"connector": id, "includeSchemas": "json"})
        people.calls(token, "authorize_connector", {"connector": id}, "tool authorize_connector")
        people.calls(token, "call_tool", {"address": f"{id}.say", "args": {"how": 1}})


def test_what_is_secret_comes_out_nowhere(ledger: Ledger, notes: Proxy, echo: str, tmp_path: Path):
    planted(ledger)
    signing = local_secret(tmp_path)
    signing.write_text(
        secret_text(ledger.plant("signing key", "planted-key-" * 6), ledger.plant("hash", hashed(PASSPHRASE)))
    )
    environ = {
        **ENVIRON,
        "SECRETS_ECHO_URL": echo,
        "SECRETS_NOTES_URL": notes.origin,
    }
    with (
        running_local_server(tmp_path, "tests.secrets.deployment:deployment", environ) as server,
        httpx2.Client(trust_env=False, timeout=60) as http,
    ):
        people = People(http, ledger, server.origin)
        people.sees_every_page()
        runs_a_program(people, BEARER, [(f"{id}.say", ["text"]) for id in MCP])
        assert people.signs_in(ledger.plant("wrong passphrase", "planted-wrong-passphrase")) == 403
        assert people.signs_in(PASSPHRASE) == 303
        for connector, values in SLOTS.items():
            people.fills_in(connector, **values)
        key = (tmp_path / KEY_FILE).read_bytes().strip().decode()
        ledger.plant("key of the vault", key)
        came_with = people.connects("notes")
        people.comes_back("notes", came_with)
        people.comes_back("other", came_with)
        people.comes_back("notes", {"error": "access_denied", "error_description": BEARER, "state": came_with["state"]})
        people.is_refused("other")
        token = people.has_a_token()
        tokens = people.is_let_in_as_a_client()
        calls_everything(people, token)
        people.calls(tokens["access_token"], "search_tools", {})
        people.refreshes(tokens)
        people.calls(tokens["access_token"] + "x", "search_tools", {}, "refused token")
        people.sees_every_page()
        told = ("--data", str(tmp_path), "--deployment", "tests.secrets.deployment:deployment")
        runs(ledger, "activity", "activity", *told, "--json", **environ)
        runs(ledger, "tokens list", "tokens", "list", *told, "--json", **environ)
        runs(ledger, "doctor", "doctor", server.url, "--passphrase-stdin", told=f"{PASSPHRASE}\n", **environ)
        runs(ledger, "doctor", "doctor", server.url, "--token", "--json", **environ)
        people.sends("/connectors/notes/disconnect", "/")
        people.sees_every_page()
        people.calls(token, "authorize_connector", {"connector": "other"}, "tool authorize_connector")
        port = (tmp_path / PORT).read_text()
        dump(f"http://127.0.0.1:{port}", "connecta", ledger)
    ledger.note("log", server.log.read_bytes())
    for id in (*MCP[:-1], *API):
        assert ledger.has(f"{id}.", "dropped whole"), f"{id} has repeated nothing"
    assert "state of a flow under way" in {secret.name for secret in ledger.secrets.values()}
    leaks = ledger.leaks()
    assert not leaks, "\n\n".join(leaks)
