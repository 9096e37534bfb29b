"""Nothing secret is said of a key or a table that refuses, whatever they say of it (aws.md "Secrets")."""

import json
import os
import socket
import subprocess
import sys
from base64 import b64decode
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import httpx2

from connecta.auth.sign_in.hashes import hashed
from connecta.auth.sign_in.secret import secret_text
from tests.fixtures.dynamodb import TABLE
from tests.fixtures.faulty_proxy import Asked, Fault, Forward, Proxy, Told, faultless, running_proxy
from tests.fixtures.kms import AS_SOMEBODY, running_kms
from tests.fixtures.local_server import ROOT
from tests.fixtures.processes import wait_for_port
from tests.secrets.ledger import Ledger
from tests.secrets.people import People
from tests.secrets.planted import BEARER, ENVIRON, MCP, PASSPHRASE, SLOTS, dump, planted, runs_a_program


def refusing(asked: Asked, forward: Forward) -> Told:
    """Says back all it was sent, as an error of the service."""
    said = f"not this: {asked.body.decode()} with {dict(asked.headers)}"
    error = json.dumps({"__type": "AccessDeniedException", "message": said}).encode()
    return Told(400, [("content-type", "application/x-amz-json-1.0"), ("x-said", "no")], error)


def breaking(asked: Asked, forward: Forward) -> Told:
    """Answers with what was sent, as no service does."""
    return Told(500, [("content-type", "text/html")], b"<html>" + asked.body)


def listening_to(ledger: Ledger) -> Fault:
    """KMS as it is, and what its keys are is in ``ledger``: as bytes they are nowhere, in no alphabet."""

    def fault(asked: Asked, forward: Forward) -> Told:
        told = forward(asked)
        plain = json.loads(told.body).get("Plaintext")
        if plain:
            ledger.plant("data key", plain)
            ledger.plant("data key in hex", b64decode(plain).hex())
        return told

    return fault


@contextmanager
def running(log: Path, environ: dict[str, str]) -> Generator[str]:
    """The deployment as a process of its own; all that it prints is in ``log``."""
    with socket.socket() as listening, log.open("wb") as output:
        listening.bind(("127.0.0.1", 0))
        listening.listen(128)
        descriptor, port = listening.fileno(), listening.getsockname()[1]
        child = subprocess.Popen(
            [sys.executable, "-m", "tests.secrets.process", str(descriptor)],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            pass_fds=[descriptor],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", **environ},
        )
        try:
            wait_for_port(port, child, log)
            yield f"http://127.0.0.1:{port}"
        finally:
            child.terminate()
            child.communicate()


def test_a_key_and_a_table_that_refuse_are_told_of_without_a_secret(
    ledger: Ledger, notes: Proxy, echo: str, moto_url: str, tmp_path: Path
):
    planted(ledger)
    signing, log = tmp_path / "sign-in.json", tmp_path / "log"
    signing.write_text(secret_text(ledger.plant("signing key", "planted-key+" * 6), hashed(PASSPHRASE)))
    with running_kms(moto_url) as kms, running_proxy(kms.url) as key, running_proxy(moto_url) as table:
        key.fault = listening_to(ledger)
        environ = {
            **AS_SOMEBODY,
            **ENVIRON,
            "CONNECTA_SIGN_IN_FILE": str(signing),
            "CONNECTA_KMS_KEY": kms.new_key(),
            "AWS_ENDPOINT_URL_KMS": key.origin,
            "SECRETS_TABLE_URL": table.origin,
            "SECRETS_ECHO_URL": echo,
            "SECRETS_NOTES_URL": notes.origin,
        }
        with running(log, environ) as origin, httpx2.Client(trust_env=False, timeout=60) as http:
            people = People(http, ledger, origin)
            assert people.signs_in(PASSPHRASE) == 303
            for connector, values in SLOTS.items():
                people.fills_in(connector, **values)
            people.connects("notes")
            token = people.has_a_token()
            runs_a_program(people, token, [(f"{id}.say", ["text", "is_error"]) for id in MCP])
        # In a process that has none of the keys at hand.
        key.fault = refusing
        with running(log.with_suffix(".2"), environ) as origin, httpx2.Client(trust_env=False, timeout=60) as http:
            people = People(http, ledger, origin, "failing: ")
            assert people.signs_in(PASSPHRASE) == 303
            for fault in (faultless, refusing, breaking):
                table.fault = fault
                for broken in (refusing, breaking):
                    key.fault = broken
                    goes_on(people, token)
        table.fault = faultless
        dump(moto_url, TABLE, ledger)
    for each in (log, log.with_suffix(".2")):
        ledger.note(each.name, each.read_bytes())
    assert "data key" in {secret.name for secret in ledger.secrets.values()}
    leaks = ledger.leaks()
    assert not leaks, "\n\n".join(leaks)


def goes_on(people: People, token: str) -> None:
    """As if nothing were broken."""
    people.sees_every_page()
    for bearer, ids in ((token, MCP[:1]), (BEARER, MCP)):
        for id in ids:
            people.calls(bearer, "call_tool", {"address": f"{id}.say", "args": {"how": "text"}})
    runs_a_program(people, BEARER, [(f"{id}.say", ["text", "is_error"]) for id in MCP])
    people.calls(BEARER, "call_tool", {"address": "api-several.crash", "args": {"how": "plain"}})
    for connector in ("notes", "single", "pair"):
        people.calls(BEARER, "authorize_connector", {"connector": connector}, "tool authorize_connector")
    for id, values in SLOTS.items():
        fields = {f"value-{name}": value for name, value in values.items()}
        people.asked("set", "POST", f"/credentials/{id}/set", data={"token": "none", **fields})
    people.comes_back("notes", {"code": BEARER, "state": BEARER})
    people.asked("token", "POST", "/oauth/token", data={"grant_type": "refresh_token", "refresh_token": BEARER})
