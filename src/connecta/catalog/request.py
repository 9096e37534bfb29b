"""What search and describe are asked for, read from a caller's arguments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, cast

from connecta import failures
from connecta.limits import LIMITS, Limits
from connecta.text import Json

Safety = Literal["readOnly", "approvalRequired", "all"]
Format = Literal["compact", "json"]

_SAFETY: Final = ("readOnly", "approvalRequired", "all")
_FORMATS: Final = ("compact", "json")
_SEARCH_FIELDS: Final = (
    "query",
    "connector",
    "safety",
    "limit",
    "offset",
    "fullDescriptions",
    "includeSchemas",
    "includeSchemaKeys",
)
_DESCRIBE_FIELDS: Final = ("address", "addresses", "format", "fullDescriptions")


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One page of one search. ``limit`` and ``offset`` count tools."""

    query: str = ""
    connector: str | None = None
    safety: Safety = "all"
    limit: int = LIMITS.search_default
    offset: int = 0
    full_descriptions: bool = False
    include_schemas: Format | None = None
    include_schema_keys: bool = False


@dataclass(frozen=True, slots=True)
class DescribeRequest:
    addresses: tuple[str, ...]
    format: Format = "compact"
    full_descriptions: bool = False


def search_request(arguments: Mapping[str, Json], limits: Limits = LIMITS) -> SearchRequest:
    """Raises ``invalid_args`` for an unknown field, a wrong type or a number out of bounds (S3)."""
    read = _Fields(arguments, _SEARCH_FIELDS, "search")
    query = read.text("query") or ""
    if len(query) > limits.query_chars:
        raise failures.invalid_args(f"query has at most {limits.query_chars} characters; a few words find more.")
    return SearchRequest(
        query=query,
        connector=read.text("connector"),
        safety=cast(Safety, read.choice("safety", _SAFETY) or "all"),
        limit=read.whole("limit", 1, limits.search_max, limits.search_default),
        offset=read.whole("offset", 0, None, 0),
        full_descriptions=read.flag("fullDescriptions"),
        include_schemas=cast("Format | None", read.choice("includeSchemas", _FORMATS)),
        include_schema_keys=read.flag("includeSchemaKeys"),
    )


def describe_request(arguments: Mapping[str, Json], limits: Limits = LIMITS) -> DescribeRequest:
    """``{ address }`` or ``{ addresses }``; at most ``limits.describe_addresses`` (S4). Raises ``invalid_args``."""
    read = _Fields(arguments, _DESCRIBE_FIELDS, "describe")
    address, addresses = read.text("address"), arguments.get("addresses")
    asked = [address] if addresses is None else addresses
    if not isinstance(asked, list) or (address is not None) == (addresses is not None):
        raise failures.invalid_args("describe takes either address, a string, or addresses, a list of strings.")
    named = tuple(name for name in asked if isinstance(name, str))
    if not 1 <= len(asked) <= limits.describe_addresses or len(named) != len(asked):
        raise failures.invalid_args(f"addresses is a list of 1 to {limits.describe_addresses} strings.")
    return DescribeRequest(
        named,
        cast(Format, read.choice("format", _FORMATS) or "compact"),
        read.flag("fullDescriptions"),
    )


class _Fields:
    """Typed reading of optional fields; JSON null is "not given"."""

    def __init__(self, arguments: Mapping[str, Json], known: Sequence[str], operation: str) -> None:
        self._arguments = arguments
        unknown = next((name for name in arguments if name not in known), None)
        if unknown is not None:
            raise failures.invalid_args(
                f'{operation} has no option "{failures.quote(unknown)}". Its options are: {", ".join(known)}.'
            )

    def text(self, name: str) -> str | None:
        value = self._arguments.get(name)
        if value is not None and not isinstance(value, str):
            raise failures.invalid_args(f"{name} is a string.")
        return value

    def flag(self, name: str) -> bool:
        value = self._arguments.get(name)
        if value is not None and not isinstance(value, bool):
            raise failures.invalid_args(f"{name} is true or false.")
        return value is True

    def choice(self, name: str, options: Sequence[str]) -> str | None:
        value = self._arguments.get(name)
        if value is not None and value not in options:
            raise failures.invalid_args(f"{name} is one of: {', '.join(options)}.")
        return cast("str | None", value)

    def whole(self, name: str, low: int, high: int | None, default: int) -> int:
        """A whole number; JavaScript's 8 may arrive as 8.0."""
        value = self._arguments.get(name)
        if value is None:
            return default
        number = int(value) if isinstance(value, float) and value.is_integer() else value
        if (
            isinstance(number, bool)
            or not isinstance(number, int)
            or number < low
            or (high is not None and number > high)
        ):
            bounds = f"of {low} or more" if high is None else f"from {low} to {high}"
            raise failures.invalid_args(f"{name} is a whole number {bounds}.")
        return number
