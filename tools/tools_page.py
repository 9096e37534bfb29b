"""Keeps ``docs/tools.md`` true: the input schemas it shows are the served ones, each answer is what its example gets.

    python -m tools.tools_page          run the examples against the example shop and write what they get

A fence ``json input <tool>`` shows a schema; ``json call <tool>`` (or ``js call``, a program) is an example, and the
fence ``json answer`` or ``json error`` after it is its answer: ``structuredContent``, or the whole result where there
is none. Ids and milliseconds differ from call to call and are masked; a masked id in an example is the last one shown.
"""

import json
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from connecta.text import Json
from tests.fixtures.local_server import call_tool, rpc, running_local_server

PAGE = Path(__file__).resolve().parent.parent / "docs" / "tools.md"
WIDTH = 116

_FENCE = re.compile(r"^```(json|js) (input|call|answer|error) ?(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_ID = re.compile(r"\b([rv])_[A-Za-z0-9_-]{22}\b")
_MASKED_ID = re.compile(r"\b[rv]_…")
_MILLISECONDS = re.compile(r'("(?:durationMs|catalogMs|connectorMs)": )[\d.]+')

Call = Callable[[str, dict[str, Any]], dict[str, Any]]


def render(page: str, schemas: dict[str, dict[str, Any]], call: Call) -> str:
    """``page`` with every schema and answer as they are; its examples are made in order."""
    run = _Examples(schemas, call)
    return _FENCE.sub(run.written, page)


def examples(page: str) -> list[str]:
    """The tool of each example, in order."""
    return [name for _, kind, name, _ in _FENCE.findall(page) if kind == "call"]


class _Examples:
    def __init__(self, schemas: dict[str, dict[str, Any]], call: Call) -> None:
        self._schemas = schemas
        self._call = call
        self._result: dict[str, Any] = {}
        self._id = ""

    def written(self, fence: re.Match[str]) -> str:
        language, kind, name, body = fence.groups()
        if kind == "input":
            return f"```json input {name}\n{pretty(self._schemas[name])}\n```"
        if kind == "call":
            arguments = {"code": body.rstrip("\n")} if language == "js" else json.loads(self._with_id(body))
            self._result = self._call(name, arguments)
            return fence[0]
        return f"```json {'error' if self._result['isError'] else 'answer'}\n{self._answer()}\n```"

    def _with_id(self, body: str) -> str:
        return _MASKED_ID.sub(lambda _: self._id, body)

    def _answer(self) -> str:
        text = pretty(self._result.get("structuredContent", self._result))
        found = _ID.search(text)
        self._id = found[0] if found else self._id
        return _MILLISECONDS.sub(r"\g<1>0", _ID.sub(r"\1_…", text))


def pretty(value: Json, indent: str = "") -> str:
    """JSON on one line where it fits, else a member a line."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(line) <= WIDTH or not isinstance(value, dict | list) or not value:
        return line
    inner = indent + "  "
    if isinstance(value, dict):
        members = [f"{json.dumps(key)}: {pretty(member, inner)}" for key, member in value.items()]
        return f"{{\n{inner}" + f",\n{inner}".join(members) + f"\n{indent}}}"
    return f"[\n{inner}" + f",\n{inner}".join(pretty(item, inner) for item in value) + f"\n{indent}]"


def served_schemas(endpoint: str) -> dict[str, dict[str, Any]]:
    """The input schema of each tool by its name, in the order they are listed."""
    return {tool["name"]: tool["inputSchema"] for tool in rpc(endpoint, "tools/list")["result"]["tools"]}


def current(endpoint: str) -> str:
    """The page as the shop at ``endpoint`` makes it."""
    return render(PAGE.read_text(), served_schemas(endpoint), lambda name, args: call_tool(endpoint, name, args))


def main() -> None:
    with tempfile.TemporaryDirectory() as data, running_local_server(Path(data)) as server:
        PAGE.write_text(current(server.url))


if __name__ == "__main__":
    main()
