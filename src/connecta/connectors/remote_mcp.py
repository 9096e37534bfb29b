"""``remote_mcp``: a connector whose tools are those of an MCP server reached over HTTP."""

from collections.abc import Collection
from copy import copy
from pathlib import Path
from typing import Never, cast

from connecta.auth.authorizations import Authorizations
from connecta.auth.credentials import DownstreamAuth
from connecta.connectors.admission import Admission
from connecta.connectors.authored import AuthoredConnector, Settings
from connecta.connectors.mcp_connection import McpConnection
from connecta.connectors.mcp_pins import PinningMcpConnection
from connecta.connectors.mcp_tools import Era, Review
from connecta.connectors.model import Connection
from connecta.connectors.reviewed import ReviewedProblem, ReviewedTools, reviewed_tools
from connecta.state.values import Values


class RemoteMcp(AuthoredConnector):
    """Built by ``remote_mcp(…)``."""

    cacheable_catalog = True

    def __init__(
        self,
        id: str,
        settings: Settings,
        read_only: Collection[str],
        destructive: Collection[str],
        *,
        reviewed: str | Path | None = None,
        pin_ui: bool = False,
    ) -> None:
        super().__init__(id, settings)
        self.pin_ui = self._switch("pin_ui", pin_ui)
        self.review = Review(self._names("read_only", read_only), self._names("destructive", destructive))
        self.era = Era()
        for name in sorted(self.review.read_only & self.review.destructive):
            self.refuse(f'read_only= and destructive= both name "{name}"; keep one.')
        self.reviewed = None if reviewed is None else self._reviewed(reviewed)

    @property
    def fingerprint(self) -> str:
        return self.digest(sorted(self.review.read_only), sorted(self.review.destructive))

    def open(self, values: Values | None = None, authorizations: Authorizations | None = None) -> Connection:
        if self.pin_ui:
            return PinningMcpConnection(self, values, authorizations)
        return McpConnection(self, authorizations)

    def unclassified(self) -> "RemoteMcp":
        """The same server, its tools annotated as it says itself: what a reviewed list holds."""
        twin = copy(self)
        twin.review = Review()
        return twin

    def _reviewed(self, path: str | Path) -> ReviewedTools | None:
        try:
            return reviewed_tools(path, self.review)
        except ReviewedProblem as problem:
            self.refuse(f"reviewed= {problem}")
            return None

    def _switch(self, option: str, given: object) -> bool:
        if not isinstance(given, bool):
            self.refuse(f"{option}= must be True or False.")
        return given is True

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
    reviewed: str | Path | None = None,
    timeout: float | None = None,
    allow_private: bool = False,
    admission: Admission | None = None,
    pin_ui: bool = False,
    **unknown: Never,
) -> RemoteMcp:
    """A connector to the MCP server at ``url``, of either protocol era. ``read_only`` and ``destructive`` classify
    tools that the server leaves unannotated; ``reviewed`` is the path of a list that ``python -m connecta reviewed``
    wrote, which drift is counted against; ``timeout`` is seconds per call. ``pin_ui=True`` fetches the ``ui://``
    resources that calls name, so that activity has the hash of what a host would have shown."""
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
    return RemoteMcp(id, settings, read_only, destructive, reviewed=reviewed, pin_ui=pin_ui)
