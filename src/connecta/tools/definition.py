"""What a tool of ours is to the protocol above it: a definition, and one answer per call."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from connecta.auth.callers import Caller
from connecta.failures import Failure
from connecta.text import Json, JsonObject, compact


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """One entry of ``tools/list``, in MCP's own field names once serialized."""

    name: str
    title: str
    description: str
    input_schema: JsonObject
    annotations: JsonObject
    meta: JsonObject


@dataclass(frozen=True, slots=True)
class Answer:
    """One ``tools/call`` result. ``structured`` is canonical; ``None`` leaves ``structuredContent`` out."""

    content: Sequence[JsonObject]
    structured: Json = None
    meta: JsonObject | None = None
    is_error: bool = False


def text_block(text: str) -> JsonObject:
    return {"type": "text", "text": text}


def object_answer(value: JsonObject, *, meta: JsonObject | None = None) -> Answer:
    """An object result, returned twice as MCP asks: ``structuredContent`` and one compact-JSON text block."""
    return Answer([text_block(compact(value))], value, meta)


def error_answer(failure: Failure, **beside: Json) -> Answer:
    """``isError`` with ``{ error: <envelope>, …beside }`` in text and ``structuredContent``."""
    value: JsonObject = {"error": failure.envelope(), **beside}
    return Answer([text_block(compact(value))], value, is_error=True)


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """What the door knows of one request."""

    caller: Caller
    request_id: str
    """For the log and for activity."""
    remaining_s: float
    """Seconds until the platform gives the request up."""
    origin: str = ""
    """The public origin of this deployment, without a trailing slash."""


@dataclass(frozen=True, slots=True)
class Toolset:
    """Seven definitions, always the same, and the instructions that go with them."""

    definitions: Sequence[ToolDefinition]
    instructions: str = field(default="")


class ToolService(Protocol):
    """The seam between ``protocol`` and ``tools``. ``call`` is given a known name and any object; it checks the
    arguments itself, answers every ``Failure`` as a result, and raises only what is a bug of ours."""

    @property
    def toolset(self) -> Toolset: ...

    async def call(self, name: str, arguments: JsonObject, request: ToolRequest) -> Answer: ...
