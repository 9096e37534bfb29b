"""The outermost layer: whatever happened inside, a short and typed answer leaves."""

import uuid
from functools import partial
from http import HTTPStatus

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from connecta import failures
from connecta.limits import Limits
from connecta.log import logger
from connecta.web.fitting import base64_size, encoded_size
from connecta.web.refusals import refusal


class Backstop:
    """Holds each response until it is whole, and sends a 500 in its place if the application raised instead, or if
    the response cannot travel through Lambda. Nothing here streams, so holding costs nothing."""

    def __init__(self, app: ASGIApp, *, limits: Limits) -> None:
        self._app = app
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        held: list[Message] = []
        try:
            await self._app(scope, receive, partial(_hold, held))
        except Exception:  # noqa: BLE001 (the last door: logged whole, answered with its id)
            correlation_id = uuid.uuid4().hex
            logger.exception("The application raised.", extra={"correlation_id": correlation_id})
            failure = failures.internal(correlation_id)
            await refusal(HTTPStatus.INTERNAL_SERVER_ERROR, failure.code, failure.message)(scope, receive, send)
            return
        if not self._travels(held):
            logger.error("A response was too large to send.", extra={"path": scope["path"]})
            message = "The response was too large to send."
            await refusal(HTTPStatus.INTERNAL_SERVER_ERROR, "result_too_large", message)(scope, receive, send)
            return
        for message in held:
            await send(message)

    def _travels(self, held: list[Message]) -> bool:
        headers = Headers(raw=held[0]["headers"])
        body = b"".join(message.get("body", b"") for message in held)
        size = base64_size(body) if "content-encoding" in headers else encoded_size(body, self._limits)
        return size <= self._limits.response_bytes


async def _hold(held: list[Message], message: Message) -> None:
    held.append(message)
