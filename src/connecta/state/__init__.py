"""What outlives a request: one DynamoDB table, one module per kind of record."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from connecta.limits import LIMITS, Limits
from connecta.state.activity import Activity
from connecta.state.budgets import Budgets
from connecta.state.catalogs import CatalogRecords
from connecta.state.client import DynamoClient
from connecta.state.leases import Leases
from connecta.state.results import Results
from connecta.state.table import Table
from connecta.state.values import Values
from connecta.state.views import Views


@dataclass(frozen=True, slots=True)
class State:
    """The table of one deployment and the kinds of record in it."""

    table: Table
    results: Results
    views: Views
    catalogs: CatalogRecords
    leases: Leases
    budgets: Budgets
    values: Values
    activity: Activity

    async def close(self) -> None:
        """Close the connections to DynamoDB; the state is not used again."""
        await self.table.close()


def open_state(
    table_name: str,
    deployment: str,
    *,
    endpoint_url: str | None = None,
    limits: Limits = LIMITS,
    now: Callable[[], float] = time.time,
) -> State:
    """State in the table ``table_name``. Nothing is imported from AWS's SDK or connected before first use."""
    return state_in(Table(table_name, DynamoClient(endpoint_url, limits), now=now), deployment, limits)


def state_in(table: Table, deployment: str, limits: Limits) -> State:
    """The state of ``deployment`` in a table that is already open."""
    return State(
        table=table,
        results=Results(table, limits),
        views=Views(table, limits),
        catalogs=CatalogRecords(table, deployment, limits),
        leases=Leases(table, deployment, limits),
        budgets=Budgets(table, deployment, limits),
        values=Values(table, deployment, limits),
        activity=Activity(table, deployment, limits),
    )
