"""Tools by address, described one by one (S4)."""

from collections.abc import Sequence

from connecta import failures
from connecta.catalog.catalog import Catalog
from connecta.catalog.request import Format
from connecta.catalog.rows import RowStyle, tool_row
from connecta.connectors.model import Tool
from connecta.failures import Failure, quote
from connecta.limits import LIMITS, Limits
from connecta.text import Json, JsonObject, compact, size


def describe_tool(
    catalog: Catalog, tool: Tool, *, format: Format = "compact", full: bool = False, limits: Limits = LIMITS
) -> JsonObject:
    """One entry: a search row with schemas and key lists. ``full`` leaves the description whole."""
    return tool_row(catalog, tool, RowStyle(None if full else limits.describe_description_chars, format, keys=True))


def describe_miss(address: str, failure: Failure) -> JsonObject:
    """The entry of an address that cannot be described. It fails alone, and its echo is clamped."""
    return {"address": quote(address), "error": failure.message, "errorDetails": failure.envelope()}


def describe_page(entries: Sequence[JsonObject], limits: Limits = LIMITS) -> JsonObject:
    """``{ tools }`` in request order. Raises ``result_too_large`` over ``limits.page_bytes``."""
    page: JsonObject = {"tools": list[Json](entries)}
    if size(compact(page)) > limits.page_bytes:
        raise failures.result_too_large(
            f"These descriptions are over {limits.page_bytes:,} bytes. Describe fewer addresses at once, leave "
            f'fullDescriptions off, or ask for format "compact".'
        )
    return page
