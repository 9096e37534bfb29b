"""``api``: a connector whose tools are Python functions over an HTTP API."""

import asyncio
import logging
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import getdoc, iscoroutinefunction
from traceback import format_exception
from typing import TYPE_CHECKING, Never, TypeVar, cast

from connecta import failures
from connecta.auth.authorizations import Authorizations
from connecta.auth.credentials import Credential, Token
from connecta.auth.presented import Presented
from connecta.connectors.admission import Admission
from connecta.connectors.authored import AuthoredConnector, Settings
from connecta.connectors.cache import Cache
from connecta.connectors.checks import cache_problems, schema_problems, tool_problems
from connecta.connectors.context import Context
from connecta.connectors.identity import Identity
from connecta.connectors.model import Annotations, Connection, Tool, ToolResult
from connecta.connectors.results import result_of
from connecta.failures import Failure
from connecta.state.values import Values
from connecta.text import Json, JsonObject, Missing, compact

if TYPE_CHECKING:
    import httpx2

    from connecta.connectors.schemas import Signature

F = TypeVar("F", bound=Callable[..., object])


@dataclass(frozen=True, slots=True)
class ApiTool:
    """A tool and the function behind it. ``signature`` is ``None`` where the author gave the input schema, and the
    arguments are passed on as they came."""

    tool: Tool
    function: Callable[..., object]
    signature: "Signature | None"
    cache_s: float | None = None
    """How long an answer to the same arguments is good for."""

    def arguments(self, args: Mapping[str, Json], operation: str) -> Mapping[str, object]:
        return args if self.signature is None else self.signature.arguments(args, operation)


class Api(AuthoredConnector):
    """Built by ``api(…)``; its tools are added with ``@connector.tool(…)``."""

    cacheable_catalog = False
    reviewed = None
    """Its tools are the deployment's own code, which is reviewed as such."""

    def __init__(self, id: str, settings: Settings) -> None:
        super().__init__(id, settings)
        self._tools: dict[str, ApiTool] = {}

    @property
    def fingerprint(self) -> str:
        return self.digest()

    @property
    def tools(self) -> Mapping[str, ApiTool]:
        return self._tools

    def problems(self) -> Sequence[str]:
        none = [] if self._tools else [f'connector "{self.id}": it has no tools; add one with @….tool(read_only=…).']
        return [*super().problems(), *none]

    def open(self, values: Values | None = None, authorizations: Authorizations | None = None) -> Connection:
        return _ApiConnection(self, values, authorizations)

    def tool(
        self,
        *bare: Callable[..., object],
        read_only: bool | None = None,
        destructive: bool | None = None,
        idempotent: bool | None = None,
        open_world: bool | None = None,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        input_schema: JsonObject | None = None,
        output_schema: JsonObject | None = None,
        cache: float | None = None,
        **unknown: Never,
    ) -> Callable[[F], F]:
        """Register ``async def f(ctx, …)`` as a tool. Name, description and schemas come from its name, docstring and
        annotations unless given; ``read_only`` must be given. A read with ``cache`` seconds answers the same arguments
        from what it answered before, for every caller. ``bare`` catches the decorator used without
        parentheses: like all that is wrong, it is said when ``Connecta`` is built."""

        def register(function: F) -> F:
            hints = Annotations(read_only, destructive, idempotent, open_world)
            tool = Tool(
                name=name or getattr(function, "__name__", ""),
                description=description or getdoc(function) or "",
                title=title,
                annotations=hints,
            )
            self._register(function, tool, input_schema, output_schema, cache, tuple(unknown))
            return function

        for function in bare:
            register(cast("F", function))
        return register

    def _register(
        self,
        function: Callable[..., object],
        tool: Tool,
        input_schema: JsonObject | None,
        output_schema: JsonObject | None,
        cache: float | None,
        unknown: Sequence[str],
    ) -> None:
        problems = [*tool_problems(tool, function, unknown), *cache_problems(tool, cache)]
        if tool.name in self._tools:
            problems.append("there are two tools of this name; rename one.")
        signature: Signature | None = None
        if input_schema is None and iscoroutinefunction(function):
            from connecta.connectors.schemas import SchemaProblem, signature_of

            try:
                signature = signature_of(function)
                input_schema = signature.input_schema
                output_schema = signature.output_schema if output_schema is None else output_schema
            except SchemaProblem as problem:
                problems.append(f"it has {problem}.")
        for option, schema in (("input_schema", input_schema), ("output_schema", output_schema)):
            if schema is not None:
                problems.extend(schema_problems(option, schema))
        for problem in problems:
            self.refuse(f'tool "{tool.name}": {problem}')
        tool = replace(tool, input_schema=input_schema or {"type": "object"}, output_schema=output_schema)
        self._tools[tool.name] = ApiTool(tool, function, signature, cache)


def api(
    id: str,
    *,
    base_url: str = "",
    title: str | None = None,
    description: str = "",
    credential: Credential | Token | None = None,
    guide: str | None = None,
    guide_summary: str | None = None,
    guide_required: bool = False,
    timeout: float | None = None,
    allow_private: bool = False,
    admission: Admission | None = None,
    **unknown: Never,
) -> Api:
    """A connector of hand-written tools over the HTTP API at ``base_url``; ``timeout`` is seconds per call."""
    return Api(
        id,
        Settings(
            url_option="base_url",
            url=base_url,
            title=title,
            description=description,
            guide=guide,
            guide_summary=guide_summary,
            guide_required=guide_required,
            timeout=timeout,
            auth=credential,
            allow_private=allow_private,
            admission=admission,
            unknown=tuple(unknown),
        ),
    )


class _ApiConnection:
    """One request's connection: one HTTP client for all its calls."""

    def __init__(self, connector: Api, values: Values | None, authorizations: Authorizations | None) -> None:
        self._connector = connector
        self._identity = Identity(connector, authorizations)
        self._logger = logging.getLogger(f"connecta.connectors.{connector.id}")
        self._cache = Cache(values, connector.id, self._identity.is_repeated)
        self._client: httpx2.AsyncClient | None = None

    async def list_tools(self) -> Sequence[Tool]:
        return [known.tool for known in self._connector.tools.values()]

    async def call(self, tool: Tool, args: Mapping[str, Json], deadline_s: float) -> ToolResult:
        operation = failures.quote(f"{self._connector.id}.{tool.name}")
        known = self._connector.tools.get(tool.name)
        if known is None:
            raise failures.not_found(f'"{self._connector.id}" has no tool "{failures.quote(tool.name)}".')
        if known.cache_s is None:
            return await self._fresh(known, args, operation, deadline_s)
        key = f"tool {tool.name} {compact(dict(sorted(args.items())))}"
        kept = await self._cache.read(key)
        if kept is not None:
            return result_of(kept[0], operation)
        result = await self._fresh(known, args, operation, deadline_s)
        if not isinstance(result.value, Missing):
            await self._cache.set(key, result.value, known.cache_s)
        return result

    async def _fresh(self, known: ApiTool, args: Mapping[str, Json], operation: str, deadline_s: float) -> ToolResult:
        end = time.monotonic() + deadline_s
        bound = asyncio.timeout(deadline_s)
        asked_to_stop = _times_cancelled()
        try:
            async with bound:
                context = self._context(operation, await self._identity.presented(operation), end)
                value = await cast("Awaitable[object]", known.function(context, **known.arguments(args, operation)))
        except Failure as failure:
            raise self._passed_on(failure, operation) from None
        except (Exception, SystemExit, asyncio.CancelledError) as error:
            if isinstance(error, asyncio.CancelledError) and _times_cancelled() > asked_to_stop:
                raise
            if isinstance(error, ExceptionGroup) and (told := _told_by_all(cast("ExceptionGroup[Exception]", error))):
                raise self._passed_on(told, operation) from None
            if isinstance(error, TimeoutError) and bound.expired():
                raise failures.timeout(f"{operation} did not finish within {failures.span(deadline_s)}.") from None
            correlation_id = uuid.uuid4().hex[:12]
            self._log(operation, cast("BaseException", error), correlation_id)
            raise failures.call_failed(
                f"{operation} failed in the deployment's own code. Its log has it under {correlation_id}."
            ) from None
        result = result_of(value, operation)
        if self._identity.is_repeated(result.mcp()):
            raise failures.repeats_credential(operation)
        return result

    def _passed_on(self, failure: Failure, operation: str) -> Failure:
        """``failure``, whose words may be the function's own."""
        repeated = self._identity.is_repeated(failure.envelope())
        return failures.repeats_credential(operation, failed=True) if repeated else failure

    def _log(self, operation: str, error: BaseException, correlation_id: str) -> None:
        if self._identity.is_repeated("".join(format_exception(error)), in_error=True):
            words = "%s raised %s, in words that repeat a credential and are left out [%s]"
            self._logger.error(words, operation, type(error).__name__, correlation_id)
        else:
            self._logger.error("%s raised [%s]", operation, correlation_id, exc_info=error)

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    def _context(self, operation: str, presented: Presented, end: float) -> Context:
        from connecta.connectors.http import Http

        connector = self._connector
        fields = presented.fields
        return Context(
            http=Http(self._http_client, connector.id, operation, self._identity, presented),
            cache=self._cache,
            credential=next(iter(fields.values())) if len(fields) == 1 else None,
            credentials=fields,
            deadline=end,
            logger=self._logger,
        )

    def _http_client(self) -> "httpx2.AsyncClient":
        if self._client is None:
            from connecta.connectors.transport import guarded_client

            self._client = guarded_client(
                self._connector.url,
                self._connector.id,
                allow_private=self._connector.allow_private,
                limit=self._connector.limits.downstream_bytes,
            )
        return self._client


def _times_cancelled() -> int:
    """How often somebody asked this task to end. A ``CancelledError`` without that is the function's own: it waited for
    something that was cancelled, and nobody else would ever answer the call.
    """
    task = asyncio.current_task()
    return task.cancelling() if task else 0


def _told_by_all(group: ExceptionGroup[Exception]) -> Failure | None:
    """The first failure of calls a function made at once in a task group, where nothing else went wrong in it."""
    told, other = group.split(Failure)
    if told is None or other is not None:
        return None
    first: Exception = told
    while isinstance(first, ExceptionGroup):
        first = cast("ExceptionGroup[Exception]", first).exceptions[0]
    return cast("Failure", first)
