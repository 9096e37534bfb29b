"""What the cases read out of a ``tools/call`` result."""

import json
from typing import Any


def envelope(result: dict[str, Any]) -> dict[str, Any]:
    """The envelope of a run that succeeded, from the text every client gets."""
    assert not result.get("isError"), result["content"][0]["text"][:2_000]
    return json.loads(result["content"][0]["text"])


def failed(result: dict[str, Any]) -> dict[str, Any]:
    """``{ error, logs?, … }`` of a run that failed: the same in text and in ``structuredContent``, and alone (E1)."""
    assert result.get("isError") is True, result["content"][0]["text"][:2_000]
    assert len(result["content"]) == 1
    value = json.loads(result["content"][0]["text"])
    assert result["structuredContent"] == value
    assert "_meta" not in result or "connecta/ui" not in result["_meta"]
    return value


def error_of(result: dict[str, Any]) -> dict[str, Any]:
    return failed(result)["error"]


def value_of(result: dict[str, Any]) -> Any:
    return envelope(result)["result"]


def compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def size(value: object) -> int:
    """Serialized bytes."""
    return len(compact(value).encode())


def beside(result: dict[str, Any]) -> set[str]:
    """What a result has beside the protocol's own fields and its name for itself."""
    own = {"content", "isError", "resultType", "_meta"}
    return (set(result) - own) | {
        key for key in result.get("_meta", {}) if not key.startswith("io.modelcontextprotocol/")
    }
