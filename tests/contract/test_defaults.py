"""The numbers of the guest API page, where no run can wait for them or show them: they are what a deployment starts
with (L3 to L7, M5, R2, R5, U3, S3)."""

import pytest

from connecta import Connecta, Limits
from connecta.limits import LIMITS
from tests.fixtures.desk import Desk

PROMISED = {
    "run_s": 25,
    "answer_reserve_s": 2,
    "cpu_ms": 1_000,
    "heap_bytes": 64 * 1024 * 1024,
    "stack_bytes": 1024 * 1024,
    "program_bytes": 256 * 1024,
    "host_calls": 50,
    "batch_calls": 10,
    "host_call_s": 15,
    "bridge_bytes": 4_000_000,
    "concurrent_runs": 2,
    "queued_runs": 32,
    "queue_wait_s": 5,
    "log_chars": 4_000,
    "result_chars": 24_000,
    "emitted_bytes": 4_000_000,
    "emitted_blocks": 32,
    "search_default": 8,
    "search_max": 100,
    "page_bytes": 256_000,
    "describe_addresses": 100,
    "view_s": 24 * 3_600,
    "connector_id_bytes": 128,
    "address_bytes": 257,
}


@pytest.mark.parametrize("limits", [Limits(), LIMITS, Connecta(connectors=[Desk().connector]).limits])
def test_a_deployment_starts_with_the_promised_numbers(limits: Limits) -> None:
    assert {name: getattr(limits, name) for name in PROMISED} == PROMISED
