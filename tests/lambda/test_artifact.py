"""What `sam build` puts into /var/task, read from a real build."""

import subprocess
from pathlib import Path

import pytest

from tests.fixtures.artifact import Artifact
from tests.fixtures.rie import lambda_environment

UNZIPPED_BYTES = 80 * 1024 * 1024
"""Lambda's own bound is 250 MB with layers; a third of that would already be somebody's mistake."""


def _bytecode(source: Path, tag: str) -> Path:
    return source.parent / "__pycache__" / f"{source.stem}.{tag}.pyc"


def test_every_python_file_comes_with_bytecode(lambda_artifact: Artifact) -> None:
    """/var/task is read-only: what is not compiled here is compiled again at every cold start (aws.md)."""
    tag = f"cpython-{lambda_artifact.version.replace('.', '')}"
    sources = list(lambda_artifact.function.rglob("*.py"))
    without = [source for source in sources if not _bytecode(source, tag).is_file()]
    assert without == []
    assert len(sources) > 500


def test_the_bytecode_is_taken_without_looking_at_the_source(lambda_artifact: Artifact) -> None:
    """Unchecked hash: a timestamp would be wrong as soon as the archive is unpacked (PEP 552)."""
    flags = {path.read_bytes()[4:8] for path in lambda_artifact.function.rglob("*.pyc")}
    assert flags == {b"\1\0\0\0"}


def test_tracebacks_name_the_place_the_code_will_lie(lambda_artifact: Artifact) -> None:
    code = lambda_artifact.function / "connecta" / "__pycache__"
    [bytecode] = code.glob("limits.*.pyc")
    assert b"/var/task/connecta/limits.py" in bytecode.read_bytes()


def test_our_own_code_is_whole(lambda_artifact: Artifact) -> None:
    ours = Path(__file__).parents[2] / "src"
    shipped = lambda_artifact.function
    expected = {path.relative_to(ours) for path in ours.rglob("*.py")} - _only_here(ours)
    assert expected - {path.relative_to(shipped) for path in shipped.rglob("*.py")} == set()


def test_what_runs_on_ones_own_machine_stays_there(lambda_artifact: Artifact) -> None:
    """No command line, no emulator, and of the preview neither its page nor the packages bundled for it."""
    shipped = lambda_artifact.function / "connecta"
    assert (list(shipped.rglob("local")), list(shipped.glob("__main__*"))) == ([], [])
    pages = {path.parent for kind in ("*.js", "*.css", "*.html") for path in shipped.rglob(kind)}
    assert pages == {shipped / "web" / part / "templates" for part in ("", "sign_in", "operator")}


@pytest.mark.parametrize("part", ["", "sign_in", "operator"])
def test_the_pages_people_see_are_whole(lambda_artifact: Artifact, part: str) -> None:
    ours = Path(__file__).parents[2] / "src/connecta/web" / part / "templates"
    shipped = lambda_artifact.function / "connecta/web" / part / "templates"
    assert {path.name: path.read_bytes() for path in shipped.iterdir()} == {
        path.name: path.read_bytes() for path in ours.iterdir()
    }


def _only_here(source: Path) -> set[Path]:
    local = {path.relative_to(source) for path in (source / "connecta" / "local").rglob("*.py")}
    return {*local, Path("connecta/__main__.py")}


def test_what_nobody_imports_is_left_out(lambda_artifact: Artifact) -> None:
    """Neither the AWS SDK, which the runtime brings, nor tests, commands and pip's books."""
    names = ("boto3", "botocore", "pip", "pytest", "tests", "test", "bin", "RECORD", "INSTALLER", "direct_url.json")
    assert [path for name in names for path in lambda_artifact.function.rglob(name)] == []


def test_the_artifact_is_small(lambda_artifact: Artifact) -> None:
    total = sum(path.stat().st_size for path in lambda_artifact.function.rglob("*") if path.is_file())
    assert total < UNZIPPED_BYTES


def test_every_module_of_ours_imports_from_the_artifact_alone(lambda_artifact: Artifact) -> None:
    """Nothing that was trimmed, or that only development installs, is needed."""
    shipped = lambda_artifact.function
    modules = [
        ".".join(path.relative_to(shipped).with_suffix("").parts).removesuffix(".__init__")
        for path in sorted((shipped / "connecta").rglob("*.py"))
    ]
    done = subprocess.run(
        [lambda_artifact.python, "-S", "-c", "\n".join(f"import {name}" for name in modules)],
        cwd=shipped,
        env=lambda_environment(lambda_artifact, {}),
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_cold_start_does_not_pay_for_signing_in(lambda_artifact: Artifact) -> None:
    """Most requests show no page, read no ID token and ask no stranger (aws.md, "Cold start")."""
    later = ("boto3", "httpcore2", "jinja2", "jwt")
    code = f"import sys, app; print([name for name in {later!r} if name in sys.modules])"
    done = subprocess.run(
        [lambda_artifact.python, "-S", "-c", code],
        cwd=lambda_artifact.function,
        env=lambda_environment(lambda_artifact, {"CONNECTA_TOKEN": "unused"}),
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "[]\n", "")


def test_the_layer_holds_the_sandbox_where_the_function_looks_for_it(lambda_artifact: Artifact) -> None:
    """Lambda unpacks the layer into /opt; the function looks in /opt/quickjs."""
    assert any((lambda_artifact.layer / "quickjs").iterdir())
