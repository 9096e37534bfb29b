"""What no case can show, because it takes requests in parallel, a browser or a deployment of its own, and where it is
proven instead."""

from collections.abc import Mapping
from typing import Final, NamedTuple


class Proof(NamedTuple):
    """``test`` is ``<file>::<function>``; ``reason`` is why no case can show it."""

    reason: str
    test: str


ELSEWHERE: Final[Mapping[str, tuple[Proof, ...]]] = {
    "P3": (
        Proof(
            "no connector can be sent half of a surrogate pair",
            "tests/sandbox/test_programs.py::test_every_code_point_crosses_unharmed_both_ways",
        ),
    ),
    "P4": (
        Proof(
            "a process is fresh only where its number can be seen",
            "tests/sandbox/test_programs.py::test_nothing_survives_a_run",
        ),
    ),
    "A4": (
        Proof(
            "such a deployment cannot be built, so nothing serves it",
            "tests/test_deployment.py::test_equal_and_colliding_and_reserved_ids_are_refused",
        ),
    ),
    "U6": (
        Proof(
            "it takes a browser",
            "tests/apps/test_impersonation.py::test_a_height_is_a_finite_number_and_nothing_else",
        ),
        Proof(
            "it takes a browser",
            "tests/apps/test_leaks.py::test_nothing_that_a_script_tries_reaches_the_network",
        ),
        Proof("it takes a browser", "tests/apps/test_job_view.py::test_a_program_without_a_view_leaves_one_pixel"),
    ),
    "U10": (
        Proof(
            "it takes a host without Apps",
            "tests/apps/test_typescript_client.py::test_the_typescript_client_does_the_job_on_the_local_server",
        ),
        Proof(
            "it takes both forms of the metadata",
            "tests/views/test_shell.py::test_the_tool_names_the_shell_in_both_forms",
        ),
    ),
    "U3": (
        Proof(
            "it takes a state that cannot be reached",
            "tests/tools/test_execute_code.py::test_a_view_that_cannot_be_kept_is_delivered_without_an_id",
        ),
        Proof("it takes a day", "tests/state/test_kept_texts.py::test_a_text_lasts_its_time_and_no_longer"),
        Proof("it takes a day", "tests/contract/test_defaults.py::test_a_deployment_starts_with_the_promised_numbers"),
    ),
    "L4": (
        Proof(
            "the suite's deployment has a shorter bound of a host call",
            "tests/contract/test_defaults.py::test_a_deployment_starts_with_the_promised_numbers",
        ),
    ),
    "U5": (
        Proof(
            "bytes that stay what they were are a matter of releases",
            "tests/views/test_shell.py::test_the_bytes_of_every_released_shell_are_what_they_were",
        ),
    ),
    "U7": (
        Proof(
            "it takes another sandbox", "tests/contract/test_bridge.py::test_any_sandbox_that_bridges_functions_gets_ui"
        ),
    ),
    "M8": (
        Proof(
            "it is about the protocol between parent and child",
            "tests/contract/test_bridge.py::test_the_protocol_between_parent_and_child_knows_neither_emit_nor_ui",
        ),
    ),
    "E2": (
        Proof(
            "it takes a defect of ours",
            "tests/program/test_functions.py::test_a_defect_of_ours_is_a_failure_that_only_names_its_log_entry",
        ),
    ),
    "E5": (
        Proof(
            "it takes a client that leaves",
            "tests/contract/test_cancellation.py::test_a_client_that_hangs_up_ends_its_run_its_calls_and_its_child",
        ),
        Proof(
            "it takes more programs at once than a process runs",
            "tests/contract/test_admission.py::test_nobody_waits_for_a_place_longer_than_the_bound",
        ),
        Proof(
            "it takes a sandbox that is closed", "tests/sandbox/test_bounds.py::test_a_closed_sandbox_runs_nothing_more"
        ),
        Proof(
            "it takes a child that is killed", "tests/sandbox/test_bounds.py::test_a_killed_child_is_a_retryable_crash"
        ),
        Proof(
            "it takes a layer without an engine",
            "tests/sandbox/test_bounds.py::test_a_sandbox_whose_engine_is_missing_says_that_it_is_unavailable",
        ),
    ),
    "L1": (
        Proof(
            "it takes a client that leaves",
            "tests/contract/test_cancellation.py::test_a_client_that_hangs_up_ends_its_run_its_calls_and_its_child",
        ),
    ),
    "L2": (
        Proof(
            "it takes a client that leaves",
            "tests/contract/test_cancellation.py::test_a_client_that_hangs_up_ends_its_run_its_calls_and_its_child",
        ),
        Proof(
            "it takes a look at the processes",
            "tests/contract/test_cancellation.py::test_the_deadline_aborts_what_is_in_flight_and_leaves_nothing",
        ),
    ),
    "L3": (
        Proof(
            "it takes a request with little time left",
            "tests/contract/test_deadline.py::"
            "test_a_run_ends_at_the_earlier_of_its_bound_and_its_request_less_the_time_to_answer",
        ),
        Proof(
            "the suite's deployment has a shorter bound of a run",
            "tests/contract/test_defaults.py::test_a_deployment_starts_with_the_promised_numbers",
        ),
    ),
    "L7": (
        Proof(
            "it takes requests in parallel",
            "tests/contract/test_admission.py::"
            "test_two_programs_run_at_once_one_more_waits_and_the_next_is_refused_at_once",
        ),
        Proof(
            "it takes requests in parallel",
            "tests/contract/test_admission.py::test_nobody_waits_for_a_place_longer_than_the_bound",
        ),
    ),
}
