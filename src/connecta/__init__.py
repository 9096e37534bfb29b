"""The names a deployment is written with, and nothing else; each is imported when it is first used."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from connecta.auth.access_tokens import AccessTokens
    from connecta.auth.authorization_server.config import AuthorizationServer, DeclaredClient
    from connecta.auth.callers import Bearer, Open
    from connecta.auth.credentials import Credential, OAuth, Token
    from connecta.auth.oidc import Oidc
    from connecta.auth.sign_in.config import OidcProvider, Passphrase
    from connecta.connectors.admission import Admission
    from connecta.connectors.api import api
    from connecta.connectors.context import Context
    from connecta.connectors.remote_mcp import remote_mcp
    from connecta.connectors.results import Image
    from connecta.deployment import Connecta, DeploymentError
    from connecta.limits import Limits

__all__ = [
    "AccessTokens",
    "Admission",
    "AuthorizationServer",
    "Bearer",
    "Connecta",
    "Context",
    "Credential",
    "DeclaredClient",
    "DeploymentError",
    "Image",
    "Limits",
    "OAuth",
    "Oidc",
    "OidcProvider",
    "Open",
    "Passphrase",
    "Token",
    "api",
    "remote_mcp",
]

_HOMES: Final = {
    "AccessTokens": "auth.access_tokens",
    "Admission": "connectors.admission",
    "AuthorizationServer": "auth.authorization_server.config",
    "Bearer": "auth.callers",
    "Connecta": "deployment",
    "Context": "connectors.context",
    "Credential": "auth.credentials",
    "DeclaredClient": "auth.authorization_server.config",
    "DeploymentError": "deployment",
    "Image": "connectors.results",
    "Limits": "limits",
    "OAuth": "auth.credentials",
    "Oidc": "auth.oidc",
    "OidcProvider": "auth.sign_in.config",
    "Open": "auth.callers",
    "Passphrase": "auth.sign_in.config",
    "Token": "auth.credentials",
    "api": "connectors.api",
    "remote_mcp": "connectors.remote_mcp",
}


def __getattr__(name: str) -> Any:
    """Every module of the house passes through this package, and most need none of these names."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
