"""Runs are admitted, not piled up: what takes requests in parallel to show (L7, ``executor_overloaded`` of E5)."""

from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from pathlib import Path

from tests.contract.gated import HOLDING, gated_server, programs_of, run


def test_two_programs_run_at_once_one_more_waits_and_the_next_is_refused_at_once(tmp_path: Path) -> None:
    """L7: the refused run is told when to come back, and has cost neither a catalog nor a child. No spares, which are
    started when an answer has left."""
    with (
        gated_server(tmp_path, queued_runs=1, spares=0, queue_wait_s=14) as (server, gate),
        ThreadPoolExecutor(4) as clients,
    ):
        held = [clients.submit(run, server, HOLDING) for _ in range(2)]
        gate.wait_for_arrivals(2)
        before = set(programs_of(server))
        asked = [clients.submit(run, server, "async () => 'at last'") for _ in range(2)]
        [refused], [waiting] = wait(asked, return_when=FIRST_COMPLETED, timeout=12)
        error = refused.result()["error"]
        assert (error["code"], error["retryable"], error["retryAfterMs"] > 0) == ("executor_overloaded", True, True)
        assert set(programs_of(server)) <= before
        assert gate.arrived == 2
        gate.open()
        assert waiting.result() == {"result": "at last"}
        assert [each.result() for each in held] == [{"result": "held"}] * 2


def test_nobody_waits_for_a_place_longer_than_the_bound(tmp_path: Path) -> None:
    """L7, E5: the message names both bounds."""
    with gated_server(tmp_path, queued_runs=3, queue_wait_s=0.2) as (server, gate), ThreadPoolExecutor(2) as clients:
        held = [clients.submit(run, server, HOLDING) for _ in range(2)]
        gate.wait_for_arrivals(2)
        error = run(server, "async () => 1")["error"]
        assert (error["code"], error["retryable"], error["retryAfterMs"]) == ("executor_overloaded", True, 1000)
        assert "3 may wait" in error["message"]
        assert "0.2 s" in error["message"]
        gate.open()
        assert [each.result() for each in held] == [{"result": "held"}] * 2
        assert run(server, "async () => 1") == {"result": 1}
