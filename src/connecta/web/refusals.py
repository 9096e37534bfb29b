"""What HTTP itself refuses, before any JSON-RPC is read: one small JSON shape."""

from collections.abc import Mapping

from starlette.responses import JSONResponse


def refusal(status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """``{ "error": { code, message } }`` with an HTTP error status."""
    return JSONResponse({"error": {"code": code, "message": message}}, status, headers)
