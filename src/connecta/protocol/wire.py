"""JSON-RPC on the wire: reading one message from a body, and the replies that go back."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, NoReturn, TypeAlias, cast

from connecta.limits import Limits
from connecta.text import Json, JsonObject, deeper_than, size

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
RATE_LIMITED: Final = -32000
"""One of those JSON-RPC leaves to servers; HTTP's own status says the same."""

RequestId: TypeAlias = int | str


@dataclass(frozen=True, slots=True)
class Message:
    """One request, or with ``id`` None one notification. ``body`` is the whole JSON-RPC object."""

    id: RequestId | None
    method: str
    params: JsonObject | None
    body: JsonObject


@dataclass(frozen=True, slots=True)
class Reply:
    """What goes back: an HTTP status and a JSON-RPC object (for a batch their list), or no body at all."""

    status: int
    body: JsonObject | list[Json] | None = None

    @property
    def message(self) -> JsonObject:
        """The one JSON-RPC object of the body; empty where there is none or a batch of them."""
        return self.body if isinstance(self.body, dict) else {}


class RpcError(Exception):
    """A request that ends in a JSON-RPC error. ``status`` is HTTP's, as the transport's specification maps it."""

    def __init__(self, code: int, message: str, data: Json = None, *, status: int = HTTPStatus.OK) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data
        self.status = status

    def reply(self, id: RequestId | None) -> Reply:
        """The error as an answer to request ``id``; null where the request could not be read."""
        error: JsonObject = {"code": self.code, "message": self.message}
        if self.data is not None:
            error["data"] = self.data
        return Reply(self.status, {"jsonrpc": "2.0", "id": id, "error": error})


def result_reply(id: RequestId, result: JsonObject) -> Reply:
    return Reply(HTTPStatus.OK, {"jsonrpc": "2.0", "id": id, "result": result})


def read_batch(body: bytes, limits: Limits) -> list[Json] | None:
    """The messages of a batch, unread; ``None`` where ``body`` is none. Raises ``RpcError`` for an empty batch, one
    of more than ``limits.batched_messages``, and for what is no JSON."""
    if not body.lstrip().startswith(b"["):
        return None
    decoded = _decode(body, limits.request_depth)
    if not isinstance(decoded, list) or not 1 <= len(decoded) <= limits.batched_messages:
        raise _invalid(f"A batch holds 1 to {limits.batched_messages} messages.")
    return decoded


def read_body(body: bytes, limits: Limits) -> Message:
    """The one request or notification that ``body`` holds. Raises ``RpcError`` with status 400 for anything else:
    no JSON, a batch, a response, an ``id`` that is neither a string nor an integer."""
    return read_message(_decode(body, limits.request_depth), limits)


def read_message(decoded: Json, limits: Limits) -> Message:
    """``decoded`` as one request or notification. Raises ``RpcError`` as ``read_body`` does."""
    if not isinstance(decoded, dict) or decoded.get("jsonrpc") != "2.0":
        raise _invalid("The body must be one JSON-RPC 2.0 request or notification.")
    method, params = decoded.get("method"), decoded.get("params")
    if not isinstance(method, str):
        raise _invalid("The body must be one JSON-RPC 2.0 request or notification with a method.")
    if "params" in decoded and not isinstance(params, dict):
        raise _invalid("params must be an object.")
    return Message(_read_id(decoded, limits), method, params if isinstance(params, dict) else None, decoded)


def _decode(body: bytes, depth: int) -> Json:
    try:
        decoded = cast(Json, json.loads(body.decode("utf-8"), parse_constant=_refuse, parse_float=_finite))
    except (ValueError, RecursionError):
        raise _unreadable("Parse error") from None
    # Counting brackets first keeps the walk, which visits every value, off all but unusual bodies.
    if body.count(b"[") + body.count(b"{") > depth and deeper_than(decoded, depth):
        raise _unreadable(f"Parse error: nested deeper than {depth} levels")
    return decoded


def _read_id(message: Mapping[str, Json], limits: Limits) -> RequestId | None:
    if "id" not in message:
        return None
    id = message["id"]
    if isinstance(id, bool) or not isinstance(id, int | str):
        raise _invalid("id must be a string or an integer.")
    # The id is echoed, so it is bounded like everything else that is.
    if size(str(id)) > limits.echo_bytes:
        raise _invalid(f"id must be at most {limits.echo_bytes} bytes.")
    return id


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        _refuse(text)
    return number


def _refuse(_: str) -> NoReturn:
    raise ValueError("not a JSON number")


def _unreadable(message: str) -> RpcError:
    return RpcError(PARSE_ERROR, message, status=HTTPStatus.BAD_REQUEST)


def _invalid(message: str) -> RpcError:
    return RpcError(INVALID_REQUEST, message, status=HTTPStatus.BAD_REQUEST)
