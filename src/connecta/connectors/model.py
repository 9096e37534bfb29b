"""What a connector is to the floors above: its tools, one call's result, and a connection for one request."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn, Protocol, runtime_checkable

from connecta.auth.credentials import Authorized
from connecta.connectors.admission import Admission
from connecta.text import MISSING, Json, JsonObject, Missing

if TYPE_CHECKING:
    from connecta.auth.authorizations import Authorizations
    from connecta.connectors.reviewed import ReviewedTools
    from connecta.state.values import Values


@dataclass(frozen=True, slots=True)
class Annotations:
    """The hints a tool carries. ``None`` is "not said", which is never read-only."""

    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None

    @property
    def program_may_call(self) -> bool:
        """Fail-closed: only an explicit read-only hint that no destructive hint contradicts."""
        return self.read_only is True and self.destructive is not True


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool of a catalog, as its downstream advertises it after the deployment's own classification."""

    name: str
    description: str = ""
    title: str | None = None
    input_schema: Json = field(default_factory=lambda: {"type": "object"})
    output_schema: Json = None
    """``None`` is "no output schema"; schemas are kept as they came, broken ones included."""
    annotations: Annotations = Annotations()
    meta: JsonObject | None = None


@dataclass(frozen=True, slots=True)
class ToolResult:
    """One downstream result, nothing flattened.

    ``content`` holds MCP content blocks as they came. ``value`` is set by ``api`` tools only: the Python
    value the tool returned, already JSON.
    """

    content: Sequence[JsonObject] = ()
    structured: Json | Missing = MISSING
    meta: JsonObject | None = None
    is_error: bool = False
    value: Json | Missing = MISSING

    def unwrap(self) -> Json:
        """The value a program sees (S5): an api tool's own value; for an MCP tool a result with a non-text
        block whole, else ``structuredContent``, else the text parsed as JSON when it parses, else the text."""
        if not isinstance(self.value, Missing):
            return self.value
        if any(block.get("type") != "text" for block in self.content):
            return self.mcp()
        if not isinstance(self.structured, Missing):
            return self.structured
        text = "\n".join(str(block.get("text", "")) for block in self.content)
        try:
            return json.loads(text, parse_constant=_refuse, parse_float=_finite)
        except (ValueError, RecursionError):
            return text

    def mcp(self) -> JsonObject:
        """The result as MCP's ``CallToolResult``: ``content`` and whichever other fields are there."""
        result: JsonObject = {"content": list[Json](self.content)}
        if not isinstance(self.structured, Missing):
            result["structuredContent"] = self.structured
        if self.meta is not None:
            result["_meta"] = self.meta
        if self.is_error:
            result["isError"] = True
        return result


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refuse(text)


def _refuse(constant: str) -> NoReturn:
    """JSON has no NaN and no infinity, though Python's parser takes them."""
    raise ValueError(f"{constant[:20]} is no JSON")


class Connection(Protocol):
    """A connector opened for one request. Never shared between requests, always closed by the scope.

    Methods raise ``Failure`` only; cancellation passes through. Calls come concurrently from different tasks
    (a program's parallel calls), each may be cancelled alone, and ``close`` comes from yet another task: an
    implementation that needs one owning task (anyio cancel scopes) keeps such a task itself.
    """

    async def list_tools(self) -> Sequence[Tool]:
        """Every tool, all pages followed; complete or a ``Failure``."""
        ...

    async def call(self, tool: Tool, args: Mapping[str, Json], deadline_s: float) -> ToolResult:
        """One attempt at one call, given up after ``deadline_s`` seconds. A downstream's own ``isError``
        comes back as a result with ``is_error``, not as an exception."""
        ...

    async def close(self) -> None: ...


@runtime_checkable
class UiPins(Protocol):
    """A connection of a connector whose author wants the ``ui://`` resources that its calls name to be pinned."""

    async def ui_hash(self, uri: str) -> str | None:
        """The content hash of the resource as the downstream hands it out, ``None`` when it does not. Raises
        nothing."""
        ...


@runtime_checkable
class Connector(Authorized, Protocol):
    """One downstream of the deployment: plain configuration, safe to share between requests."""

    @property
    def description(self) -> str: ...
    @property
    def guide(self) -> str | None: ...
    @property
    def guide_summary(self) -> str | None: ...
    @property
    def guide_required(self) -> bool: ...
    @property
    def timeout_s(self) -> float: ...
    @property
    def admission(self) -> Admission | None:
        """How many calls it takes; ``None`` where its author bounds nothing."""
        ...

    @property
    def cacheable_catalog(self) -> bool:
        """False where the tools are known in process (``api``), so that no state is read for them."""
        ...

    @property
    def reviewed(self) -> "ReviewedTools | None":
        """The tools somebody has looked at, which drift is counted against; ``None`` where nobody keeps a list."""
        ...

    @property
    def fingerprint(self) -> str:
        """Changes whenever a cached catalog of this connector must not be used any more (URL, classification)."""
        ...

    def problems(self) -> Sequence[str]:
        """What is wrong with this connector's configuration, each naming its fix; empty when nothing is."""
        ...

    def open(self, values: "Values | None" = None, authorizations: "Authorizations | None" = None) -> Connection:
        """A connection for one request; connects lazily, so opening is free. ``values`` is where it may keep some;
        without ``authorizations`` it has no credential that is kept."""
        ...
