"""MCP's one endpoint, without HTTP: a body and its headers in, a ``Reply`` out, whatever happens."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from http import HTTPStatus
from typing import Final

from connecta import failures
from connecta.limits import Limits
from connecta.log import logger
from connecta.protocol.sdk import Seam, check_version, era_of
from connecta.protocol.wire import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    Message,
    Reply,
    RequestId,
    RpcError,
    read_batch,
    read_body,
    read_message,
    result_reply,
)
from connecta.text import Json
from connecta.tools.definition import ToolRequest

BATCHING_REVISION: Final = "2025-03-26"
"""The one revision with batches. Its clients send no version header yet."""


class Endpoint:
    """Serves single JSON-RPC messages of every revision it knows. Keeps nothing between them."""

    def __init__(self, seam: Seam, limits: Limits) -> None:
        self._seam = seam
        self._limits = limits

    async def handle(
        self,
        body: bytes,
        headers: Mapping[str, str],
        raw_headers: Iterable[tuple[str, str]],
        request: ToolRequest,
    ) -> Reply:
        """The reply to one POST; cancellation is the only thing that comes out of here as an exception.

        ``headers`` is keyed by lower-case name; ``raw_headers`` are the lines, where duplicates still show.
        """
        try:
            batch = read_batch(body, self._limits) if _may_batch(headers) else None
            if batch is not None:
                return await self._batched(batch, headers, raw_headers, request)
            message = read_body(body, self._limits)
        except RpcError as error:
            return error.reply(None)
        return await self._answered(message, headers, raw_headers, request)

    async def _batched(
        self,
        batch: Sequence[Json],
        headers: Mapping[str, str],
        raw_headers: Iterable[tuple[str, str]],
        request: ToolRequest,
    ) -> Reply:
        """One reply for every request of the batch, in its order; notifications have none (2025-03-26, Batching)."""
        replies: list[Json] = []
        end = time.monotonic() + request.remaining_s
        for each in batch:
            try:
                message = read_message(each, self._limits)
            except RpcError as error:
                replies.append(error.reply(None).message)
                continue
            if message.method == "initialize":
                alone = RpcError(INVALID_REQUEST, "initialize cannot be part of a batch.")
                replies.append(alone.reply(message.id).message)
                continue
            left = replace(request, remaining_s=max(0.0, end - time.monotonic()))
            reply = await self._answered(message, headers, raw_headers, left)
            if reply.body is not None:
                replies.append(reply.message)
        return Reply(HTTPStatus.OK, replies) if replies else Reply(HTTPStatus.ACCEPTED)

    async def _answered(
        self,
        message: Message,
        headers: Mapping[str, str],
        raw_headers: Iterable[tuple[str, str]],
        request: ToolRequest,
    ) -> Reply:
        try:
            if message.id is None:
                return _acknowledged(headers)
            return await self._served(message, message.id, headers, raw_headers, request)
        except RpcError as error:
            return error.reply(message.id)
        except Exception:  # noqa: BLE001 (the last door: logged whole, answered with its id)
            logger.exception("A request failed in a way nobody foresaw.", extra={"correlation_id": request.request_id})
            return internal_error(message.id, request.request_id)

    async def _served(
        self,
        message: Message,
        id: RequestId,
        headers: Mapping[str, str],
        raw_headers: Iterable[tuple[str, str]],
        request: ToolRequest,
    ) -> Reply:
        era = era_of(message, headers, raw_headers)
        return result_reply(id, await self._seam.serve(message, id, era, request))


def _may_batch(headers: Mapping[str, str]) -> bool:
    return headers.get("mcp-protocol-version", BATCHING_REVISION) == BATCHING_REVISION


def internal_error(id: RequestId | None, correlation_id: str) -> Reply:
    """Something of ours broke; the reply says where the log has it and nothing else."""
    failure = failures.internal(correlation_id)
    return RpcError(INTERNAL_ERROR, failure.message, {"correlationId": correlation_id}).reply(id)


def _acknowledged(headers: Mapping[str, str]) -> Reply:
    """A notification is accepted and dropped: there is no session it could be about."""
    check_version(headers.get("mcp-protocol-version"))
    return Reply(HTTPStatus.ACCEPTED)
