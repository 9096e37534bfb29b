"""The requests that are timed, as API Gateway hands them over."""

from dataclasses import dataclass
from typing import Any

from tools.events import request, tool_call

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Scenario:
    """``times_echo`` and ``ms_over_echo`` are targets for the median, state not counted; ``None`` where there is none.

    ``shows`` is text the answer must hold, so that no failure is ever timed.
    """

    name: str
    event: Json
    shows: str
    times_echo: float | None = None
    ms_over_echo: float | None = None


def _program(code: str) -> Json:
    return tool_call("execute_code", {"code": code})


ONE_CALL = 'async () => (await connecta.call("constant.number", { n: 7 })).n'
TWENTY_CALLS = """async () => {
  const calls = Array.from({ length: 20 }, (_, n) => connecta.call("constant.number", { n }));
  return (await Promise.all(calls)).reduce((sum, { n }) => sum + n, 0);
}"""

ECHO = Scenario("echo (FastAPI + Mangum)", request("tools/list", {}), "tools/list")

SCENARIOS = (
    Scenario("tools/list", request("tools/list", {}), "execute_code", times_echo=6),
    Scenario(
        "call_tool, api tool",
        tool_call("call_tool", {"address": "constant.number", "args": {"n": 7}}),
        '"n":7',
        times_echo=10,
    ),
    Scenario("execute_code, 1+1", _program("async () => 1 + 1"), "2", ms_over_echo=3),
    Scenario("execute_code, 1 call", _program(ONE_CALL), "7"),
    Scenario("execute_code, 20 parallel calls", _program(TWENTY_CALLS), "190"),
    Scenario(
        "call_tool, large result kept",
        tool_call("call_tool", {"address": "constant.long_text"}),
        "resultId",
    ),
)
