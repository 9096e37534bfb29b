"""Where a client may have its answers sent, and when two such addresses are the same."""

import re
from typing import Final
from urllib.parse import SplitResult, urlsplit

from connecta.limits import Limits

_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_WEB: Final = frozenset({"http", "https"})
_HOST: Final = re.compile(r"(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]+\])(?::[0-9]*)?")
"""A host and a port as every browser reads them: in others it undoes escapes and takes further signs for dots, so that
it would go to another host than the one a person was shown."""
_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]*")
_NEVER: Final = re.compile(
    "about|blob|chrome|chrome-extension|data|file|filesystem|ftp|intent|itms-.*|jar|javascript|mailto|"
    "microsoft-edge.*|ms-.*|resource|search|search-ms|smb|sms|tel|vbscript|view-source|ws|wss|x-safari-.*"
)
"""Schemes that run, read or send something where they are opened; an application's own is none of them."""


def is_redirect(uri: str, limits: Limits) -> bool:
    """Whether a client may have ``uri``: https anywhere, http on the person's own machine, or a scheme of the
    application's (RFC 8252 section 7)."""
    parts = _parts(uri)
    if parts is None or len(uri) > limits.oauth_parameter_chars or "#" in uri:
        return False
    if parts.username is not None or parts.password is not None:
        return False
    if parts.scheme in _WEB:
        named = _HOST.fullmatch(parts.netloc) is not None and bool(parts.hostname)
        return named and (parts.scheme == "https" or parts.hostname in _LOOPBACK)
    return bool(_SCHEME.fullmatch(parts.scheme)) and _NEVER.fullmatch(parts.scheme) is None


def matches(asked: str, known: str) -> bool:
    """Whether ``asked`` is ``known``, character by character; only a loopback port is the client's to choose (RFC 8252
    section 7.3)."""
    if asked == known:
        return True
    one, other = _loopback(asked), _loopback(known)
    return one is not None and one == other


def host_of(uri: str) -> str:
    """The host that ``uri`` leads to, as a person should see it; the scheme where an application has its own: what
    looks like a host there is for the application to choose."""
    parts = urlsplit(uri)
    return (parts.hostname if parts.scheme in _WEB else None) or f"{parts.scheme}:"


def is_application(uri: str) -> bool:
    """Whether ``uri`` leads to an application with a scheme of its own, and to no host."""
    return urlsplit(uri).scheme not in _WEB


def _parts(uri: str) -> SplitResult | None:
    # urlsplit drops line breaks and tabs, and reads on.
    if not uri.isascii() or not uri.isprintable() or set(uri) & set(' "<>\\^`{|}'):
        return None
    try:
        parts = urlsplit(uri)
        parts.port  # noqa: B018 (raises for what is no port)
    except ValueError:
        return None
    return parts


def _loopback(uri: str) -> str | None:
    """``uri`` without its port, if it is one of the person's own machine."""
    parts = _parts(uri)
    if parts is None or parts.scheme != "http" or parts.hostname not in _LOOPBACK or parts.username is not None:
        return None
    return uri.replace(parts.netloc, parts.netloc.removesuffix(f":{parts.port}"), 1)
