"""The matrix of hosts, payloads and ways in which a result comes; and what has to be so in each of its cells."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from connecta.local.preview.policies import VIEWS
from tests.apps.covering import Combination, every, pairwise
from tests.apps.driver import NONE, Driver, Frame, Report, Scenario, Until, Update
from tests.fixtures.local_server import call_tool, rpc

FACTORS: Final[Mapping[str, Sequence[str]]] = {
    "policy": ("spec", "claude", "none"),
    "payload": ("still", "scripted"),
    "theme": ("light", "dark", "switched"),
    "width": ("360", "720", "1200"),
    "result": ("normal", "stripped", "late", "never", "cancelled", "without-tools"),
}
PAIRWISE: Final = pairwise(FACTORS)
EVERY: Final = every(FACTORS)

MOST_HEIGHT: Final = 500
"""What Claude gives a view inline, in CSS pixels."""
WAITING: Final = Until("view", height=70)
"""The skeleton, which is all there is before a result."""
LINES: Final = {
    "never": "Nothing has arrived for this view yet.",
    "cancelled": "The call was cancelled.",
    "without-tools": "The view could not be loaded. The answer says the same in words.",
}
"""What stands in the place of a view that does not come."""

_ROWS = (("o-2010", "Lucía Ferrer", "96.00"), ("o-2011", "Amara Okafor", "109.50"), ("o-2013", "Noor Haddad", "127.90"))
_HEAD = """<h1>Open orders</h1><p>What is paid and not delivered.</p>
  <svg width="100%" height="12" role="img" aria-label="Three of four">
    <rect width="75%" height="12" fill="#4a7fd0"/></svg>
  <table><thead><tr><th>Order<th>Customer<th>Total</thead><tbody>"""
_BODY = "".join(f"<tr><td>{order}<td>{name}<td>{total}" for order, name, total in _ROWS)
PAYLOADS: Final = {
    "still": f"{_HEAD}{_BODY}</tbody></table>",
    "scripted": f"""{_HEAD}</tbody></table><script>
      for (const row of {json.dumps(_ROWS)}) {{
        const line = document.querySelector("tbody").insertRow();
        for (const value of row) line.insertCell().append(value);
      }}
    </script>""",
}
_LAST = _ROWS[-1][-1]
_SHOWN = Until(text=_LAST)

_GROUND: Final = {"light": {"255 255 255"}, "dark": {"31 30 29", "18 18 18"}}
"""The host's page, and Chromium's own dark canvas: that is what a dark view stands on inside a sandbox that follows a
browser which prefers light."""
_TEXT: Final = {"light": "rgb(20, 20, 19)", "dark": "rgb(250, 249, 245)"}
_NOTE: Final = {"light": "rgb(61, 61, 58)", "dark": "rgb(194, 192, 182)"}


@dataclass(frozen=True)
class Served:
    """What an endpoint gave: its shell, and by the payload's name the call's result and what is kept under its id."""

    shell: str
    results: Mapping[str, dict[str, Any]]
    kept: Mapping[str, dict[str, Any]]


def served(endpoint: str) -> Served:
    """The shell as ``execute_code`` names it, and a run for each payload."""
    (tool,) = (each for each in rpc(endpoint, "tools/list")["result"]["tools"] if each["name"] == "execute_code")
    read = rpc(endpoint, "resources/read", {"uri": tool["_meta"]["ui"]["resourceUri"]})["result"]
    results = {name: call_tool(endpoint, "execute_code", {"code": program(name)}) for name in PAYLOADS}
    kept = {name: call_tool(endpoint, "get_result", {"id": view_id(result)}) for name, result in results.items()}
    return Served(read["contents"][0]["text"], results, kept)


def program(payload: str) -> str:
    return f"async () => {{ await connecta.ui({json.dumps(PAYLOADS[payload])}); return {{ open: {len(_ROWS)} }}; }}"


def view_id(result: dict[str, Any]) -> str:
    return json.loads(result["content"][0]["text"])["view"]


def check_cell(host: Driver, served: Served, cell: Combination) -> None:
    """Play one cell and hold it against what it has to be."""
    given = dict(zip(FACTORS, cell, strict=True))
    report = host.play(_scenario(served, given))
    _check(report, given, view_id(served.results[given["payload"]]))


def _scenario(served: Served, given: Mapping[str, str]) -> Scenario:
    result, arrives = served.results[given["payload"]], given["result"]
    theme = "dark" if given["theme"] == "dark" else "light"
    scenario = Scenario(
        until=_SHOWN,
        shell=served.shell,
        result=result,
        tool_results={"get_result": served.kept[given["payload"]]},
        policy=VIEWS[given["policy"]],
        theme=theme,
        browser_scheme="light" if theme == "dark" else "dark",
        width=int(given["width"]),
        max_height=MOST_HEIGHT,
        painted=True,
    )
    line = Until("view", text=LINES.get(arrives))
    waits = Update(None, Until("view", text=LINES["never"]), forward_ms=12_000)
    comes = {"jsonrpc": "2.0", "method": "ui/notifications/tool-result", "params": result}
    match arrives:
        case "stripped":
            scenario = replace(scenario, strips=True)
        case "without-tools":
            scenario = replace(scenario, strips=True, tool_results=None, until=line)
        case "cancelled":
            scenario = replace(scenario, result=None, cancelled="the person stopped it", until=line)
        case "never":
            scenario = replace(scenario, result=None, until=WAITING, updates=[waits])
        case "late":
            scenario = replace(
                scenario, result=None, until=WAITING, updates=[waits, Update(None, _SHOWN, says=[comes])]
            )
        case _:
            pass
    if given["theme"] != "switched":
        return scenario
    seen = Until("view" if arrives in LINES else "payload", color_scheme="dark")
    return replace(scenario, updates=[*scenario.updates, Update({"theme": "dark"}, seen)])


def _check(report: Report, given: Mapping[str, str], view: str) -> None:
    """Nothing is wrong anywhere, and the view, or the line in its place, is seen, themed and sized."""
    scheme = "light" if given["theme"] == "light" else "dark"
    fetched = {"name": "tools/call", "params": {"name": "get_result", "arguments": {"id": view}}}
    assert report.complaints == NONE
    assert report.executed == ([fetched] if given["result"] == "stripped" else [])
    assert report.messages.count("ui/notifications/initialized") == 1
    line = LINES.get(given["result"])
    if line is None:
        _check_frame(report.payload, _TEXT[scheme], scheme, int(given["width"]))
        assert re.split(r"\s*[\t\n]\s*", report.payload.text.strip()) == _words()
        assert (report.view.text.strip(), report.view.colorScheme) == ("", scheme)
        assert report.height == report.payload.height >= 100
        assert report.payload.origin == "null"
    else:
        _check_frame(report.view, _NOTE[scheme], scheme, int(given["width"]))
        assert (report.view.text.strip(), "payload" in report.frames) == (line, False)
        assert 15 <= report.height <= 60
    assert report.height == report.view.height <= MOST_HEIGHT
    ground = _GROUND[scheme]
    assert next(iter(report.paint)) in ground
    assert sum(pixels for colour, pixels in report.paint.items() if colour not in ground) >= 300
    assert 0 not in report.sizes
    assert len(report.sizes) <= 8


def _check_frame(frame: Frame, colour: str, scheme: str, width: int) -> None:
    assert (frame.colorScheme, frame.color, frame.width, frame.beyond) == (scheme, colour, width, 0)
    assert abs(frame.height - frame.content) <= 4


def _words() -> list[str]:
    head = ["Open orders", "What is paid and not delivered.", "Order", "Customer", "Total"]
    return [*head, *(value for row in _ROWS for value in row)]


def without_apps(endpoint: str, payload: str) -> dict[str, Any]:
    """The envelope that a client gets that has never heard of Apps, from the text alone."""
    result = call_tool(endpoint, "execute_code", {"code": program(payload)})
    assert [block["type"] for block in result["content"]] == ["text"]
    return json.loads(result["content"][0]["text"])
