"""What an agent finds once it is in: both eras, seven tools, a program that runs, the shell for its views."""

from typing import Final

from connecta.local.doctor.findings import Problem, quoted
from connecta.local.doctor.messages import LEGACY, MODERN, initialize, legacy, modern
from connecta.local.doctor.visit import Visit
from connecta.local.doctor.wire import Answer, text_of
from connecta.text import JsonObject
from connecta.views.shell import SHELL_MIME, SHELL_URI

TOOLS: Final = frozenset(
    {
        "search_tools",
        "skills",
        "call_tool",
        "call_destructive_tool",
        "execute_code",
        "get_result",
        "authorize_connector",
    }
)
_HINTS: Final = ("readOnlyHint", "destructiveHint")
_PROGRAM: Final = "async () => [6 * 7, typeof connecta.search].join(' ')"
_OUTCOME: Final = "42 function"


async def check_modern(visit: Visit) -> str:
    """``server/discover``, which claude.ai sends."""
    result = await _asked(visit, *modern("server/discover"))
    versions = result.get("supportedVersions")
    if not isinstance(versions, list) or MODERN not in versions:
        raise Problem(f"The server does not speak {MODERN}. Deploy a newer version of Connecta.")
    return MODERN


async def check_legacy(visit: Visit) -> str:
    """``initialize``, which most other clients send."""
    result = await _asked(visit, initialize(), {})
    if result.get("protocolVersion") != LEGACY:
        raise Problem(f"initialize is answered with the revision {quoted(result.get('protocolVersion'))}.")
    return LEGACY


async def check_tools(visit: Visit) -> str:
    """Seven tools, the same in both eras, each with the title and the hints that a directory asks for."""
    listed = _tools(await _asked(visit, *modern("tools/list")))
    if _tools(await _asked(visit, *legacy("tools/list"))).keys() != listed.keys():
        raise Problem("Clients of the two eras see different tools. Something answers one of them from a cache.")
    if listed.keys() != TOOLS:
        odd = ", ".join(sorted(listed.keys() ^ TOOLS))
        raise Problem(f"The tools are not the seven of Connecta: {quoted(odd)}. Something else answers at the URL.")
    bare = sorted(name for name, tool in listed.items() if not _is_labelled(tool))
    if bare:
        raise Problem(f"Tools without a title or hints: {quoted(', '.join(bare))}. Deploy a newer version of Connecta.")
    visit.tools = list(listed.values())
    return "seven, with titles and hints"


async def check_program(visit: Visit) -> str:
    """``execute_code`` with a program that calls nothing downstream."""
    params: JsonObject = {"name": "execute_code", "arguments": {"code": _PROGRAM}}
    result = await _asked(visit, *modern("tools/call", params, name="execute_code"))
    if result.get("isError") is True:
        raise Problem(f"A program that only multiplies fails: {quoted(_first_text(result))}. See the function's log.")
    if _OUTCOME not in _first_text(result):
        raise Problem(f"A program returned {quoted(_first_text(result))}, not its result. See the function's log.")
    return "a program ran"


async def check_shell(visit: Visit) -> str:
    """The resource that hosts show views of programs in."""
    named = next((_shell_of(tool) for tool in visit.tools if tool.get("name") == "execute_code"), "") or SHELL_URI
    result = await _asked(visit, *modern("resources/read", {"uri": named}, name=named))
    contents = result.get("contents")
    first = contents[0] if isinstance(contents, list) and contents else None
    if not isinstance(first, dict) or first.get("mimeType") != SHELL_MIME or not text_of(first.get("text")):
        raise Problem(f"{quoted(named)} is not the page that views are shown in. Deploy a newer version of Connecta.")
    return named


async def _asked(visit: Visit, message: JsonObject, headers: dict[str, str]) -> JsonObject:
    """The result of one request. Raises ``Problem`` and ``NotTried``."""
    answer = await visit.wire.post_json(visit.url, message, headers, token=visit.credential())
    method = text_of(message.get("method"))
    if answer.status == 401:
        raise Problem("The token is refused. Check that it is this deployment's, and that it was not revoked.")
    if answer.status == 429:
        raise Problem(
            f"Too many requests: the answer says to wait {quoted(answer.headers.get('retry-after'))} seconds."
        )
    result = answer.object().get("result")
    if answer.status != 200 or not isinstance(result, dict):
        raise Problem(f"{method} is answered {answer.status}{_error(answer)}. Look into the function's log.")
    return result


def _error(answer: Answer) -> str:
    error = answer.object().get("error")
    return f": {quoted(error.get('message'))}" if isinstance(error, dict) else ""


def _tools(result: JsonObject) -> dict[str, JsonObject]:
    tools = result.get("tools")
    given = [tool for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
    return {text_of(tool.get("name")): tool for tool in given}


def _is_labelled(tool: JsonObject) -> bool:
    hints = tool.get("annotations")
    if not isinstance(hints, dict) or not (tool.get("title") or hints.get("title")):
        return False
    return all(isinstance(hints.get(name), bool) for name in _HINTS)


def _shell_of(tool: JsonObject) -> str:
    meta = tool.get("_meta")
    ui = meta.get("ui") if isinstance(meta, dict) else None
    return text_of(ui.get("resourceUri")) if isinstance(ui, dict) else ""


def _first_text(result: JsonObject) -> str:
    content = result.get("content")
    first = content[0] if isinstance(content, list) and content else None
    return text_of(first.get("text")) if isinstance(first, dict) else ""
