"""``python -m connecta reviewed``: how far connectors have moved from their reviewed lists, and writing such a list."""

import asyncio
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from connecta.auth.authorizations import Authorizations
from connecta.auth.credentials import Credential, OAuth
from connecta.auth.vault.keys import FILE_VARIABLE, keys_in
from connecta.auth.vault.local_key import FILE
from connecta.auth.vault.vault import Vault
from connecta.catalog.catalog import Catalog
from connecta.catalog.listing import listed
from connecta.composition import kept_credentials, load_deployment
from connecta.connectors.remote_mcp import RemoteMcp
from connecta.connectors.reviewed import reviewed_text
from connecta.deployment import Connecta, DeploymentError
from connecta.failures import Failure
from connecta.local.errors import CommandError
from connecta.local.states import Place, with_state
from connecta.state import State

_COUNTS: Final = (
    "{added} added, {removed} removed, {schema_changed} schema changed, {annotation_changed} annotation changed"
)


class ReviewedError(CommandError):
    """The tools cannot be listed or the list cannot be written; the message says what to change."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the command was asked for. Without ``write`` it prints a line for each connector, or the named one. At
    ``place`` are the credentials and grants that servers may want."""

    place: Place
    connector: str | None
    write: Path | None


def show_reviewed(wanted: Wanted) -> None:
    """Ask the servers themselves, never a kept catalog. Raises ``ReviewedError``."""
    try:
        sys.path.insert(0, os.getcwd())
        deployment = load_deployment(wanted.place.deployment)
        chosen = _chosen(deployment, wanted.connector)
        if wanted.write is not None:
            print(_written(chosen, deployment, wanted.place, wanted.write))
            return
        for catalog in asyncio.run(_asked(chosen, deployment, wanted.place)):
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


def _written(chosen: Sequence[RemoteMcp], deployment: Connecta, place: Place, to: Path) -> str:
    if len(chosen) != 1:
        raise ReviewedError("--write takes the tools of one connector; name it.")
    (catalog,) = asyncio.run(_asked([chosen[0].unclassified()], deployment, place))
    try:
        to.write_text(reviewed_text(catalog.tools), encoding="ascii")
    except OSError as error:
        raise ReviewedError(f"{to} cannot be written: {error.strerror}.") from error
    return f"{catalog.connector.id}: {len(catalog.tools)} tools written to {to}"


async def _asked(connectors: Sequence[RemoteMcp], deployment: Connecta, place: Place) -> list[Catalog]:
    if not any(isinstance(connector.auth, Credential | OAuth) for connector in connectors):
        return await _all_listed(connectors, deployment, Authorizations())

    async def with_what_is_kept(state: State) -> list[Catalog]:
        local = {FILE_VARIABLE: str(place.data / FILE)} if place.table is None else {}
        environ = {**local, **os.environ}
        vault = Vault(keys_in(environ, deployment.limits), deployment.name, deployment.limits)
        try:
            kept = kept_credentials(state, vault, deployment.limits, environ)
            return await _all_listed(connectors, deployment, Authorizations(*kept))
        finally:
            await vault.close()

    return await with_state(place, with_what_is_kept)


async def _all_listed(
    connectors: Sequence[RemoteMcp], deployment: Connecta, authorizations: Authorizations
) -> list[Catalog]:
    return [await _listed(connector, deployment, authorizations) for connector in connectors]


async def _listed(connector: RemoteMcp, deployment: Connecta, authorizations: Authorizations) -> Catalog:
    connection = connector.open(authorizations=authorizations)
    try:
        return await listed(connector, lambda: connection, deployment.limits, fetched_at=0.0)
    finally:
        await connection.close()


def _described(catalog: Catalog) -> str:
    drift = catalog.drift
    said = "no reviewed list" if drift is None else _COUNTS.format(**drift.counts)
    return f"{catalog.connector.id}: {len(catalog.tools)} tools, {said}"
