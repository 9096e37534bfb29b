"""How a program names a tool: A1 to A5."""

from typing import Final

from tests.contract.case import Case, assert_same, checks, fails, returns, says, value_of
from tests.contract.endpoint import Endpoint
from tests.contract.reading import error_of

NONE: Final[dict[str, object]] = {}
NOBODY: Final[list[str]] = []
ODD: Final = ("list.items", "2fast", "delete", "plain", "get-item", "get_item", "a.b", "a b", "a/b", "größe")


def searched_addresses_work(endpoint: Endpoint) -> None:
    """Byte for byte what search printed, through both functions that take an address."""
    program = """async () => {
      const { tools } = await connecta.search({ connector: "odd-names", limit: 100 });
      const addresses = tools.map((tool) => tool.address);
      const called = await Promise.all(addresses.map((address) => connecta.call(address)));
      const batched = await connecta.batch(addresses.map((address) => ({ address })));
      return [addresses, called.map((value) => value.called), batched.map((each) => [each.address, each.data.called])];
    }"""
    addresses, called, batched = value_of(endpoint, program)
    assert sorted(addresses) == sorted(f"odd-names.{name}" for name in ODD)
    assert [f"odd-names.{name}" for name in called] == addresses
    assert batched == [[address, address.partition(".")[2]] for address in addresses]


def shortcut_is_the_same_call(endpoint: Endpoint) -> None:
    program = (
        'async () => [await probe.echo({ n: 1 }), await connecta.call("probe.echo", { n: 1 }), await probe.echo()]'
    )
    assert_same(value_of(endpoint, program), [{"given": {"n": 1}}, {"given": {"n": 1}}, {"given": NONE}])
    asked = endpoint.downstream.asked("probe")
    assert [call["arguments"] for call in asked] == [{"n": 1}, {"n": 1}, {}]
    assert {call["name"] for call in asked} == {"echo"}


def lazy(endpoint: Endpoint) -> None:
    """``broken`` never lists its tools, so each wish for its catalog reaches the downstream."""
    touched = """async () => {
      const { tool } = broken;
      return [typeof broken, typeof tool, Object.keys(broken), JSON.stringify(broken), await broken === broken];
    }"""
    assert value_of(endpoint, touched) == ["object", "function", [], "{}", True]
    assert endpoint.downstream.asked("broken", "tools/list") == []
    called = "async () => { try { await broken.tool(); } catch (error) { return error.code; } }"
    assert value_of(endpoint, called) == "catalog_lookup_failed"
    assert len(endpoint.downstream.asked("broken", "tools/list")) == 1


def never_chooses(endpoint: Endpoint) -> None:
    for shortcut, names in (("get_item", ["get-item", "get_item"]), ("a_b", ["a.b", "a b", "a/b"])):
        error = error_of(endpoint.run(f"async () => odd_names.{shortcut}({{ n: 1 }})"))
        addresses = [f"odd-names.{name}" for name in names]
        assert error["message"] == says("connecta.call", *addresses)
        assert error == {
            "code": "ambiguous_tool_alias",
            "message": error["message"],
            "retryable": False,
            "addresses": addresses,
            "nextAction": {"function": "connecta.call", "arguments": {"address": addresses[0]}},
        }
    assert endpoint.downstream.asked("odd-names") == []


def nearest(name: str, program: str, suggestion: str) -> Case:
    """A miss is final, suggests what was probably meant, and reaches nobody."""

    def check(endpoint: Endpoint) -> None:
        error = error_of(endpoint.run(program))
        assert (error["code"], error["retryable"]) == ("unknown_tool", False)
        assert error["suggestions"][0] == suggestion
        assert 1 <= len(error["suggestions"]) <= 3
        assert suggestion in error["message"]
        assert endpoint.downstream.asked(suggestion.partition(".")[0]) == []

    return checks(name, ("A2", "E7"), check)


CASES: Final[tuple[Case, ...]] = (
    checks("every address that search prints works in call and in batch", ("A1",), searched_addresses_work),
    returns(
        "the connector of an address is all before its first dot",
        ("A1",),
        'async () => (await connecta.call("odd-names.list.items")).called',
        "list.items",
    ),
    fails(
        "an address is taken byte for byte: no shortcut name stands in for it",
        ("A1", "E7"),
        'async () => connecta.call("odd_names.plain")',
        {
            "code": "unknown_address",
            "message": says('"odd_names.plain"', "<connector>.<tool>", "odd-names"),
            "retryable": False,
            "nextAction": {"function": "connecta.search", "arguments": {"query": "plain"}},
        },
    ),
    fails(
        "a tool's shortcut name is no address",
        ("A1", "E7"),
        'async () => connecta.call("odd-names.list_items")',
        {
            "code": "unknown_tool",
            "message": says('"odd-names.list_items"', "odd-names.list.items"),
            "retryable": False,
            "suggestions": ["odd-names.list.items", "odd-names.get-item", "odd-names.get_item"],
            "nextAction": {
                "function": "connecta.search",
                "arguments": {"query": "list items", "connector": "odd-names"},
            },
        },
    ),
    checks("a shortcut is the same call as its address", ("A2",), shortcut_is_the_same_call),
    returns(
        "characters no identifier has become an underscore, in tool and connector alike",
        ("A2",),
        "async () => [(await odd_names.list_items()).called, (await odd_names.gr__e()).called]",
        ["list.items", "größe"],
    ),
    returns("a leading digit gains an underscore", ("A2",), "async () => (await odd_names._2fast()).called", "2fast"),
    returns(
        "a reserved word gains a trailing underscore, as a tool and as a connector",
        ("A2",),
        "async () => [(await odd_names.delete_()).called, (await class_.read({ n: 1 })).given]",
        ["delete", {"n": 1}],
    ),
    checks("no catalog is loaded until a shortcut is called", ("A2",), lazy),
    nearest(
        "a misspelled shortcut suggests the nearest addresses", "async () => probe.struktured()", "probe.structured"
    ),
    nearest(
        "a shortcut in another case suggests the nearest addresses", "async () => desk.readNote()", "desk.read_note"
    ),
    nearest(
        "a shortcut by the name of a reserved word suggests its address",
        "async () => odd_names.delete()",
        "odd-names.delete",
    ),
    checks("a shortcut that means two tools lists them and calls neither", ("A3",), never_chooses),
    returns(
        "a name that only looks ambiguous through another connector is not",
        ("A3",),
        "async () => [(await class_.read()).given, (await odd_names.plain()).called]",
        [NONE, "plain"],
    ),
    returns(
        "both of two colliding tools can be called by address",
        ("A3", "A1"),
        'async () => (await connecta.batch([{ address: "odd-names.get-item" }, { address: "odd-names.get_item" }]))'
        ".map((each) => each.data.called)",
        ["get-item", "get_item"],
    ),
    returns(
        "shortcuts list no tools and cannot be changed",
        ("A5",),
        """async () => {
          "use strict";
          const refused = (change) => {
            try { change(); return false; } catch (error) { return error instanceof TypeError; }
          };
          return [Object.keys(probe), Object.isFrozen(probe), "echo" in probe, refused(() => { probe.echo = 1; }),
            refused(() => { delete probe.echo; probe.added = 1; }), Object.isFrozen(probe.echo), typeof probe.echo];
        }""",
        [NOBODY, True, False, True, True, True, "function"],
    ),
    fails(
        "a shortcut is not sanitised a second time",
        ("A5", "A2"),
        'async () => odd_names["get-items"]()',
        {
            "code": "unknown_tool",
            "message": says("get-items"),
            "retryable": False,
            "suggestions": ["odd-names.get-item", "odd-names.get_item", "odd-names.list.items"],
            "nextAction": {
                "function": "connecta.search",
                "arguments": {"query": "get items", "connector": "odd-names"},
            },
        },
    ),
)
