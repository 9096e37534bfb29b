"""What outlives a request: one DynamoDB table, one module per kind of record."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from connecta.limits import LIMITS, Limits
from connecta.state.access_tokens import AccessTokens
from connecta.state.activity import Activity
from connecta.state.attempts import Attempts
from connecta.state.buckets import SharedBuckets
from connecta.state.budgets import Budgets
from connecta.state.catalogs import CatalogRecords
from connecta.state.client import DynamoClient
from connecta.state.client_documents import ClientDocuments
from connecta.state.codes import Codes
from connecta.state.credentials import CredentialRecords
from connecta.state.downstream_flows import DownstreamFlows
from connecta.state.downstream_grants import DownstreamGrants
from connecta.state.grants import Grants
from connecta.state.leases import Leases
from connecta.state.registrations import Registrations
from connecta.state.results import Results
from connecta.state.sign_ins import SignIns
from connecta.state.standings import StandingRecords
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
    standings: StandingRecords
    leases: Leases
    budgets: Budgets
    buckets: SharedBuckets
    values: Values
    activity: Activity
    access_tokens: AccessTokens
    registrations: Registrations
    client_documents: ClientDocuments
    codes: Codes
    grants: Grants
    attempts: Attempts
    sign_ins: SignIns
    downstream_grants: DownstreamGrants
    downstream_flows: DownstreamFlows
    credentials: CredentialRecords

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
        standings=StandingRecords(table, deployment, limits),
        leases=Leases(table, deployment, limits),
        budgets=Budgets(table, deployment, limits),
        buckets=SharedBuckets(table, deployment, limits),
        values=Values(table, deployment, limits),
        activity=Activity(table, deployment, limits),
        access_tokens=AccessTokens(table, deployment, limits),
        registrations=Registrations(table, deployment, limits),
        client_documents=ClientDocuments(table, deployment, limits),
        codes=Codes(table, deployment, limits),
        grants=Grants(table, deployment, limits),
        attempts=Attempts(table, deployment, limits),
        sign_ins=SignIns(table, deployment, limits),
        downstream_grants=DownstreamGrants(table, deployment, limits),
        downstream_flows=DownstreamFlows(table, deployment, limits),
        credentials=CredentialRecords(table, deployment),
    )
