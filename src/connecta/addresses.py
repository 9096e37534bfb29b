"""Which of the URLs that a deployment's author writes down could be asked at all."""

import re
from ipaddress import ip_address
from typing import Final
from urllib.parse import SplitResult, urlsplit

_NAME: Final = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?")
_NUMBERS: Final = re.compile(r"[0-9]+(\.[0-9]+){3}")


def parts_of(url: str) -> SplitResult | None:
    """The parts of an absolute URL without credentials, ``None`` where no client could ask what ``url`` says."""
    try:
        parts = urlsplit(url)
        return parts if _is_absolute(parts) and url.isprintable() and " " not in url else None
    except ValueError:
        return None


def plain_parts_of(url: str) -> SplitResult | None:
    """The same, ``None`` also where there is a query or a fragment, be it an empty one."""
    return None if {"?", "#"} & set(url) else parts_of(url)


def _is_absolute(parts: SplitResult) -> bool:
    """Whether they name a host over HTTP, and nobody's password. Raises ``ValueError`` for a host or a port that cannot
    be."""
    named = parts.scheme in ("http", "https") and _is_host(parts.hostname or "")
    return named and parts.port != 0 and "@" not in parts.netloc


def _is_host(host: str) -> bool:
    """Whether the HTTP client takes ``host``: an address as it is usually written, or a name DNS could have."""
    if ":" in host or _NUMBERS.fullmatch(host):
        ip_address(host)
    return bool(_NAME.fullmatch(host.encode("idna").decode())) or ":" in host
