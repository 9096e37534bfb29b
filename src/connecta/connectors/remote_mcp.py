"""``remote_mcp``: a connector whose tools are those of an MCP server reached over HTTP."""

from collections.abc import Collection
from typing import Never, cast

from connecta.auth.credentials import DownstreamAuth
from connecta.connectors.admission import Admission
from connecta.connectors.authored import AuthoredConnector, Settings
from connecta.connectors.mcp_connection import McpConnection
from connecta.connectors.mcp_tools import Era, Review
from connecta.connectors.model import Connection
from connecta.state.values import Values


class RemoteMcp(AuthoredConnector):
    """Built by ``remote_mcp(…)``."""

    cacheable_catalog = True

    def __init__(self, id: str, settings: Settings, read_only: Collection[str], destructive: Collection[str]) -> None:
        super().__init__(id, settings)
        self.review = Review(self._names("read_only", read_only), self._names("destructive", destructive))
        self.era = Era()
        for name in sorted(self.review.read_only & self.review.destructive):
            self.refuse(f'read_only= and destructive= both name "{name}"; keep one.')

    @property
    def fingerprint(self) -> str:
        return self.digest(sorted(self.review.read_only), sorted(self.review.destructive))

    def open(self, values: Values | None = None) -> Connection:
        return McpConnection(self)

    def _names(self, option: str, given: object) -> frozenset[str]:
        if isinstance(given, set | frozenset | list | tuple):
            names = cast("Collection[object]", given)
            kept = frozenset(name for name in names if isinstance(name, str))
            if len(kept) == len(names):
                return kept
        self.refuse(f'{option}= must be a set of tool names, like {{"search"}}.')
        return frozenset()


def remote_mcp(
    id: str,
    *,
    url: str = "",
    auth: DownstreamAuth | None = None,
    title: str | None = None,
    description: str = "",
    guide: str | None = None,
    guide_summary: str | None = None,
    guide_required: bool = False,
    read_only: Collection[str] = frozenset(),
    destructive: Collection[str] = frozenset(),
    timeout: float | None = None,
    allow_private: bool = False,
    admission: Admission | None = None,
    **unknown: Never,
) -> RemoteMcp:
    """A connector to the MCP server at ``url``, of either protocol era. ``read_only`` and ``destructive`` classify
    tools that the server leaves unannotated; ``timeout`` is seconds per call."""
    settings = Settings(
        url_option="url",
        url=url,
        title=title,
        description=description,
        guide=guide,
        guide_summary=guide_summary,
        guide_required=guide_required,
        timeout=timeout,
        auth=auth,
        allow_private=allow_private,
        admission=admission,
        unknown=tuple(unknown),
    )
    return RemoteMcp(id, settings, read_only, destructive)
