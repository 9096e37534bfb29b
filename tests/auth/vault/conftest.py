"""Two kinds of key, the same tests: KMS's, and the one in a file."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from connecta.auth.vault.keys import DataKeys
from connecta.auth.vault.kms import KmsKeys
from connecta.auth.vault.local_key import LocalKeys
from connecta.limits import LIMITS
from tests.fixtures.kms import AS_SOMEBODY, Kms, running_kms

PATIENT = replace(LIMITS, state_read_s=30.0, vault_wait_s=60.0)
"""An emulator on a loaded machine takes its time."""


@dataclass(frozen=True)
class Keyed:
    """``open`` is one process's view of the key, ``another`` of another key; ``lose`` and ``find`` take the key away
    and bring it back."""

    open: Callable[[], DataKeys]
    another: Callable[[], DataKeys]
    lose: Callable[[], None]
    find: Callable[[], None]


@pytest.fixture
def kms(moto_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Kms]:
    for name, value in AS_SOMEBODY.items():
        monkeypatch.setenv(name, value)
    with running_kms(moto_url) as kms:
        yield kms


@pytest.fixture
def kms_keyed(kms: Kms) -> Keyed:
    key, other = kms.new_key(), kms.new_key()

    def find() -> None:
        kms.cancel_deletion(key)
        kms.enable(key)

    return Keyed(
        open=lambda: KmsKeys(key, PATIENT, endpoint_url=kms.url),
        another=lambda: KmsKeys(other, PATIENT, endpoint_url=kms.url),
        lose=lambda: kms.begin_deletion(key),
        find=find,
    )


@pytest.fixture
def file_keyed(tmp_path: Path) -> Keyed:
    file, away = tmp_path / "credentials.key", tmp_path / "away"
    return Keyed(
        open=lambda: LocalKeys(file),
        another=lambda: LocalKeys(tmp_path / "another.key"),
        lose=lambda: _moved(file, away),
        find=lambda: _moved(away, file),
    )


def _moved(source: Path, target: Path) -> None:
    source.rename(target)


@pytest.fixture(params=["kms_keyed", "file_keyed"])
def keyed(request: pytest.FixtureRequest) -> Keyed:
    """Each kind of key in turn."""
    return request.getfixturevalue(request.param)
