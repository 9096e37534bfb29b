"""``execute_code``: the envelope of a run, its blocks and view, and its failures."""

import json
from dataclasses import replace
from typing import Any

import pytest

from connecta.limits import LIMITS
from connecta.text import JsonObject, compact
from tests.program.test_output import PIXEL
from tests.tools.conftest import House, house_of


def program(body: str) -> JsonObject:
    return {"code": f"async () => {{ {body} }}"}


async def test_a_plain_run_gives_exactly_its_result(stateless_house: House) -> None:
    """R6, byte for byte."""
    answer = await stateless_house.call("execute_code", {"code": "async () => 1 + 1"})
    assert (list(answer.content), answer.structured, answer.meta) == (
        [{"type": "text", "text": '{"result":2}'}],
        {"result": 2},
        None,
    )


async def test_calls_shortcuts_and_batches_reach_the_same_tools(stateless_house: House) -> None:
    """A2, S5, S7."""
    value = await stateless_house.value(
        "execute_code",
        program(
            """
            const called = await connecta.call("desk.read_note", { id: "a" });
            const short = await desk.read_note({ id: "b", lines: 2 });
            const batch = await connecta.batch([
              { address: "desk.read_note", args: { id: "c" } },
              { address: "desk.nothing" },
              { address: "desk.write_note", args: { id: "d" } },
            ]);
            return { called, short, batch: batch.map((o) => o.ok ? o.data : [o.address, o.errorDetails.code]) };
            """
        ),
    )
    assert value["result"] == {
        "called": {"id": "a", "lines": 1},
        "short": {"id": "b", "lines": 2},
        "batch": [
            {"id": "c", "lines": 1},
            ["desk.nothing", "unknown_tool"],
            ["desk.write_note", "destructive_tool_requires_approval"],
        ],
    }
    assert {event.source for event in stateless_house.place.events} == {"execute_code"}
    assert len(stateless_house.place.events) == 5


async def test_a_failure_inside_is_catchable_and_escapes_typed(stateless_house: House) -> None:
    """E1, E4, E6."""
    error = await stateless_house.error("execute_code", program('await connecta.call("desk.write_note", {});'))
    assert error["code"] == "destructive_tool_requires_approval"
    assert error["nextAction"]["tool"] == "call_destructive_tool"
    value = await stateless_house.value(
        "execute_code",
        program("try { await desk.nothing(); } catch (e) { return [e.code, e.retryable, e.details.nextAction]; }"),
    )
    assert value["result"][:2] == ["unknown_tool", False]
    assert value["result"][2]["function"] == "connecta.search"


async def test_a_batch_outcome_thrown_on_keeps_its_type(stateless_house: House) -> None:
    """E6."""
    body = 'const [o] = await connecta.batch([{ address: "desk.write_note" }]); throw new Error("failed: " + o.error);'
    error = await stateless_house.error("execute_code", program(body))
    assert error["code"] == "destructive_tool_requires_approval"


async def test_one_slow_call_of_a_batch_costs_only_itself() -> None:
    """S7, L4: each call of a batch keeps to the bound of a host call by itself."""
    async for quick in house_of(replace(LIMITS, host_call_s=1.5)):
        value = await quick.value(
            "execute_code",
            program(
                'const o = await connecta.batch([{ address: "desk.read_note", args: { id: "a" } },'
                '{ address: "desk.slow" }]); return o.map((x) => x.ok ? x.data.id : x.errorDetails.code);'
            ),
        )
        assert value["result"] == ["a", "timeout"]
        assert sorted(event.outcome for event in quick.place.events) == ["success", "timeout"]


async def test_blocks_follow_the_envelope_and_leave_structured_content_out(house: House) -> None:
    """M2, U3, U13."""
    image = f'{{ type: "image", data: "{PIXEL}", mimeType: "image/png" }}'
    answer = await house.call(
        "execute_code",
        program(f'await connecta.emit({image}); await connecta.ui("<p>hi"); return "x".repeat(30000);'),
    )
    assert answer.structured is None
    envelope = json.loads(str(answer.content[0]["text"]))
    assert (envelope["emitted"], envelope["ui"], envelope["view"][:2]) == (1, True, "v_")
    assert (envelope["result"]["truncated"], envelope["result"]["totalChars"]) == (True, 30_002)
    assert list(answer.content[1:]) == [{"type": "image", "data": PIXEL, "mimeType": "image/png"}]
    assert answer.meta == {"connecta/ui": {"html": "<p>hi"}}
    kept = await house.call("get_result", {"id": envelope["view"]})
    assert kept.meta == {"connecta/ui": {"html": "<p>hi"}}
    assert "<p>hi" not in str(kept.content)


async def test_a_view_that_cannot_be_kept_is_delivered_without_an_id(stateless_house: House) -> None:
    """U3."""
    answer = await stateless_house.call("execute_code", program('await connecta.ui("<p>hi"); return 1;'))
    assert answer.structured == {"result": 1, "ui": True}
    assert answer.meta == {"connecta/ui": {"html": "<p>hi"}}


async def test_a_failed_run_delivers_nothing_and_says_what_it_discarded(stateless_house: House) -> None:
    """M4, U3."""
    answer = await stateless_house.call(
        "execute_code",
        program(
            'console.log("so far"); await connecta.emit({ type: "text", text: "a" }); await connecta.ui("<p>");'
            'throw new Error("no");'
        ),
    )
    assert answer.is_error
    assert answer.meta is None
    assert len(answer.content) == 1
    value: Any = answer.structured
    assert (value["error"]["code"], value["error"]["emittedDiscarded"], value["error"]["uiDiscarded"]) == (
        "run_error",
        1,
        True,
    )
    assert value["logs"] == "so far"


@pytest.mark.parametrize(
    "value", ['"x".repeat(24001)', 'Array(5000).fill("\\"\\\\")', '"é𝄞".repeat(20000)', '"\\u0000".repeat(9000)']
)
async def test_a_return_value_over_its_bound_becomes_an_envelope_under_it(stateless_house: House, value: str) -> None:
    """R2, R3."""
    result = (await stateless_house.value("execute_code", program(f"return {value};")))["result"]
    assert set(result) == {"truncated", "preview", "totalChars", "hint"}
    assert len(compact(result)) <= 24_000
    assert len(result["preview"]) > 1_000


async def test_the_call_budget_is_the_run_s_own_and_catchable(stateless_house: House) -> None:
    """L4."""
    value = await stateless_house.value(
        "execute_code",
        program(
            'let made = 0; try { for (;;) { await desk.read_note({ id: "a" }); made++; } }'
            "catch (e) { return [made, e.code]; }"
        ),
    )
    assert value["result"] == [50, "budget_exceeded"]


async def test_a_program_that_calls_on_after_every_refusal_is_ended_naming_the_bound(stateless_house: House) -> None:
    """E5, L4: the same program would end the same way, so it is not retryable."""
    body = "for (let i = 0; i < 2500; i++) try { await connecta.emit(5); } catch {}"
    error = await stateless_house.error("execute_code", program(body))
    assert (error["code"], error["retryable"]) == ("budget_exceeded", False)


async def test_diagnostics_are_numbers_and_fixed_names(stateless_house: House) -> None:
    """R7, R8, M10, U9."""
    value = await stateless_house.value(
        "execute_code", {**program('await desk.read_note({ id: "secret" }); return 1;'), "diagnostics": True}
    )
    diagnostics = value["diagnostics"]
    assert set(diagnostics) == {
        "admissionMs",
        "sandboxStartMs",
        "wallMs",
        "guestCpuMs",
        "catalogMs",
        "connectorMs",
        "operations",
    }
    assert set(diagnostics["operations"]) == {"shortcut"}
    assert "secret" not in str(diagnostics)
    assert "read_note" not in str(diagnostics)


async def test_a_program_over_its_size_is_refused_before_anything_runs(stateless_house: House) -> None:
    """L4."""
    error = await stateless_house.error("execute_code", {"code": "async () => 1 //" + "x" * 262_144})
    assert error["code"] == "invalid_args"
    assert "at most 256 KiB" in error["message"]
