"""What a program gets from a call: S5 to S8."""

import json
from functools import partial
from typing import Final

from tests.contract.case import Case, assert_same, checks, fails, returns, says, value_of
from tests.contract.endpoint import Endpoint
from tests.contract.media import PIXEL
from tests.contract.reading import error_of

NONE: Final[dict[str, object]] = {}
REFUSALS: Final[tuple[tuple[str, dict[str, object], str], ...]] = (
    ("desk.read_note", {"lines": 2}, "invalid_args"),
    ("probe.writes", {"n": 1}, "destructive_tool_requires_approval"),
    ("probe.unannotated", {}, "destructive_tool_requires_approval"),
    ("probe.liar", {}, "destructive_tool_requires_approval"),
    ("probe.nothing", {}, "unknown_tool"),
    ("nothing.probe", {}, "unknown_address"),
    ("locked.peek", {}, "auth_required"),
    ("broken.tool", {}, "catalog_lookup_failed"),
    ("desk.status", {"code": 429}, "rate_limited"),
    ("desk.status", {"code": 503}, "unavailable"),
    ("desk.status", {"code": 404}, "not_found"),
    ("desk.status", {"code": 400}, "connector_call_failed"),
    ("probe.refuses", {}, "connector_call_failed"),
    ("probe.asks", {}, "input_required_unsupported"),
    ("desk.broken", {}, "connector_call_failed"),
)
DOWNSTREAM_ERRORS: Final = ("probe.refuses",)
RECORDED: Final = ("address", "connectorId", "toolName", "outcome", "attempts", "errorCode", "friction")
LOCAL: Final = frozenset(
    {"invalid_args", "destructive_tool_requires_approval", "unknown_tool", "unknown_address", "auth_required"}
)
"""Refused before anything is sent."""


def whole_result(endpoint: Endpoint) -> None:
    """Neither ``structuredContent`` nor the text is taken for the value where there is a picture beside it."""
    value = value_of(endpoint, "async () => probe.picture()")
    del value["_meta"]
    picture = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
    caption = {"type": "text", "text": '{"caption": "one pixel"}'}
    assert_same(value, {"content": [caption, picture], "structuredContent": {"pixels": 1}})


def uncapped(endpoint: Endpoint) -> None:
    """Far over the 24,000 characters of a return value, and the 50,000 bytes of ``call_tool``."""
    program = "async () => (await probe.sized({ bytes: 1000000 })).length"
    assert value_of(endpoint, program) == 1_000_000


def emitted_again(endpoint: Endpoint) -> None:
    program = "async () => { const { content } = await probe.sound(); await connecta.emit(content[0]); }"
    result = endpoint.run(program)
    assert not result.get("isError"), result
    assert [block["type"] for block in result["content"]] == ["text", "audio"]


def same_path(endpoint: Endpoint) -> None:
    """Each refusal and failure has the code, the retryability and the record that ``call_tool`` gives it, and what is
    refused locally reaches nobody."""
    for refusal in REFUSALS:
        endpoint.downstream.reset()
        by_program, by_tool = endpoint.events(partial(_ask_both_ways, endpoint, *refusal))
        assert (by_program["source"], by_tool["source"]) == ("execute_code", "call_tool")
        assert {key: by_program[key] for key in RECORDED} == {key: by_tool[key] for key in RECORDED}
        assert by_program["errorCode"] == refusal[2]
        if refusal[2] in LOCAL:
            assert endpoint.downstream.calls() == []


def _ask_both_ways(endpoint: Endpoint, address: str, args: dict[str, object], code: str) -> None:
    inside = error_of(endpoint.run(f"async () => connecta.call({json.dumps(address)}, {json.dumps(args)})"))
    outside = endpoint.tool("call_tool", {"address": address, "args": args})
    assert (inside["code"], outside["isError"]) == (code, True)
    # The other route hands a downstream's own error on as it came.
    if address not in DOWNSTREAM_ERRORS:
        error = outside["structuredContent"]["error"]
        assert [error["code"], error["retryable"]] == [inside["code"], inside["retryable"]]


def same_value(endpoint: Endpoint) -> None:
    arguments = {"address": "desk.read_note", "args": {"id": "7", "lines": 2}, "resultMode": "value"}
    data = endpoint.tool("call_tool", arguments)["structuredContent"]["data"]
    assert_same(value_of(endpoint, 'async () => desk.read_note({ id: "7", lines: 2 })'), data)
    first, second = endpoint.downstream.asked("desk", "GET")
    assert (
        first
        == second
        == {
            "server": "desk",
            "method": "GET",
            "name": "/desk/notes/7",
            "arguments": {"lines": "2"},
        }
    )


def own_timeout(endpoint: Endpoint) -> None:
    error = error_of(endpoint.run("async () => probe.slow()"))
    assert error == {"code": "timeout", "message": says("probe.slow"), "retryable": True}


def in_parallel(endpoint: Endpoint) -> None:
    """Two calls that wait for all the time of a host call each are over in less than twice that: the run goes on."""
    program = """async () => {
      const addresses = ["probe.slow", "desk.hold", "probe.echo"];
      const outcomes = await connecta.batch(addresses.map((address) => ({ address })));
      return outcomes.map((each) => each.errorDetails?.code ?? each.data);
    }"""
    assert_same(value_of(endpoint, program), ["timeout", "timeout", {"given": NONE}])


def outcomes_in_order(endpoint: Endpoint) -> None:
    calls = [{"address": address, "args": args} for address, args, _ in REFUSALS[:5]]
    program = f"""async () => {{
      const failing = {json.dumps(calls)};
      const calls = [...failing, {{ address: "probe.echo", args: {{ n: 1 }} }}, {{ address: "probe.text_number" }}];
      return connecta.batch(calls);
    }}"""
    outcomes = value_of(endpoint, program)
    assert [(each["address"], each["ok"]) for each in outcomes] == [
        *((address, False) for address, _, _ in REFUSALS[:5]),
        ("probe.echo", True),
        ("probe.text_number", True),
    ]
    assert_same(
        outcomes[5:],
        [
            {"address": "probe.echo", "ok": True, "data": {"given": {"n": 1}}},
            {"address": "probe.text_number", "ok": True, "data": 42},
        ],
    )
    for outcome, (_, _, code) in zip(outcomes[:5], REFUSALS[:5], strict=True):
        assert sorted(outcome) == ["address", "error", "errorDetails", "ok"]
        assert outcome["error"] == outcome["errorDetails"]["message"]
        assert outcome["errorDetails"]["code"] == code


def sizes(endpoint: Endpoint) -> None:
    program = "async () => (await connecta.batch(Array(COUNT).fill({ address: 'class.read' }))).length"
    assert value_of(endpoint, program.replace("COUNT", "10")) == 10
    assert value_of(endpoint, program.replace("COUNT", "1")) == 1
    endpoint.downstream.reset()
    for count in ("0", "11"):
        error = error_of(endpoint.run(program.replace("COUNT", count)))
        assert error == {"code": "invalid_args", "message": says("1 to 10", f"array of {count}"), "retryable": False}
    assert endpoint.downstream.calls() == []


def same_details(endpoint: Endpoint) -> None:
    """All of it: an outcome's details are the details of what the call would have thrown."""
    for address, args, _ in REFUSALS:
        if address == "desk.broken":
            continue  # Its message names the log entry of that very call.
        program = f"""async () => {{
          const address = {json.dumps(address)}, args = {json.dumps(args)};
          const [outcome] = await connecta.batch([{{ address, args }}]);
          const thrown = await connecta.call(address, args).catch((error) => error);
          return [outcome.errorDetails, thrown.details, [thrown.code, thrown.retryable, thrown.message]];
        }}"""
        outcome, details, fields = value_of(endpoint, program)
        assert_same(outcome, details)
        assert_same(fields, [details["code"], details["retryable"], details["message"]])


def bad_entries(endpoint: Endpoint) -> None:
    """An entry of a wrong shape is an outcome, too, and says what it was."""
    program = """async () => (await connecta.batch([{ address: "probe.echo", args: 1 }, { tool: "probe.echo" }, 5,
      { address: "probe.echo" }])).map((each) => [each.ok, each.error ?? "", each.errorDetails?.code ?? ""])"""
    assert value_of(endpoint, program) == [
        [False, says("one object", "a number"), "invalid_args"],
        [False, says("{ address, args }", "tool (a string)"), "invalid_args"],
        [False, says("{ address, args }", "a number"), "invalid_args"],
        [True, "", ""],
    ]


def wrong_arguments(program: str, *parts: str) -> Case:
    error = {"code": "invalid_args", "message": says(*parts), "retryable": False}
    return fails(f"{program} says what was given and what is expected", ("E6", "S5"), f"async () => {program}", error)


CASES: Final[tuple[Case, ...]] = (
    checks("a result with a picture arrives whole", ("S5",), whole_result),
    returns(
        "structuredContent is the value, whatever the text says",
        ("S5",),
        "async () => probe.structured()",
        {"from": "structuredContent"},
    ),
    returns("a text that is JSON is parsed", ("S5",), "async () => probe.text_json()", {"a": [1, 2.5, None, True]}),
    returns("a text that is a number is a number", ("S5",), "async () => probe.text_number()", 42),
    returns("any other text is itself", ("S5",), "async () => probe.text_plain()", "Plain words, no { JSON."),
    returns(
        "arguments are an empty object unless given", ("S5",), "async () => connecta.call('probe.echo')", {"given": {}}
    ),
    checks("a value is not capped on its way to the program", ("S5", "L6"), uncapped),
    checks("a block of a result can be emitted as it is", ("S5", "M1"), emitted_again),
    fails(
        "a downstream's own error is thrown with its words",
        ("S5", "E2"),
        "async () => probe.refuses()",
        {"code": "connector_call_failed", "message": says("probe.refuses", "No such note."), "retryable": False},
    ),
    checks("every failure is the one that call_tool gives, with the same record", ("S6", "V1"), same_path),
    checks("a call in a program sends and gives what call_tool does", ("S6", "S5"), same_value),
    checks("a call has its own timeout", ("S6", "L4"), own_timeout, hasty=True),
    checks("a batch is made in parallel", ("S7", "S6"), in_parallel, hasty=True),
    checks("outcomes come in order, and no failure rejects the batch", ("S7",), outcomes_in_order),
    checks("a batch has 1 to 10 calls", ("S7", "L4"), sizes),
    checks("an entry that is no call fails alone and says what it was", ("S7",), bad_entries),
    checks("an outcome's details are those the same call throws", ("S8",), same_details),
    wrong_arguments('probe.echo("x")', "probe.echo", "one object", "a string"),
    wrong_arguments('connecta.call("probe.echo", [1])', "one object", "an array"),
    wrong_arguments('connecta.call({ address: "probe.echo" })', "address", "an object"),
    wrong_arguments('connecta.call("probe.echo", {}, { timeoutMs: 1 })', "3 arguments"),
    wrong_arguments("probe.echo({}, 2)", "probe.echo", "2 arguments"),
    wrong_arguments('connecta.batch({ address: "probe.echo" })', "array", "an object"),
)
