"""What a program can find out about tools: S1 to S4."""

import json
from typing import Any, Final

from tests.contract.case import Case, assert_same, checks, fails, returns, says, value_of
from tests.contract.endpoint import Endpoint
from tests.contract.reading import error_of

READ_NOTE: Final[dict[str, Any]] = {
    "address": "desk.read_note",
    "name": "read_note",
    "description": "Read one note by its id.",
    "annotations": {"readOnlyHint": True},
    "guide": "connector:desk",
    "guideSummary": "How notes are kept.",
}
WRITE_NOTE: Final[dict[str, Any]] = {
    "address": "desk.write_note",
    "name": "write_note",
    "description": "Write a note.",
    "annotations": {"readOnlyHint": False},
    "guide": "connector:desk",
    "guideSummary": "How notes are kept.",
    "guideRequired": True,
    "guideRequiredReasons": ["approval_required"],
}


def searched(endpoint: Endpoint, **options: object) -> Any:
    return value_of(endpoint, f"async () => connecta.search({json.dumps(options)})")


def described(endpoint: Endpoint, *addresses: str, **options: object) -> Any:
    asked = json.dumps({"addresses": addresses, **options})
    return value_of(endpoint, f"async () => (await connecta.describe({asked})).tools")


def flat_page(endpoint: Endpoint) -> None:
    page = searched(endpoint, connector="desk", query="note")
    assert_same(page, {"tools": [WRITE_NOTE, READ_NOTE], "total": 2, "offset": 0, "limit": 8, "hasMore": False})


def pages(endpoint: Endpoint) -> None:
    """Each tool once, in one order, whatever the pages."""
    program = """async () => {
      const seen = [];
      let page, offset = 0;
      do {
        page = await connecta.search({ connector: "many", limit: 50, offset });
        seen.push(...page.tools.map((tool) => tool.name));
        offset = page.nextOffset;
      } while (page.hasMore);
      return { seen, last: { ...page, tools: page.tools.length } };
    }"""
    value = value_of(endpoint, program)
    assert value["seen"] == [f"item_{n:03}" for n in range(120)]
    assert_same(value["last"], {"tools": 20, "total": 120, "offset": 100, "limit": 50, "hasMore": False})


def partial_page(endpoint: Endpoint) -> None:
    page = searched(endpoint, connector="desk", query="note zebra")
    assert page["matchMode"] == "partial"
    assert {tool["address"] for tool in page["tools"]} == {"desk.write_note", "desk.read_note"}
    assert (page["queryAnalysis"]["representedTerms"], page["queryAnalysis"]["unmatchedTerms"]) == (["note"], ["zebra"])


def as_asked(endpoint: Endpoint) -> None:
    """Each option adds its own fields and nothing else."""

    def row(**options: object) -> Any:
        return searched(endpoint, connector="desk", query="read_note", **options)["tools"][0]

    keys = {"inputKeys": ["id", "lines"], "requiredInputKeys": ["id"]}
    compact = {"inputSchema": "{ id: string, lines?: integer }"}
    assert_same(row(), READ_NOTE)
    assert_same(row(includeSchemaKeys=True), {**READ_NOTE, **keys})
    assert_same(row(includeSchemas="compact"), {**READ_NOTE, **keys, **compact})
    schema = row(includeSchemas="json")
    assert schema["inputSchema"]["required"] == ["id"]
    assert sorted(schema) == sorted({**READ_NOTE, **keys, **compact})
    short = searched(endpoint, connector="probe", query="long")["tools"][0]["description"]
    whole = searched(endpoint, connector="probe", query="long", fullDescriptions=True)["tools"][0]["description"]
    assert (len(short) <= 160, short[-1], len(whole)) == (True, "…", 880)


def output_keys(endpoint: Endpoint) -> None:
    [row] = described(endpoint, "probe.no_fields")
    assert row["outputKeys"] == ["given"]
    assert "outputSchema" in row


def one_catalog(endpoint: Endpoint) -> None:
    searched(endpoint, connector="probe", query="echo")
    assert endpoint.downstream.asked("broken", "tools/list") == []
    assert "queryAnalysis" in searched(endpoint, query="echo")
    assert len(endpoint.downstream.asked("broken", "tools/list")) == 1


def safety(endpoint: Endpoint) -> None:
    """Read-only is what a program can call, tried out on each; the rest is refused, each."""
    program = """async () => {
      const found = async (safety) =>
        (await connecta.search({ connector: "probe", limit: 100, safety })).tools.map((tool) => tool.address);
      const writes = await found("approvalRequired");
      const outcomes = await connecta.batch(writes.map((address) => ({ address })));
      const codes = outcomes.map((each) => each.errorDetails.code);
      return { reads: await found("readOnly"), writes, codes, all: await found("all"), unsaid: await found(undefined) };
    }"""
    found = value_of(endpoint, program)
    assert sorted(found["writes"]) == ["probe.liar", "probe.unannotated", "probe.writes"]
    assert found["codes"] == ["destructive_tool_requires_approval"] * 3
    assert sorted(found["reads"] + found["writes"]) == sorted(found["all"])
    assert found["all"] == found["unsaid"]
    callable_ones = [address for address in found["reads"] if address not in ("probe.slow", "probe.asks")]
    calls = json.dumps([{"address": address, "args": {}} for address in callable_ones])
    tried = f"""async () => {{
      const codes = [];
      for (let calls = {calls}; calls.length; calls = calls.slice(10))
        for (const each of await connecta.batch(calls.slice(0, 10))) if (!each.ok) codes.push(each.errorDetails.code);
      return codes;
    }}"""
    assert "destructive_tool_requires_approval" not in value_of(endpoint, tried)


def key_lists(endpoint: Endpoint) -> None:
    strict, none, wide = described(endpoint, "probe.strict", "probe.no_fields", "probe.wide")
    assert strict["inputKeys"] == ["id", "name", "kind", "tags", "note"]
    assert strict["requiredInputKeys"] == ["id", "name", "kind", "tags"]
    assert (none["inputKeys"], none["requiredInputKeys"]) == ([], [])
    assert wide["inputSchemaTruncated"] is True
    assert "inputKeys" not in wide


def open_schema(endpoint: Endpoint) -> None:
    [row] = described(endpoint, "probe.echo")
    assert "inputKeys" not in row


def limits(endpoint: Endpoint) -> None:
    program = "async () => (await connecta.search({ connector: 'many', LIMIT })).tools.length"
    for given, count in (("limit: 1", 1), ("limit: 100", 100), ("limit: undefined", 8), ("limit: null", 8)):
        assert value_of(endpoint, program.replace("LIMIT", given)) == count
    for given in ("limit: 0", "limit: 101", "limit: -1", "limit: 1.5", "limit: '8'", "limit: true", "offset: -1"):
        error = error_of(endpoint.run(program.replace("LIMIT", given)))
        assert (error["code"], error["retryable"]) == ("invalid_args", False), given
        assert given.partition(":")[0] in error["message"]


def too_large(endpoint: Endpoint) -> None:
    error = error_of(
        endpoint.run('async () => connecta.search({ connector: "many", limit: 100, fullDescriptions: true })')
    )
    hint = says("256,000 bytes", "smaller limit", "fullDescriptions", "includeSchemas")
    assert error == {"code": "result_too_large", "message": hint, "retryable": False}
    addresses = json.dumps([f"many.item_{n:03}" for n in range(100)])
    program = f"async () => connecta.describe({{ addresses: {addresses}, fullDescriptions: true }})"
    error = error_of(endpoint.run(program))
    assert error == {"code": "result_too_large", "message": says("256,000 bytes", "fewer"), "retryable": False}


def described_in_order(endpoint: Endpoint) -> None:
    asked = ("probe.structured", "nope.x", "desk.read_note", "probe.structurd", "broken.x", "probe.structured")
    rows = described(endpoint, *asked)
    assert [row["address"] for row in rows] == list(asked)
    assert [row.get("errorDetails", {}).get("code") for row in rows] == [
        *(None, "unknown_address", None, "unknown_tool", "catalog_lookup_failed", None)
    ]
    assert_same(rows[0], rows[5])
    miss = rows[3]
    assert miss == {
        "address": "probe.structurd",
        "error": says("probe.structurd", "probe.structured"),
        "errorDetails": {
            "code": "unknown_tool",
            "message": miss["error"],
            "retryable": False,
            "suggestions": ["probe.structured", *miss["errorDetails"]["suggestions"][1:]],
            "nextAction": {
                "function": "connecta.search",
                "arguments": {"query": "structurd", "connector": "probe"},
            },
        },
    }
    assert len(miss["errorDetails"]["suggestions"]) <= 3
    assert_same(described(endpoint, "desk.read_note"), [rows[2]])


def describe_bounds(endpoint: Endpoint) -> None:
    program = "async () => (await connecta.describe({ addresses: Array(COUNT).fill('class.read') })).tools.length"
    assert value_of(endpoint, program.replace("COUNT", "100")) == 100
    for count in ("101", "0"):
        error = error_of(endpoint.run(program.replace("COUNT", count)))
        assert error == {"code": "invalid_args", "message": says("1 to 100"), "retryable": False}


def describe_forms(endpoint: Endpoint) -> None:
    alone = value_of(endpoint, 'async () => (await connecta.describe({ address: "probe.strict" })).tools')
    [listed] = described(endpoint, "probe.strict")
    assert_same(alone, [listed])
    [as_json] = described(endpoint, "probe.strict", format="json")
    assert as_json["inputSchema"]["required"] == ["id", "name", "kind", "tags"]
    [short] = described(endpoint, "probe.long")
    [whole] = described(endpoint, "probe.long", fullDescriptions=True)
    assert (len(short["description"]) <= 240, short["description"][-1]) == (True, "…")
    assert len(whole["description"]) == 880


def clamped_echo(endpoint: Endpoint) -> None:
    for name in ("x" * 3_000, "ü" * 3_000):
        [row] = described(endpoint, f"probe.{name}")
        assert row["address"].endswith("…")
        assert 508 <= len(row["address"].encode()) <= 512
        assert len(json.dumps(row, ensure_ascii=False).encode()) < 4_000


def wrong_shape(function: str, given: str, *parts: str) -> Case:
    error = {"code": "invalid_args", "message": says(*parts), "retryable": False}
    name = f"connecta.{function} given {given} says what it got and what it takes"
    return fails(
        name, ("E6", "S1" if function == "search" else "S4"), f"async () => connecta.{function}({given})", error
    )


CASES: Final[tuple[Case, ...]] = (
    checks("a search gives one flat page of rows", ("S1",), flat_page),
    checks("pages of a search neither repeat nor skip", ("S1",), pages),
    checks("a search that meets some terms only says so", ("S1",), partial_page),
    checks("a row has what was asked for and nothing else", ("S1",), as_asked),
    checks("a described tool has its output schema and its keys", ("S1", "S2"), output_keys),
    returns("a search without options browses everything", ("S1",), "async () => (await connecta.search()).limit", 8),
    checks("a search in one connector loads no other catalog", ("S1a",), one_catalog),
    checks("readOnly is what a program may call, approvalRequired the rest", ("S1a",), safety),
    checks("key lists name the fields of the schema that is shown", ("S2",), key_lists),
    checks("an open schema has no key lists", ("S2",), open_schema),
    checks("a limit outside 1 to 100 is refused, and 8 is what nobody asked for", ("S3",), limits),
    checks("a page that is too large is refused with ways to ask for less", ("S3",), too_large),
    checks("descriptions come in the order asked, and a miss fails alone", ("S4",), described_in_order),
    checks("at most 100 addresses are described at once", ("S4",), describe_bounds),
    checks("one address or a list, compact or JSON, short or whole", ("S4",), describe_forms),
    checks("what is echoed of an address is clamped", ("S4",), clamped_echo),
    wrong_shape("search", '"note"', "a string", "one object", "query"),
    wrong_shape("search", '{ text: "note" }', '"text"', "query, connector, safety, limit"),
    wrong_shape("search", "{ query: 5 }", "query", "string"),
    wrong_shape("describe", '"probe.echo"', "a string", "one object", "address"),
    wrong_shape("describe", "{}", "address", "addresses"),
)
