"""Which key a process uses is the environment's to say."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from connecta.auth.vault.keys import DataKey, NoKeys, has_key, keys_in
from connecta.auth.vault.kms import KmsKeys
from connecta.auth.vault.local_key import LocalKeys
from connecta.failures import Failure

ROOT = Path(__file__).parents[3]
CONTEXT = {"deployment": "here", "connector": "shop", "field": "key"}
IN_LAMBDA = {"AWS_LAMBDA_FUNCTION_NAME": "connecta"}
KMS = {"CONNECTA_KMS_KEY": "arn:aws:kms:us-east-1:123456789012:key/1"}
FILE = {"CONNECTA_KEY_FILE": "/nowhere/credentials.key"}


@pytest.mark.parametrize(
    ("environ", "kind"),
    [
        (KMS | IN_LAMBDA, KmsKeys),
        (KMS, KmsKeys),
        (FILE, LocalKeys),
        (KMS | FILE, KmsKeys),
        (FILE | IN_LAMBDA, NoKeys),
        (IN_LAMBDA, NoKeys),
        ({"CONNECTA_KMS_KEY": "", "CONNECTA_KEY_FILE": ""}, NoKeys),
        ({}, NoKeys),
    ],
)
def test_kms_comes_first_and_a_file_never_counts_in_lambda(environ: dict[str, str], kind: type):
    keys = keys_in(environ)
    assert (type(keys), has_key(environ)) == (kind, kind is not NoKeys)
    keys.close()


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        (
            FILE | IN_LAMBDA,
            "In Lambda credentials are encrypted with a KMS key, and CONNECTA_KMS_KEY names none.",
        ),
        (
            {},
            "Nothing says which key credentials are encrypted with: set CONNECTA_KMS_KEY or CONNECTA_KEY_FILE.",
        ),
    ],
)
def test_without_a_key_everything_else_goes_on_and_the_log_says_what_is_missing(
    environ: dict[str, str], said: str, caplog: pytest.LogCaptureFixture
):
    keys = keys_in(environ)
    assert caplog.records == []
    attempts: list[Any] = [lambda: keys.new(CONTEXT), lambda: keys.unwrapped("", b"", CONTEXT)]
    for attempt in attempts:
        with pytest.raises(Failure) as refused:
            attempt()
        assert refused.value.envelope() == {
            "code": "unavailable",
            "message": "The key that this deployment encrypts credentials with cannot be used: its owner has to look "
            "at the log.",
            "retryable": False,
        }
    assert [record.getMessage() for record in caplog.records] == [said, said]


def test_a_data_key_does_not_show_itself():
    assert repr(DataKey(b"plain", b"wrapped", "id")) == "DataKey(key_id='id')"


def test_a_process_that_opens_nothing_loads_nothing_for_it():
    """A cold start pays for neither AWS's SDK nor cryptography."""
    program = (
        "import sys\n"
        "from connecta.auth.vault.slots import Slots\n"
        "from connecta.auth.vault.keys import keys_in\n"
        "from connecta.auth.vault.vault import Vault\n"
        "from connecta.state import open_state\n"
        "vault = Vault(keys_in({'CONNECTA_KMS_KEY': 'arn:aws:kms:us-east-1:123456789012:key/1'}), 'here')\n"
        "Slots(open_state('table', 'here').credentials, vault)\n"
        "print(sorted({'botocore.session', 'boto3', 'cryptography'} & set(sys.modules)))"
    )
    environ = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([sys.executable, "-c", program], env=environ, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")
