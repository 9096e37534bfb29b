"""``python -m connecta reviewed``: how far connectors have moved from their reviewed lists, and writing such a list."""

import asyncio
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from connecta.catalog.catalog import Catalog
from connecta.catalog.listing import listed
from connecta.composition import load_deployment
from connecta.connectors.remote_mcp import RemoteMcp
from connecta.connectors.reviewed import reviewed_text
from connecta.deployment import Connecta, DeploymentError
from connecta.failures import Failure
from connecta.local.errors import CommandError

_COUNTS: Final = (
    "{added} added, {removed} removed, {schema_changed} schema changed, {annotation_changed} annotation changed"
)


class ReviewedError(CommandError):
    """The tools cannot be listed or the list cannot be written; the message says what to change."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the command was asked for. Without ``write`` it prints a line for each connector, or the named one."""

    deployment: str
    connector: str | None
    write: Path | None


def show_reviewed(wanted: Wanted) -> None:
    """Ask the servers themselves, never a kept catalog. Raises ``ReviewedError``."""
    try:
        sys.path.insert(0, os.getcwd())
        deployment = load_deployment(wanted.deployment)
        chosen = _chosen(deployment, wanted.connector)
        if wanted.write is not None:
            print(_written(chosen, deployment, wanted.write))
            return
        for catalog in asyncio.run(_asked(chosen, deployment)):
            print(_described(catalog))
    except (ValueError, ImportError, DeploymentError) as error:
        raise ReviewedError(str(error)) from error
    except Failure as failure:
        raise ReviewedError(failure.message) from failure


def _chosen(deployment: Connecta, connector_id: str | None) -> Sequence[RemoteMcp]:
    remote = {connector.id: connector for connector in deployment.connectors if isinstance(connector, RemoteMcp)}
    if connector_id is not None and connector_id not in remote:
        known = ", ".join(remote) or "none"
        raise ReviewedError(f'"{connector_id}" is no remote_mcp(…) connector of this deployment; those are: {known}.')
    return [remote[connector_id]] if connector_id is not None else list(remote.values())


def _written(chosen: Sequence[RemoteMcp], deployment: Connecta, to: Path) -> str:
    if len(chosen) != 1:
        raise ReviewedError("--write takes the tools of one connector; name it.")
    (catalog,) = asyncio.run(_asked([chosen[0].unclassified()], deployment))
    try:
        to.write_text(reviewed_text(catalog.tools), encoding="ascii")
    except OSError as error:
        raise ReviewedError(f"{to} cannot be written: {error.strerror}.") from error
    return f"{catalog.connector.id}: {len(catalog.tools)} tools written to {to}"


async def _asked(connectors: Sequence[RemoteMcp], deployment: Connecta) -> list[Catalog]:
    return [await _listed(connector, deployment) for connector in connectors]


async def _listed(connector: RemoteMcp, deployment: Connecta) -> Catalog:
    connection = connector.open()
    try:
        return await listed(connector, lambda: connection, deployment.limits, fetched_at=0.0)
    finally:
        await connection.close()


def _described(catalog: Catalog) -> str:
    drift = catalog.drift
    said = "no reviewed list" if drift is None else _COUNTS.format(**drift.counts)
    return f"{catalog.connector.id}: {len(catalog.tools)} tools, {said}"
