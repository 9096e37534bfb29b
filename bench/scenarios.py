"""The requests that are timed, as API Gateway hands them over, and the programs in them."""

from dataclasses import dataclass
from typing import Any

from bench.targets import AtMost, Over, Target, Times
from tools.events import request, tool_call

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Scenario:
    """``target`` is for the median, state not counted; ``None`` where there is none.

    ``shows`` is text the answer must hold, so that no failure is ever timed. Without ``spare`` no process waits for
    the program. ``tool_target`` is for the part of it that is the tool's: without HTTP and MCP around it.
    """

    name: str
    event: Json
    shows: str
    target: Target | None = None
    spare: bool = True
    tool_target: Target | None = None


def _program(code: str) -> Json:
    return tool_call("execute_code", {"code": code})


def parallel_calls(count: int) -> str:
    """A program that calls at once, ``count`` times, and adds up what comes back: ``count * (count - 1) / 2``."""
    return f"""async () => {{
      const calls = Array.from({{ length: {count} }}, (_, n) => connecta.call("constant.number", {{ n }}));
      return (await Promise.all(calls)).reduce((sum, {{ n }}) => sum + n, 0);
    }}"""


ADDITION = "async () => 1 + 1"
ONE_CALL = 'async () => (await connecta.call("constant.number", { n: 7 })).n'
LARGE_ARGUMENT = 'async () => (await connecta.call("constant.length", { text: "x".repeat(1e6) })).length'
LARGE_RESULT = 'async () => (await connecta.call("constant.long_text", { characters: 1e6 })).text.length'
LOOP = "async () => { let sum = 0; for (let i = 0; i < 1e6; i++) sum += i; return sum; }"

FIFTY_AT_MOST = AtMost(8)

ECHO = Scenario("echo (FastAPI + Mangum)", request("tools/list", {}), "tools/list")

DIRECT_CALL = Scenario(
    "call_tool, api tool",
    tool_call("call_tool", {"address": "constant.number", "args": {"n": 7}}),
    '"n":7',
    Times(10),
    tool_target=AtMost(1.5),
)
FIFTY_CALLS = Scenario("execute_code, 50 parallel calls", _program(parallel_calls(50)), '"result":1225', FIFTY_AT_MOST)

SCENARIOS = (
    Scenario("tools/list", request("tools/list", {}), "execute_code", Times(6)),
    DIRECT_CALL,
    Scenario(
        "call_tool, large result kept",
        tool_call("call_tool", {"address": "constant.long_text"}),
        "resultId",
    ),
    Scenario("execute_code, 1+1, spare hit", _program(ADDITION), '"result":2', Over(3)),
    Scenario("execute_code, 1+1, spawn miss", _program(ADDITION), '"result":2', spare=False),
    Scenario("execute_code, 1 call", _program(ONE_CALL), '"result":7'),
    Scenario("execute_code, 20 parallel calls", _program(parallel_calls(20)), '"result":190'),
    FIFTY_CALLS,
    Scenario("execute_code, 1 MB argument", _program(LARGE_ARGUMENT), '"result":1000000'),
    Scenario("execute_code, 1 MB result", _program(LARGE_RESULT), '"result":1000000'),
    Scenario("execute_code, loop of 1,000,000", _program(LOOP), '"result":499999500000'),
)
