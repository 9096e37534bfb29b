"""What a client says it can take: ``Accept`` and ``Accept-Encoding`` (RFC 9110 sections 12.5.1 and 12.5.3)."""

from typing import Final

_JSON_RANGES: Final = ("application/json", "application/*", "*/*")
"""The ranges that say something of JSON, the most specific first."""


def accepts_json(accept: str) -> bool:
    """Whether JSON may be sent. Only ``q=0`` forbids it: MCP obliges every client to take JSON, and a client that
    forgot to say so is better served than refused."""
    qualities = _qualities(accept)
    return next((qualities[name] for name in _JSON_RANGES if name in qualities), 1.0) > 0


def accepts_gzip(accept_encoding: str) -> bool:
    qualities = _qualities(accept_encoding)
    return qualities.get("gzip", qualities.get("*", 0.0)) > 0


def _qualities(header: str) -> dict[str, float]:
    return dict(_quality(part) for part in header.lower().split(",") if part.strip())


def _quality(part: str) -> tuple[str, float]:
    name, *parameters = (piece.strip() for piece in part.split(";"))
    for parameter in parameters:
        key, _, value = parameter.partition("=")
        if key.strip() == "q":
            try:
                return name, float(value)
            except ValueError:
                return name, 0.0
    return name, 1.0
