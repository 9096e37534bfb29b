"""Who we are to a downstream: what a connector says it is authorized with."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias, cast

from connecta.addresses import plain_parts_of

SINGLE: Final = "value"
"""The field of a credential that is one value."""
FIELDS_MAX: Final = 8
"""Each is a labelled line of one form."""

_FIELD: Final = re.compile(r"[a-z][a-z0-9_]{0,31}")
_TOKEN: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_SCOPE: Final = re.compile(r"[\x21\x23-\x5b\x5d-\x7e]+")
_FRAMING: Final = frozenset(
    {"host", "content-length", "content-type", "transfer-encoding", "connection", "accept", "accept-encoding"}
    | {"upgrade", "te", "trailer", "mcp-session-id", "mcp-protocol-version"}
)
"""Headers that say how a request is sent; a secret in one would only break it."""


@dataclass(frozen=True, slots=True)
class Credential:
    """A secret only the operator fills in, at ``/credentials``.

    One value is sent as ``<header>: <scheme> <value>``; an empty scheme sends it bare. ``fields`` names several values:
    two with the scheme ``Basic`` are a user name and a password, framed as RFC 7617 says; others are sent nowhere by
    themselves and are for ``ctx.credentials``.
    """

    label: str = "Credential"
    header: str = "Authorization"
    scheme: str = "Bearer"
    fields: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The fields to fill in."""
        return tuple(self.fields) or (SINGLE,)

    @property
    def is_basic(self) -> bool:
        """Whether it is a user name and a password."""
        return self.scheme.lower() == "basic" and len(self.fields) == 2

    @property
    def is_sent(self) -> bool:
        """Whether it goes into a header without anybody's doing."""
        return len(self.names) == 1 or self.is_basic


@dataclass(frozen=True, slots=True)
class OAuth:
    """The downstream's own OAuth: this deployment is a client of the downstream's authorization server.

    ``scopes`` are asked for in place of those the downstream says it wants. Without ``client_id`` the deployment
    names or registers itself; with it, ``env`` names the variable with that client's secret, where it has one.
    ``issuer`` is the one authorization server to connect at; without it the downstream says which, and a client's
    secret goes wherever that is.
    """

    scopes: tuple[str, ...] = ()
    client_id: str | None = None
    env: str | None = None
    issuer: str | None = None


@dataclass(frozen=True, slots=True)
class Token:
    """A bearer token in the function's environment, under the name ``env``."""

    env: str


DownstreamAuth: TypeAlias = Credential | OAuth | Token


class Authorized(Protocol):
    """What has to be known of a connector to authorize its calls."""

    @property
    def id(self) -> str: ...
    @property
    def title(self) -> str | None: ...
    @property
    def url(self) -> str: ...
    @property
    def auth(self) -> DownstreamAuth | None:
        """What its downstream is shown; ``None`` where it wants nothing."""
        ...

    @property
    def allow_private(self) -> bool: ...


def problems_of(auth: object, option: str) -> Iterator[str]:
    """What is wrong with ``auth`` as the ``option`` of a connector, each naming its fix."""
    from connecta.auth.callers import Bearer

    match auth:
        case None:
            pass
        case Bearer():
            yield f"{option}=Bearer(…) is for callers of this deployment; a downstream's token is Token(env=…)."
        case Token():
            if not _is_name(auth.env):
                yield f"{option}=Token(env=…) must name an environment variable."
        case Credential():
            yield from (f"{option}=Credential({problem}" for problem in _credential_problems(auth, option))
        case OAuth() if option == "credential":
            yield "credential= cannot be OAuth(), which is for remote_mcp; use a Credential or a Token."
        case OAuth():
            yield from (f"{option}=OAuth({problem}" for problem in _oauth_problems(auth))
        case _:
            yield f"{option}= must be a Credential, an OAuth or a Token."


def _credential_problems(auth: Credential, option: str) -> Iterator[str]:
    if not _is_name(auth.label) or len(auth.label) > 80:
        yield "label=…) must be a name of at most 80 characters, which its operator is asked for."
    if not _matches(_TOKEN, auth.header):
        yield "header=…) must be the name of an HTTP header."
    elif auth.header.lower() in _FRAMING:
        yield "header=…) names a header that frames a request; name another."
    if auth.scheme != "" and not _matches(_TOKEN, auth.scheme):
        yield 'scheme=…) must be one word like "Bearer", or empty.'
        return
    fields = cast("object", auth.fields)
    if not isinstance(fields, tuple | list):
        yield 'fields=…) must be a tuple of names, like ("user", "password").'
        return
    names = tuple(cast("tuple[object, ...]", fields))
    if not all(_matches(_FIELD, name) for name in names) or len(set(names)) < len(names) or len(names) > FIELDS_MAX:
        yield f"fields=…) must be at most {FIELDS_MAX} different names that match {_FIELD.pattern}."
    elif option != "credential" and len(names) > 1 and not auth.is_basic:
        yield 'fields=…) of a remote_mcp are one, or a user name and a password with scheme="Basic".'


def _oauth_problems(auth: OAuth) -> Iterator[str]:
    scopes = cast("object", auth.scopes)
    if not isinstance(scopes, tuple | list) or not all(
        _matches(_SCOPE, scope) for scope in cast("tuple[object, ...]", scopes)
    ):
        yield 'scopes=…) must be a tuple of scopes, like ("read", "write").'
    if auth.client_id is not None and not _is_name(auth.client_id):
        yield "client_id=…) must be the id the authorization server knows this deployment by."
    if auth.env is not None and not _is_name(auth.env):
        yield "env=…) must name the environment variable with the client's secret."
    elif auth.env is not None and auth.client_id is None:
        yield "env=…) is the secret of a client; give client_id=, too."
    if auth.issuer is not None and not _is_issuer(auth.issuer):
        yield "issuer=…) must be the URL the authorization server names itself by."


def _is_name(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and value.isprintable()


def _is_issuer(value: object) -> bool:
    """RFC 8414 section 2: neither a query nor a fragment."""
    return isinstance(value, str) and plain_parts_of(value) is not None


def _matches(pattern: re.Pattern[str], value: object) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None
