"""``POST /mcp``: what HTTP asks of an MCP request, then one message to the protocol and one fitted answer back."""

import asyncio
import uuid
from collections.abc import Coroutine, Mapping
from http import HTTPStatus
from typing import Any, Protocol, TypeVar, cast

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from connecta.auth.authenticator import Authenticator, Challenge
from connecta.auth.callers import Caller
from connecta.failures import Failure
from connecta.limits import Limits
from connecta.log import logger
from connecta.protocol.endpoint import Endpoint, internal_error
from connecta.protocol.results import is_tool_result, too_large
from connecta.protocol.wire import Reply
from connecta.text import compact
from connecta.tools.definition import ToolRequest
from connecta.web.bodies import CLIENT_GONE, body_within
from connecta.web.edge import own_origins
from connecta.web.fitting import Fitted, fit
from connecta.web.negotiation import accepts_json
from connecta.web.refusals import refusal
from connecta.web.resource import Resource
from connecta.web.throttle import Throttle, too_many

T = TypeVar("T")


class _LambdaContext(Protocol):
    aws_request_id: str

    def get_remaining_time_in_millis(self) -> int: ...


class McpDoor:
    """The door to one ``Endpoint``. Shared by all requests; keeps nothing of any."""

    def __init__(
        self,
        endpoint: Endpoint,
        authenticator: Authenticator,
        resource: Resource,
        throttle: Throttle,
        *,
        public_url: str | None,
        limits: Limits,
        local: bool,
    ) -> None:
        self._endpoint = endpoint
        self._authenticator = authenticator
        self._resource = resource
        self._throttle = throttle
        self._public_url = public_url
        self._limits = limits
        self._local = local

    async def answer(self, request: Request) -> Response:
        """Who is it, may it have one more request, can the body be read, what does the protocol say, does the answer
        fit: in this order."""
        try:
            caller = await self._admitted(request)
            if isinstance(caller, Response):
                return caller
            refused = _unreadable(request.headers)
            if refused is not None:
                return refused
            body = await body_within(request, self._limits.request_bytes)
        except ClientDisconnect:
            return Response(status_code=CLIENT_GONE)
        if body is None:
            message = f"The request body is larger than {self._limits.request_bytes} bytes."
            return refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "request_too_large", message)
        return await self._served(request, caller, body)

    async def _admitted(self, request: Request) -> Caller | Response:
        """The caller, or what it is told that may not come in, or not yet."""
        address = request.client.host if request.client else ""
        wait_s = self._throttle.token_wait_s(request.headers, address)
        if wait_s > 0:
            return await too_many(request, wait_s, self._limits, of_tokens=True)
        try:
            caller = await self._authenticator.identify(request.headers, address)
        except Failure as failure:
            return refusal(HTTPStatus.SERVICE_UNAVAILABLE, failure.code, failure.message, {"retry-after": "5"})
        if isinstance(caller, Challenge):
            if not caller.forbids and (wait_s := await self._throttle.token_failed(request.headers, address)) > 0:
                return await too_many(request, wait_s, self._limits, of_tokens=True)
            return self._resource.challenge(request, caller)
        self._throttle.token_was_good(caller, request.headers)
        wait_s = await self._throttle.caller_wait_s(caller, address)
        return caller if wait_s == 0 else await too_many(request, wait_s, self._limits)

    async def _served(self, request: Request, caller: Caller, body: bytes) -> Response:
        request_id, remaining_s = _lifetime(request, self._limits)
        origins = own_origins(request.scope, self._public_url, local=self._local)
        tool_request = ToolRequest(caller, request_id, remaining_s, origins[0] if origins else "")
        # Requests overlap on the local server, and these keys are the current task's alone.
        logger.thread_safe_append_keys(request_id=request_id)
        try:
            work = self._endpoint.handle(body, dict(request.headers), request.headers.items(), tool_request)
            # API Gateway does not tell Lambda that a client left, so there is nothing to watch for there.
            reply = await (_unless_gone(request, work) if self._local else work)
            if reply is None:
                return Response(status_code=CLIENT_GONE)
            return self._fitted(reply, request.headers.get("accept-encoding", ""), request_id)
        finally:
            logger.thread_safe_clear_keys()

    def _fitted(self, reply: Reply, accept_encoding: str, request_id: str) -> Response:
        if reply.body is None:
            return Response(status_code=reply.status)
        fitted = fit(_encoded(reply, request_id), accept_encoding, self._limits)
        if fitted.encoded > self._limits.response_bytes and is_tool_result(reply):
            smaller = too_large(reply, fitted.encoded, self._limits.response_bytes)
            fitted = fit(_encoded(smaller, request_id), accept_encoding, self._limits)
        return _response(fitted, reply.status)


def _response(fitted: Fitted, status: int) -> Response:
    headers = {"cache-control": "no-store", "vary": "Accept-Encoding", "x-content-type-options": "nosniff"}
    if fitted.gzipped:
        headers["content-encoding"] = "gzip"
    return Response(fitted.body, status, headers, "application/json")


def _encoded(reply: Reply, request_id: str) -> bytes:
    try:
        return compact(reply.body).encode()
    except (TypeError, ValueError, RecursionError):
        logger.exception("A result is not JSON.", extra={"correlation_id": request_id})
        id = reply.message.get("id")
        return compact(internal_error(cast("int | str", id), request_id).body).encode()


def _unreadable(headers: Mapping[str, str]) -> Response | None:
    """The refusal of a body or an answer in another form than JSON, ``None`` when both sides can speak it."""
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    coding = headers.get("content-encoding", "identity").strip().lower()
    if media_type != "application/json" or coding != "identity":
        message = "The body must be application/json without a content encoding."
        return refusal(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", message)
    if not accepts_json(headers.get("accept", "")):
        return refusal(HTTPStatus.NOT_ACCEPTABLE, "not_acceptable", "This server answers in application/json only.")
    return None


def _lifetime(request: Request, limits: Limits) -> tuple[str, float]:
    """The request's id and the seconds it has left: Lambda's own, or a fresh id and the longest request."""
    context = cast("_LambdaContext | None", request.scope.get("aws.context"))
    if context is None:
        return uuid.uuid4().hex, limits.request_s
    return context.aws_request_id, min(context.get_remaining_time_in_millis() / 1000, limits.request_s)


async def _unless_gone(request: Request, work: Coroutine[Any, Any, T]) -> T | None:
    """What ``work`` returns, or ``None`` once the client has left and ``work``, cancelled, has ended (L2)."""
    working = asyncio.ensure_future(work)
    watching = asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait((working, watching), return_when=asyncio.FIRST_COMPLETED)
        return working.result() if working.done() else None
    finally:
        for task in (working, watching):
            task.cancel()
        await asyncio.gather(working, watching, return_exceptions=True)


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
