"""What can be wrong with a hand-written tool, each with its fix."""

import re
from collections.abc import Callable, Iterator, Sequence
from inspect import iscoroutinefunction
from typing import Final

from connecta.connectors.cache import TTL_MAX_S
from connecta.connectors.model import Tool
from connecta.text import JsonObject

TOOL_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,128}")


def tool_problems(tool: Tool, function: Callable[..., object], unknown: Sequence[str]) -> Iterator[str]:
    for option in unknown:
        yield f"unknown option {option}=; remove it."
    if not TOOL_NAME.fullmatch(tool.name):
        yield "its name must match [A-Za-z0-9_.-]{1,128}; give it name=."
    if not tool.description.strip():
        yield "it has no description; give it a docstring or description=."
    if tool.annotations.read_only is None:
        yield "it does not say what it may do; add read_only=True or read_only=False."
    if tool.annotations.read_only is True and tool.annotations.destructive is True:
        yield "it says read_only=True and destructive=True; keep one."
    if not iscoroutinefunction(function):
        yield "it is not a coroutine function; write async def."


def cache_problems(tool: Tool, cache: object) -> Iterator[str]:
    if cache is None:
        return
    if not tool.annotations.program_may_call:
        yield "it has cache= and is not read_only=True; a write has to happen."
    if not isinstance(cache, int | float) or isinstance(cache, bool) or not 0 < cache <= TTL_MAX_S:
        yield f"its cache= must be more than 0 and at most {TTL_MAX_S:,} seconds."


def schema_problems(option: str, schema: JsonObject) -> Iterator[str]:
    """An input schema describes an object; both kinds must compile without fetching anything."""
    import jsonschema_rs

    if option == "input_schema" and (not isinstance(schema, dict) or schema.get("type") != "object"):  # pyright: ignore[reportUnnecessaryIsInstance]
        yield 'its input_schema is not one of an object; say "type": "object".'
        return
    try:
        jsonschema_rs.validator_for(schema, offline=True)
    except (ValueError, TypeError):
        yield f"its {option} is not a JSON Schema that compiles; correct it."
