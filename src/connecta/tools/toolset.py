"""The seven tools together: what ``tools/list`` shows, and the way in to each of them."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from connecta import failures
from connecta.calls.arguments import argument_failure
from connecta.failures import Failure
from connecta.program.run import Programs
from connecta.scope import Scope, Services
from connecta.text import JsonObject
from connecta.tools import (
    authorize_connector,
    call_destructive_tool,
    call_tool,
    execute_code,
    get_result,
    search_tools,
    skills,
)
from connecta.tools.definition import Answer, ToolRequest, Toolset, error_answer

INSTRUCTIONS: Final = (
    "Connecta puts many tools behind seven. For one known or easily found call: search_tools, then call_tool with the "
    "address it printed. For anything more (several calls, joining, filtering, counting, an image, a view): one "
    "execute_code program, which searches and calls by itself. Writes and tools not marked read-only go through "
    "call_destructive_tool, one visible call each. On auth_required call authorize_connector and hand its URL or "
    "instructions to the person. A truncated result names a resultId for get_result; asking for less with fields or in "
    "a program is usually better. connecta.ui and connecta.emit exist only inside a program. "
    'skills({ name: "usage" }) explains programs; connectors may have guides of their own.'
)

Handler = Callable[[JsonObject, Scope], Awaitable[Answer]]


class Tools:
    """``ToolService`` over this process's services."""

    def __init__(self, services: Services, programs: Programs) -> None:
        deployment = services.deployment
        renamed = {id: name for name, id in deployment.shortcuts.items() if name != id}
        self._services = services

        async def run(arguments: JsonObject, scope: Scope) -> Answer:
            return await execute_code.answer(arguments, scope, programs)

        self._handlers: Mapping[str, Handler] = {
            "execute_code": run,
            "search_tools": search_tools.answer,
            "call_tool": call_tool.answer,
            "call_destructive_tool": call_destructive_tool.answer,
            "authorize_connector": authorize_connector.answer,
            "get_result": get_result.answer,
            "skills": skills.answer,
        }
        self.toolset = Toolset(
            (
                execute_code.definition(list(deployment.connectors), renamed, deployment.limits),
                search_tools.DEFINITION,
                call_tool.DEFINITION,
                call_destructive_tool.DEFINITION,
                authorize_connector.DEFINITION,
                get_result.DEFINITION,
                skills.DEFINITION,
            ),
            INSTRUCTIONS,
        )
        self._schemas = {definition.name: definition.input_schema for definition in self.toolset.definitions}

    async def call(self, name: str, arguments: JsonObject, request: ToolRequest) -> Answer:
        """Check the arguments, open the request's scope, answer; every ``Failure`` is an answer."""
        wrong = argument_failure(self._schemas[name], arguments, name)
        if wrong is not None:
            return error_answer(wrong)
        scope = Scope(
            self._services,
            request.caller,
            request.request_id,
            deadline=time.monotonic() + request.remaining_s,
            origin=request.origin,
        )
        async with scope:
            try:
                # The platform answers for a request that runs out of time, and its answer helps nobody.
                async with asyncio.timeout(request.remaining_s - scope.limits.answer_reserve_s / 2):
                    return await self._handlers[name](arguments, scope)
            except TimeoutError:
                return error_answer(failures.timeout(f"{name} took longer than this request may. Ask for less."))
            except Failure as failure:
                return error_answer(failure)
