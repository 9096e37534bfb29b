"""The documents a client finds its way in with: RFC 9728 for the resource, RFC 8414 for the authorization server."""

from collections.abc import Sequence
from typing import Final

from connecta.text import JsonObject

SCOPE: Final = "mcp"
"""The one scope there is: who may come in may use all of it."""
OFFLINE: Final = "offline_access"
"""Asked for by clients that want a refresh token; everybody gets one."""

RESOURCE_PATH: Final = "/mcp"
RESOURCE_METADATA_PATH: Final = "/.well-known/oauth-protected-resource"
SERVER_METADATA_PATH: Final = "/.well-known/oauth-authorization-server"
AUTHORIZE_PATH: Final = "/oauth/authorize"
TOKEN_PATH: Final = "/oauth/token"  # noqa: S105 (a path)
REGISTER_PATH: Final = "/oauth/register"
REVOKE_PATH: Final = "/oauth/revoke"


def resource_of(origin: str) -> str:
    """The identifier of the protected resource at ``origin`` (RFC 8707): the URL clients are given."""
    return origin + RESOURCE_PATH


def is_resource_of(resource: str, origin: str) -> bool:
    """Whether ``resource`` names this server: its URL, or its origin, which serves nothing else."""
    return resource.removesuffix("/") in (resource_of(origin), origin)


def resource_metadata_url(origin: str) -> str:
    return origin + RESOURCE_METADATA_PATH + RESOURCE_PATH


def resource_metadata(origin: str, name: str, servers: Sequence[str], scopes: Sequence[str]) -> JsonObject:
    """RFC 9728 section 2. ``servers`` are the issuers whose tokens come in."""
    return {
        "resource": resource_of(origin),
        "resource_name": name,
        "authorization_servers": [*servers],
        "bearer_methods_supported": ["header"],
        **({"scopes_supported": [*scopes]} if scopes else {}),
    }


def server_metadata(origin: str) -> JsonObject:
    """RFC 8414 section 2, with what RFC 9207 and client-id metadata documents add."""
    return {
        "issuer": origin,
        "authorization_endpoint": origin + AUTHORIZE_PATH,
        "token_endpoint": origin + TOKEN_PATH,
        "registration_endpoint": origin + REGISTER_PATH,
        "revocation_endpoint": origin + REVOKE_PATH,
        "scopes_supported": [SCOPE, OFFLINE],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "authorization_response_iss_parameter_supported": True,
        "client_id_metadata_document_supported": True,
    }
