"""Who we are to a downstream: what a connector says it is authorized with, and how that is framed on the wire."""

import os
from dataclasses import dataclass
from typing import Final, TypeAlias

from connecta import failures
from connecta.failures import Failure, Recovery


@dataclass(frozen=True, slots=True)
class Credential:
    """A secret only the operator fills in. Sent as ``<header>: <scheme> <value>``; an empty scheme sends it bare."""

    label: str = "Credential"
    header: str = "Authorization"
    scheme: str = "Bearer"


@dataclass(frozen=True, slots=True)
class OAuth:
    """The downstream's own OAuth: this deployment is a client of the downstream's authorization server."""


@dataclass(frozen=True, slots=True)
class Token:
    """A bearer token in the function's environment, under the name ``env``."""

    env: str


DownstreamAuth: TypeAlias = Credential | OAuth | Token

NO_STORE: Final = "This deployment has no credential store yet, so its owner cannot give one"


def recovery_of(auth: DownstreamAuth | None) -> Recovery:
    """What can bring a missing or refused credential back."""
    return "operator_config" if isinstance(auth, Token) else "unavailable"


def in_place(auth: DownstreamAuth | None) -> bool:
    """Whether a call can be made as configured; no auth at all needs nothing."""
    return auth is None or (isinstance(auth, Token) and _sendable(os.environ.get(auth.env, "")))


def instructions_for(auth: DownstreamAuth | None, connector: str) -> str:
    """One sentence for a person: what is missing for ``connector``, and who can do something about it."""
    if auth is None:
        return f'"{connector}" asks for a credential and the deployment gives it none: its owner adds auth= to it.'
    if isinstance(auth, Token):
        return (
            f'"{connector}" needs a valid token in the environment variable {auth.env}: '
            "the deployment's owner sets it and deploys again."
        )
    wanted = "an OAuth grant" if isinstance(auth, OAuth) else f'the credential "{auth.label}"'
    return f'"{connector}" needs {wanted}. {NO_STORE}; a Token(env=…) works today.'


def secret_for(auth: DownstreamAuth | None, connector: str, operation: str) -> str | None:
    """The secret to send, ``None`` where the connector declares none. Raises ``auth_required`` (E3)."""
    if auth is None:
        return None
    if isinstance(auth, Token) and in_place(auth):
        return os.environ[auth.env]
    raise missing(auth, connector, operation)


def missing(auth: DownstreamAuth | None, connector: str, operation: str) -> Failure:
    """``auth_required`` for a credential nobody has given, or one the downstream does not take."""
    return failures.auth_required(connector, operation, recovery_of(auth), instructions_for(auth, connector))


def headers_for(auth: DownstreamAuth | None, secret: str | None) -> dict[str, str]:
    """The one header that carries ``secret``."""
    if secret is None:
        return {}
    if isinstance(auth, Credential):
        return {auth.header: f"{auth.scheme} {secret}" if auth.scheme else secret}
    return {"Authorization": f"Bearer {secret}"}


def _sendable(secret: str) -> bool:
    """Whether ``secret`` fits in a header: a line break in it would start another one."""
    return bool(secret) and secret.isascii() and secret.isprintable()
