"""What one process of a deployment has for its downstreams' grants, the connector it has it for, and its calls."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import httpx2

from connecta.auth.credentials import OAuth
from connecta.auth.downstream.challenge import Challenge, challenge_in
from connecta.auth.downstream.model import Granted
from connecta.auth.downstream.oauth import DownstreamOAuth
from connecta.auth.exchange import Exchanges
from connecta.auth.vault.local_key import LocalKeys
from connecta.auth.vault.vault import Vault
from connecta.connectors.strangers import exchange
from connecta.limits import LIMITS, Limits
from connecta.state import State

PATIENT = replace(LIMITS, downstream_document_wait_s=30.0, downstream_token_wait_s=30.0)
"""A loaded machine takes seconds for what an authorization server answers in milliseconds."""


@dataclass(frozen=True)
class Notes:
    """A connector whose downstream is on this machine."""

    url: str
    id: str = "notes"
    title: str | None = "Notes"
    auth: OAuth = field(default_factory=OAuth)
    allow_private: bool = True


def oauth_over(
    state: State, folder: Path, limits: Limits = PATIENT, exchanges: Exchanges = exchange
) -> DownstreamOAuth:
    """By the key in ``folder``."""
    vault = Vault(LocalKeys(folder / "credentials.key"), "tests")
    grants, flows, leases = state.downstream_grants, state.downstream_flows, state.leases
    return DownstreamOAuth(grants, flows, leases, vault, exchanges, limits)


async def using(origin: str, granted: Granted) -> tuple[int, Challenge | None]:
    """Status and challenge of a call with that token."""
    async with httpx2.AsyncClient(trust_env=False, timeout=60) as client:
        answer = await client.get(f"{origin}/mcp", headers={"authorization": f"Bearer {granted.token}"})
        return answer.status_code, challenge_in(answer.headers.get_list("www-authenticate"))
