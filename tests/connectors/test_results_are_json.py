"""What a downstream sends is handed on only where it is JSON."""

from dataclasses import replace

import pytest

from connecta import Connecta, DeploymentError, api
from connecta.catalog.catalog import distinct
from connecta.connectors.mcp_tools import Review, result_of, tools_of
from connecta.connectors.model import ToolResult
from connecta.connectors.transport import is_public
from connecta.failures import Failure
from connecta.limits import LIMITS
from connecta.text import Json


@pytest.mark.parametrize("text", ['{"x": NaN}', "[1e999]", "-Infinity", "NaN"])
def test_text_with_a_number_json_does_not_have_stays_text(text: str) -> None:
    """S5: as JSON where it parses."""
    assert ToolResult([{"type": "text", "text": text}]).unwrap() == text


def test_structured_content_with_a_number_json_does_not_have_is_a_typed_failure() -> None:
    with pytest.raises(Failure, match="not finite"):
        result_of({"content": [], "structuredContent": {"x": float("inf")}}, "docs.read")


def test_a_name_listed_twice_is_read_only_only_where_every_entry_says_so() -> None:
    """Fail-closed: an address cannot say which of the two is meant."""
    entries: list[Json] = [{"name": "x", "annotations": {"readOnlyHint": True}}, {"name": "x"}]
    [tool] = distinct(tools_of(entries, Review()))
    assert not tool.annotations.program_may_call


@pytest.mark.parametrize("address", ["64:ff9b::a9fe:a9fe", "64:ff9b::a00:1", "::169.254.169.254", "::ffff:10.0.0.1"])
def test_a_private_ipv4_address_in_ipv6_dress_is_private(address: str) -> None:
    assert not is_public(address)


def test_limits_reach_connectors_and_wrong_ones_refuse_the_deployment() -> None:
    connector = api("notes", base_url="https://notes.example")

    @connector.tool(read_only=True)
    async def read(id: str) -> str:  # pyright: ignore[reportUnusedFunction]
        """Read one note."""
        return id

    Connecta(connectors=[connector], limits=replace(LIMITS, call_s=3.0))
    assert connector.timeout_s == 3.0
    with pytest.raises(DeploymentError, match="run_s=…\\) must be greater than 0"):
        Connecta(connectors=[connector], limits=replace(LIMITS, run_s=0))
    with pytest.raises(DeploymentError, match="result_chars=…\\) must be at least 1,000"):
        Connecta(connectors=[connector], limits=replace(LIMITS, result_chars=100))
