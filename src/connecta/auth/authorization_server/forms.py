"""What clients send: parameters in a query or a form, each at most once and of a bounded length."""

from collections.abc import Sequence
from typing import TypeAlias
from urllib.parse import parse_qsl

from connecta.auth.authorization_server.errors import invalid_request
from connecta.limits import Limits

Pairs: TypeAlias = Sequence[tuple[str, str]]


def pairs_in(encoded: str, limits: Limits) -> Pairs:
    """The parameters of a query string or a form body. Raises ``OAuthError``."""
    try:
        return parse_qsl(encoded, keep_blank_values=True, max_num_fields=limits.oauth_parameters, errors="strict")
    except ValueError:
        raise invalid_request("The parameters cannot be read, or they are too many.") from None


def parameters_of(pairs: Pairs, limits: Limits) -> dict[str, str]:
    """The parameters by name; an empty one counts as absent. Raises ``OAuthError`` for one that came twice or is too
    long (RFC 6749 3.1, 3.2)."""
    found: dict[str, str] = {}
    for name, value in pairs:
        if name in found:
            raise invalid_request("A parameter came more than once.")
        if len(name) > limits.oauth_parameter_chars or len(value) > limits.oauth_parameter_chars:
            raise invalid_request("A parameter is too long.")
        found[name] = value
    return {name: value for name, value in found.items() if value}
