"""The local key: a file for its owner alone, made once (auth.md: 0600, refused in Lambda)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from connecta.auth.vault.keys import Unreadable
from connecta.auth.vault.local_key import LocalKeys

CONTEXT = {"deployment": "here", "connector": "shop", "field": "key"}
ROOT = Path(__file__).parents[3]


def unreadable(file: Path, wrapped: tuple[str, bytes] = ("file:0", b"")) -> str:
    with pytest.raises(Unreadable) as refused:
        LocalKeys(file).unwrapped(*wrapped, CONTEXT)
    return refused.value.reason


def test_the_file_is_made_with_the_first_key_and_for_its_owner_alone(tmp_path: Path):
    file = tmp_path / "deeper" / "credentials.key"
    keys = LocalKeys(file)
    assert not file.exists()
    made = keys.new(CONTEXT)
    assert file.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in file.parent.iterdir()] == ["credentials.key"]
    text = file.read_text()
    assert keys.new(CONTEXT).key_id == made.key_id
    assert file.read_text() == text
    assert LocalKeys(file).unwrapped(made.key_id, made.wrapped, CONTEXT) == made.plain
    assert text.strip() not in repr(made)
    assert made.plain not in made.wrapped


def test_opening_makes_no_key(tmp_path: Path):
    file = tmp_path / "credentials.key"
    assert unreadable(file) == "missing_key"
    assert not file.exists()


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o622, 0o644, 0o777])
def test_a_file_that_others_can_reach_is_refused_until_they_cannot(tmp_path: Path, mode: int):
    file = tmp_path / "credentials.key"
    made = LocalKeys(file).new(CONTEXT)
    file.chmod(mode)
    assert unreadable(file, (made.key_id, made.wrapped)) == "exposed_key"
    with pytest.raises(Unreadable):
        LocalKeys(file).new(CONTEXT)
    file.chmod(0o600)
    assert LocalKeys(file).unwrapped(made.key_id, made.wrapped, CONTEXT) == made.plain


@pytest.mark.parametrize("text", [b"", b"not base64!", b"c2hvcnQ=", b"\xff" * 40, b"A" * 5_000])
def test_a_file_without_a_key_in_it_is_refused_and_left_as_it_is(tmp_path: Path, text: bytes):
    file = tmp_path / "credentials.key"
    file.write_bytes(text)
    file.chmod(0o600)
    assert unreadable(file) == "broken_key"
    with pytest.raises(Unreadable):
        LocalKeys(file).new(CONTEXT)
    assert file.read_bytes() == text


def test_a_folder_is_no_key(tmp_path: Path):
    assert unreadable(tmp_path) == "denied_key"


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path):
    (tmp_path / "file").touch()
    with pytest.raises(Unreadable) as refused:
        LocalKeys(tmp_path / "file" / "credentials.key").new(CONTEXT)
    assert refused.value.reason == "denied_key"


def test_of_many_processes_that_start_at_once_one_makes_the_key(tmp_path: Path):
    program = (
        "import sys; from pathlib import Path; from connecta.auth.vault.local_key import LocalKeys\n"
        "print('ready', flush=True); sys.stdin.readline()\n"
        "print(LocalKeys(Path(sys.argv[1])).new({'deployment': 'here'}).key_id, flush=True)"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "credentials.key")]
    environ = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    started = [
        subprocess.Popen(command, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(6)
    ]
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in started:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    ids = {process.communicate()[0] for process in started}
    assert len(ids) == 1
    assert [each.name for each in tmp_path.iterdir()] == ["credentials.key"]
