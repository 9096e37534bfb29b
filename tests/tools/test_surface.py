"""What is always in a model's context: seven tools, their hints, and how many bytes they take."""

from connecta.connectors.model import Connector
from connecta.text import compact, size
from connecta.tools import execute_code
from tests.fixtures.job import TOOL_NAMES
from tests.fixtures.local_server import rpc
from tests.tools.conftest import House


async def test_there_are_seven_tools_in_one_order_each_with_title_schema_hints_and_visibility(
    stateless_house: House,
) -> None:
    """U5."""
    definitions = stateless_house.tools.toolset.definitions
    assert [d.name for d in definitions] == TOOL_NAMES
    for definition in definitions:
        assert definition.title
        assert definition.input_schema["type"] == "object"
        assert not {"anyOf", "oneOf"} & set(definition.input_schema)
        hints = definition.annotations
        assert all(isinstance(hints[key], bool) for key in ("readOnlyHint", "destructiveHint", "openWorldHint"))
        ui = definition.meta["ui"]
        assert isinstance(ui, dict)
        app_too = ["model", "app"] if definition.name == "get_result" else ["model"]
        assert ui["visibility"] == app_too


def test_tools_and_instructions_fit_their_budgets_on_the_wire(shop_endpoint: str) -> None:
    """The serialized ``tools`` array at most 6,000 bytes with the longest inventory, instructions 1,000 characters."""
    tools = rpc(shop_endpoint, "tools/list")["result"]["tools"]
    inventory = tools[0]["description"].rpartition("Connectors: ")[2]
    assert size(compact(tools)) + execute_code.INVENTORY_BYTES - size(inventory) <= 6_000
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    assert 0 < len(rpc(shop_endpoint, "initialize", hello)["result"]["instructions"]) <= 1_000


def test_the_inventory_names_whole_connectors_up_to_its_bound() -> None:
    from connecta import api

    def connectors(*ids: str) -> list[Connector]:
        return [api(id, base_url="https://a.example") for id in ids]

    assert execute_code.inventory(connectors("a", "b-c"), {"b-c": "b_c"}) == "a, b-c (as b_c)"
    many = execute_code.inventory(connectors(*(f"connector-number-{n}" for n in range(40))), {})
    assert size(many) <= 256
    assert many.startswith("connector-number-0, connector-number-1, ")
    shown = many.count("connector-number-")
    assert many.endswith(f", +{40 - shown} more")
