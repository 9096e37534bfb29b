"""The server's own guides as a model reads them: their examples run, and what they say of the product is so."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from connecta.catalog.request import describe_request, search_request
from connecta.failures import Failure
from connecta.limits import LIMITS, Limits
from connecta.sandbox.config import OPERATIONS
from connecta.text import Json, JsonObject, size
from connecta.tools.examples import CHART, JOINED, LISTED, TABLE
from connecta.tools.usage import usage
from examples.shop.data import CUSTOMERS, DOCUMENTS, ORDERS
from tests.fixtures.local_server import call_tool


@pytest.fixture(scope="module")
def served(shop_endpoint: str) -> str:
    """The Markdown of ``usage`` as the ``skills`` tool answers it."""
    return guide(shop_endpoint, "usage")


@pytest.fixture(scope="module")
def views_served(shop_endpoint: str) -> str:
    return guide(shop_endpoint, "views")


def guide(endpoint: str, name: str) -> str:
    (block,) = call_tool(endpoint, "skills", {"name": name})["content"]
    assert block["type"] == "text"
    return block["text"]


def programs(guide: str) -> list[str]:
    return re.findall(r"^```js\n(.*?)^```$", guide, re.DOTALL | re.MULTILINE)


def prose(guide: str) -> str:
    """The guide without its programs."""
    return re.sub(r"^```js\n.*?^```$", "", guide, flags=re.DOTALL | re.MULTILINE)


def run(endpoint: str, code: str) -> dict[str, Any]:
    return call_tool(endpoint, "execute_code", {"code": code})


def read_only(endpoint: str, address: str, args: JsonObject) -> Any:
    """What the shop answers right now, by the other road to its tools."""
    result = call_tool(endpoint, "call_tool", {"address": address, "args": args, "resultMode": "value"})
    return result["structuredContent"]["data"]


def test_a_guide_is_no_longer_than_what_it_saves(served: str, views_served: str) -> None:
    """Bytes: models read all of it."""
    assert size(served) < 6_000
    assert size(views_served) < 4_600


def test_each_guide_has_two_examples(served: str, views_served: str) -> None:
    """Those of ``views`` are the ones the preview offers, too."""
    assert programs(served) == [JOINED, LISTED]
    assert programs(views_served) == [TABLE, CHART]


def test_the_joining_example_runs_and_repairs_its_wrong_id(served: str, shop_endpoint: str) -> None:
    """S1, S2, S5, E1: the first id is refused, so the document comes from the search that follows."""
    assert "refund policy" not in DOCUMENTS
    totals = {
        customer: sum(o["total"] for o in ORDERS.values() if (o["customer_id"], o["status"]) == (customer, "delivered"))
        for customer in CUSTOMERS
    }
    best = sorted(CUSTOMERS, key=lambda customer: -totals[customer])[:2]
    answer = {
        "result": {
            "best": [{"name": CUSTOMERS[each]["name"], "spent": round(totals[each], 2)} for each in best],
            "policy": DOCUMENTS["refund-policy"]["title"],
        }
    }
    result = run(shop_endpoint, programs(served)[0])
    (block,) = result["content"]
    assert json.loads(block["text"]) == answer
    assert result["structuredContent"] == answer
    assert not result.get("isError")


def test_the_small_view_runs_and_returns_what_it_shows(served: str, shop_endpoint: str) -> None:
    """U3, U12."""
    paid = [order for order in ORDERS.values() if order["status"] == "paid"]
    result = run(shop_endpoint, programs(served)[1])
    assert without_view(result) == {"result": {"notSent": len(paid)}, "ui": True}
    rows = "".join(f"<tr><td>{order['id']}<td>{order['total']:g}" for order in paid)
    assert result["_meta"]["connecta/ui"]["html"] == f"<h2>Not sent yet</h2><table>{rows}</table>"
    assert not result.get("isError")


def test_the_table_example_runs_and_returns_what_its_view_shows(views_served: str, shop_endpoint: str) -> None:
    """U3, U12."""
    open_orders = [order for order in ORDERS.values() if order["status"] in ("paid", "shipped", "returned")]
    result = run(shop_endpoint, programs(views_served)[0])
    envelope = without_view(result)
    total = round(sum(order["total"] for order in open_orders), 2)
    assert envelope == {"result": {"open": len(open_orders), "total": total}, "ui": True}
    html = result["_meta"]["connecta/ui"]["html"]
    for order in open_orders:
        cells = (order["id"], CUSTOMERS[order["customer_id"]]["name"], order["placed"], f"{order['total']:.2f}")
        assert "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) in html
    assert not result.get("isError")


def test_the_chart_example_runs_and_delivers_an_image_a_view_and_a_summary(
    views_served: str, shop_endpoint: str
) -> None:
    """M2, U3, U12: blocks leave ``structuredContent`` out, and the text envelope is complete."""
    months = read_only(shop_endpoint, "shop.revenue_by_month", {})["months"]
    (chart,) = call_tool(shop_endpoint, "call_tool", {"address": "shop.revenue_chart"})["content"]
    result = run(shop_endpoint, programs(views_served)[1])
    assert without_view(result) == {
        "result": {"months": len(months), "best": max(months, key=lambda each: each["revenue"])},
        "emitted": 1,
        "ui": True,
    }
    assert result["content"][1:] == [chart]
    html = result["_meta"]["connecta/ui"]["html"]
    assert re.findall(r">([^<>]+)</text>", html) == [
        text for each in months for text in (each["month"], f"{each['revenue']:.2f}")
    ]
    assert "structuredContent" not in result
    assert not result.get("isError")


def without_view(result: dict[str, Any]) -> dict[str, Any]:
    """The envelope of a result, less the view's id that is different each time."""
    envelope = json.loads(result["content"][0]["text"])
    assert re.fullmatch(r"v_[\w-]{20,}", envelope.pop("view"))
    return envelope


def test_the_guide_names_every_function_and_no_other(served: str, views_served: str) -> None:
    assert set(re.findall(r"\bconnecta\.(\w+)", served)) == set(OPERATIONS)
    assert set(re.findall(r"\bconnecta\.(\w+)", views_served)) <= set(OPERATIONS)


def options_of(guide: str, function: str) -> dict[str, str | None]:
    """Every option the guide's signatures of ``function`` name, with the values it lists for it."""
    signatures = re.findall(rf"`connecta\.{function}\((.*?)\)`(?: or `\((.*?)\)`)?", prose(guide))
    listed = ", ".join(part.strip("{} ") for signature in signatures for part in signature if part)
    named = (each.partition(":") for each in listed.split(", "))
    return {name.strip(" ?"): values.strip() or None for name, _, values in named}


def taken(read: Callable[[Mapping[str, Json]], object]) -> list[str]:
    """The options a function takes, as it lists them to whoever names another one."""
    with pytest.raises(Failure) as refused:
        read({"nonsense": 1})
    return refused.value.message.partition("Its options are: ")[2].removesuffix(".").split(", ")


def test_the_options_of_search_are_exactly_those_it_takes(served: str) -> None:
    """S1, S1a."""
    assert list(options_of(served, "search")) == taken(search_request)
    assert set(re.findall(r'`"(\w+)"`', served)) == {"readOnly", "approvalRequired", "all", "compact", "json"}
    for safety in ("readOnly", "approvalRequired", "all"):
        assert search_request({"safety": safety}).safety == safety
    for schemas in ("compact", "json"):
        assert search_request({"includeSchemas": schemas}).include_schemas == schemas


def test_the_options_of_describe_are_exactly_those_it_takes(served: str) -> None:
    """S4."""
    options = options_of(served, "describe")
    assert list(options) == taken(describe_request)
    assert options["format"] == '"compact" | "json"'
    assert describe_request({"addresses": ["shop.get_order"], "format": "json"}).format == "json"
    assert describe_request({"address": "shop.get_order"}).format == "compact"


def shape(guide: str, first: str) -> tuple[set[str], set[str]]:
    """The fields of the object shape that begins with ``first``: those always there, and all of them."""
    found = re.search(rf"`\{{ ({first}\b.*?) \}}`", prose(guide))
    assert found is not None
    fields = [name.partition(":")[0] for name in found[1].split(", ")]
    return {name for name in fields if not name.endswith("?")}, {name.removesuffix("?") for name in fields}


def fits(value: dict[str, Any], fields: tuple[set[str], set[str]]) -> bool:
    always, known = fields
    return always <= set(value) <= known


PROBE = """async () => {
  const everything = { safety: "all", limit: 3, fullDescriptions: true, includeSchemas: "compact" };
  const first = await connecta.search(everything);
  const weak = await connecta.search({ ...everything, query: "order zebra" });
  const described = await connecta.describe({ addresses: ["shop.get_order", "shop.nothing"] });
  const outcomes = await connecta.batch([{ address: "shop.get_order", args: { id: "o-2003" } }, { address: "shop.x" }]);
  const thrown = await connecta.call("shop.get_order", { order: 1 }).catch((error) => error);
  const { code, message, retryable, details } = thrown;
  return { pages: [first, weak], described: described.tools, outcomes, thrown: { code, message, retryable, details } };
}"""


def test_the_shapes_are_those_the_functions_answer_with(served: str, shop_endpoint: str) -> None:
    """S1, S2, S4, S7, S8, E1, E8: on pages, rows, described tools, outcomes and errors of a real run."""
    seen = run(shop_endpoint, PROBE)["structuredContent"]["result"]
    page, row = shape(served, "tools, total"), shape(served, "address, name")
    first, weak = seen["pages"]
    assert fits(first, page)
    assert fits(weak, page)
    assert {"nextOffset"} <= set(first)
    assert {"matchMode", "queryAnalysis"} <= set(weak)
    assert all(fits(each, row) for each in [*first["tools"], *weak["tools"], seen["described"][0]])
    assert fits(seen["described"][1], shape(served, "address, error"))
    assert fits(seen["outcomes"][0], shape(served, "address, ok: true"))
    assert fits(seen["outcomes"][1], shape(served, "address, ok: false"))
    assert seen["outcomes"][1]["errorDetails"]["code"] == "unknown_tool"
    assert seen["thrown"]["code"] == "invalid_args"
    assert all(set(finding) == {"path", "code", "expected"} for finding in seen["thrown"]["details"]["findings"])


def test_the_truncation_envelope_is_as_described(served: str, shop_endpoint: str) -> None:
    """R2."""
    result = run(shop_endpoint, 'async () => "x".repeat(30000)')["structuredContent"]["result"]
    assert fits(result, shape(served, "truncated: true"))


CODES = {
    "unknown_tool",
    "unknown_address",
    "ambiguous_tool_alias",
    "invalid_args",
    "destructive_tool_requires_approval",
    "auth_required",
    "not_found",
    "connector_call_failed",
    "result_too_large",
    "budget_exceeded",
    "unavailable",
    "timeout",
    "rate_limited",
    "run_…",
}


def test_every_error_in_the_table_is_a_code_there_is(served: str) -> None:
    """E2, E5."""
    table = [line.split("|")[1] for line in served.splitlines() if line.startswith("| `")]
    assert {code for cell in table for code in re.findall(r"`([^`]+)`", cell)} == CODES


def bounds(limits: Limits) -> set[str]:
    """Every number the guide gives, as it writes them."""
    return {
        "1",
        *(
            f"{number:,}"
            for number in (
                limits.search_max,
                limits.search_default,
                limits.batch_calls,
                limits.result_chars,
                limits.host_calls,
                limits.cpu_ms,
                limits.heap_bytes // 1024**2,
                limits.program_bytes // 1024,
                limits.bridge_bytes,
                limits.describe_addresses,
                limits.page_bytes,
                limits.emitted_blocks,
                limits.emitted_bytes,
                limits.log_chars,
            )
        ),
        f"{limits.host_call_s:g}",
        f"{limits.run_s:g}",
    }


OTHERS = replace(
    LIMITS,
    search_max=91,
    search_default=7,
    batch_calls=12,
    result_chars=23_001,
    host_calls=51,
    host_call_s=14.5,
    run_s=24.5,
    cpu_ms=1_001,
    heap_bytes=65 * 1024**2,
    program_bytes=257 * 1024,
    bridge_bytes=4_000_001,
    describe_addresses=102,
    page_bytes=256_001,
    emitted_blocks=33,
    emitted_bytes=4_000_002,
    log_chars=4_003,
)


def numbers_in(guide: str) -> set[str]:
    # 0-9 are characters of a shortcut, base64 is a name, Markdown's own "1." counts steps, and views have lengths and
    # colours.
    plain = re.sub(r"0-9|base64|^\d\. |\d+ px|\dem|#\w{3}", "", prose(guide), flags=re.MULTILINE)
    return set(re.findall(r"\d[\d,]*(?:\.\d+)?", plain))


def test_every_number_is_a_bound_of_the_deployment(served: str) -> None:
    """L3 - L6, R2, R5, M5."""
    assert numbers_in(served) == bounds(LIMITS)
    assert numbers_in(usage(OTHERS)) == bounds(OTHERS)
