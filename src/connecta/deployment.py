"""``Connecta(…)``: a deployment, checked whole when it is built and plain configuration ever after."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from types import MappingProxyType
from typing import Final, Literal, Never, TypeAlias, cast, get_args

from connecta.addresses import parts_of
from connecta.auth.access_tokens import AccessTokens
from connecta.auth.authorization_server.config import AuthorizationServer
from connecta.auth.kinds import AuthKind
from connecta.catalog.aliases import RESERVED_GLOBALS, sanitise
from connecta.connectors.authored import ID, AuthoredConnector
from connecta.connectors.model import Connector
from connecta.limits import LIMITS, Limits

SandboxMode: TypeAlias = Literal["standard", "strict"]

LEAST_RESULT_CHARS: Final = 1_000
"""Room for the envelope that stands in for a longer result, and some of its preview."""
SANDBOX_MODES: Final = get_args(SandboxMode)


class DeploymentError(ValueError):
    """A deployment that cannot be built; the message lists everything that is wrong, each with its fix."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        count = "1 problem" if len(self.problems) == 1 else f"{len(self.problems)} problems"
        super().__init__("\n".join([f"This deployment has {count}:", *(f"- {problem}" for problem in self.problems)]))


class Connecta:
    """One deployment: which connectors agents reach, and who may come in.

    ``auth`` kinds are tried in order; ``shortcuts`` maps each JavaScript global to its connector's id (A2).
    Raises ``DeploymentError`` naming every problem at once.
    """

    def __init__(
        self,
        *,
        connectors: Sequence[Connector] = (),
        auth: Sequence[AuthKind] | AuthKind = (),
        name: str = "connecta",
        public_url: str | None = None,
        limits: Limits = LIMITS,
        sandbox: SandboxMode = "standard",
        allowed_origins: Sequence[str] = (),
        **unknown: Never,
    ) -> None:
        problems = [f"unknown option {option}=; remove it." for option in unknown]
        self.connectors: tuple[Connector, ...] = _connectors(connectors, problems)
        self.auth: tuple[AuthKind, ...] = _auth(auth, problems)
        self.name = name
        self.public_url = public_url
        self.limits = limits
        self.sandbox: SandboxMode = sandbox
        self.allowed_origins: tuple[str, ...] = _origins(allowed_origins, problems)
        problems.extend(_option_problems(name, public_url, limits, sandbox))
        if problems:
            raise DeploymentError(problems)
        self.by_id: Mapping[str, Connector] = MappingProxyType({c.id: c for c in self.connectors})
        self.shortcuts: Mapping[str, str] = MappingProxyType({sanitise(c.id): c.id for c in self.connectors})
        for connector in self.connectors:
            if isinstance(connector, AuthoredConnector):
                connector.bind(limits)


def _connectors(given: object, problems: list[str]) -> tuple[Connector, ...]:
    known: list[Connector] = []
    for index, item in enumerate(_items("connectors", given, problems)):
        if isinstance(item, Connector):
            known.append(item)
            problems.extend(item.problems())
        else:
            problems.append(f"connectors[{index}] is a {_kind(item)}; make it with api(…) or remote_mcp(…).")
    if not known:
        problems.append("connectors= names no connector; add one made with api(…) or remote_mcp(…).")
    problems.extend(_name_clashes([c.id for c in known if _is(c.id, str)]))
    return tuple(known)


def _name_clashes(ids: Sequence[str]) -> Iterator[str]:
    """Ids that are the same, or whose shortcut is the same or already means something in JavaScript (A4)."""
    for id, count in Counter(ids).items():
        if count > 1:
            yield f'{count} connectors have the id "{id}"; rename all but one.'
    by_shortcut: dict[str, list[str]] = {}
    for id in dict.fromkeys(ids):
        by_shortcut.setdefault(sanitise(id), []).append(id)
    for shortcut, sharing in by_shortcut.items():
        if len(sharing) > 1:
            listed = ", ".join(f'"{id}"' for id in sharing)
            yield f"the connectors {listed} would share the JavaScript name {shortcut}; rename all but one."
        if shortcut in RESERVED_GLOBALS:
            yield f'the connector id "{sharing[0]}" would cover the JavaScript global {shortcut}; rename it.'


def _auth(given: object, problems: list[str]) -> tuple[AuthKind, ...]:
    known: list[AuthKind] = []
    for item in [given] if isinstance(given, AuthKind) else _items("auth", given, problems):
        if isinstance(item, AuthKind):
            known.append(item)
        else:
            problems.append(
                f"auth= holds a {_kind(item)}; "
                "use Bearer(…), AccessTokens(), AuthorizationServer(…), Oidc(…) or Open()."
            )
    for single in (AccessTokens, AuthorizationServer):
        if sum(isinstance(item, single) for item in known) > 1:
            problems.append(f"auth= holds {single.__name__} more than once; keep one.")
    return tuple(known)


def _origins(given: object, problems: list[str]) -> tuple[str, ...]:
    known: list[str] = []
    for item in _items("allowed_origins", given, problems):
        if isinstance(item, str) and _is_origin(item):
            known.append(item)
        else:
            problems.append(
                "allowed_origins= holds something that is not an origin; write https://host, without a path."
            )
    return tuple(known)


_MAY_BE_NONE: Final = frozenset({"spares", "queued_runs"})
"""Limits of which none at all is a sensible number."""


def _option_problems(name: object, public_url: object, limits: object, sandbox: object) -> Iterator[str]:
    if not isinstance(name, str) or not ID.fullmatch(name):
        yield "name= must match [a-z][a-z0-9_-]{0,62}; rename it."
    if public_url is not None and not (isinstance(public_url, str) and _is_origin(public_url)):
        yield "public_url= must be the origin people reach it at, like https://host, without a path."
    if not isinstance(limits, Limits):
        yield "limits= must be a Limits(…)."
    else:
        for field in fields(limits):
            value, may_be_none = getattr(limits, field.name), field.name in _MAY_BE_NONE
            if not (value > 0 or (may_be_none and value == 0)):
                yield f"limits=Limits({field.name}=…) must be {'0 or greater' if may_be_none else 'greater than 0'}."
        if limits.result_chars < LEAST_RESULT_CHARS:
            yield f"limits=Limits(result_chars=…) must be at least {LEAST_RESULT_CHARS:,}."
    if sandbox not in SANDBOX_MODES:
        yield 'sandbox= must be "standard" or "strict".'


def _items(option: str, given: object, problems: list[str]) -> Sequence[object]:
    if isinstance(given, list | tuple):
        return cast("Sequence[object]", given)
    problems.append(f"{option}= is a {_kind(given)}; write a list.")
    return ()


def _is_origin(text: str) -> bool:
    parts = parts_of(text)
    return parts is not None and text == f"{parts.scheme}://{parts.netloc}"


def _kind(value: object) -> str:
    return type(value).__name__


def _is(value: object, kind: type) -> bool:
    return isinstance(value, kind)
