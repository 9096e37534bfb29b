"""What a client says of itself, in a document or when it registers: read with bounds, and only what is used."""

from dataclasses import dataclass
from typing import cast

from connecta.auth.authorization_server.redirects import host_of, is_redirect
from connecta.limits import Limits
from connecta.text import JsonObject, json_object, printable


class BadMetadata(ValueError):
    """The metadata cannot be used. ``error`` is RFC 7591's code, the message ours."""

    def __init__(self, message: str, error: str = "invalid_client_metadata") -> None:
        super().__init__(message)
        self.error = error


@dataclass(frozen=True, slots=True)
class ClientMetadata:
    """``name`` is what the client calls itself: printable, short, and proof of nothing."""

    name: str
    redirect_uris: tuple[str, ...]


def parsed(body: bytes) -> JsonObject:
    """The JSON object that ``body`` is. Raises ``BadMetadata``."""
    value = json_object(body)
    if value is None:
        raise BadMetadata("The metadata must be a JSON object.")
    return value


def read_metadata(given: JsonObject, limits: Limits) -> ClientMetadata:
    """What is used of ``given`` (RFC 7591 section 2); the rest is ignored. Raises ``BadMetadata``.

    A client that asks for a secret, or for more grants than there are, is registered without (section 3.2.1).
    """
    redirect_uris = _redirects(given.get("redirect_uris"), limits)
    for field, needed in (("grant_types", "authorization_code"), ("response_types", "code")):
        listed = given.get(field)
        if listed is not None and not (isinstance(listed, list) and needed in listed):
            raise BadMetadata(f"{field} must list {needed}.")
    name = given.get("client_name")
    shown = printable(name[: limits.client_name_chars]).strip() if isinstance(name, str) else ""
    return ClientMetadata(shown or host_of(redirect_uris[0]), redirect_uris)


def _redirects(given: object, limits: Limits) -> tuple[str, ...]:
    listed = cast("list[object]", given) if isinstance(given, list) else []
    uris = tuple(uri for uri in listed if isinstance(uri, str) and is_redirect(uri, limits))
    if not listed or len(listed) > limits.client_redirects or len(uris) != len(listed):
        raise BadMetadata(
            f"redirect_uris must list 1 to {limits.client_redirects} addresses: https, http on a loopback host, or a "
            "scheme of the application, without a fragment.",
            "invalid_redirect_uri",
        )
    return uris
