import tomllib
from pathlib import Path

from connecta.version import VERSION


def test_the_code_and_the_package_have_one_version():
    pyproject = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())
    assert pyproject["project"]["version"] == VERSION
