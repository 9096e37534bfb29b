"""Every number that bounds anything, with its unit and its reason.

Numbers a deployment may change are fields of ``Limits``; a program can raise none of them (L8).
Clauses refer to ``docs/guest-api.md``.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    # -- inbound HTTP
    request_bytes: int = 4 * 1024 * 1024
    """Largest request body; a program is at most 256 KiB, so this leaves room for large arguments."""
    response_bytes: int = 6_291_556 - 64 * 1024
    """Largest encoded proxy response: Lambda's own limit less 64 KiB for headers and the envelope."""
    gzip_from_bytes: int = 16 * 1024
    """Smaller bodies are not worth the time compressing them takes."""
    answer_reserve_s: float = 2.0
    """Kept back from the request's remaining time to shape and send the answer (L3)."""
    request_s: float = 29.0
    """Longest request: HTTP API gives up at 30 s."""
    batched_messages: int = 20
    """Most messages of one batch, which only the 2025-03-26 revision has."""
    request_depth: int = 128
    """Deepest nesting of a request body: what walks a value recursively must never meet Python's own limit."""
    list_ttl_ms: int = 300_000
    """How long a client may keep what only a new deployment changes: the tools, and what the server says of itself."""
    resource_ttl_ms: int = 24 * 3_600 * 1_000
    """How long a client may keep a resource: its bytes never change, new ones get a new URI."""

    # -- one program (L3 - L8)
    program_bytes: int = 256 * 1024
    run_s: float = 25.0
    """Wall clock of one run, host waits included (L3)."""
    cpu_ms: int = 1_000
    """Guest CPU of one run, host waits not counted (L5)."""
    heap_bytes: int = 64 * 1024 * 1024
    stack_bytes: int = 1024 * 1024
    host_calls: int = 50
    batch_calls: int = 10
    host_call_s: float = 15.0
    bridge_bytes: int = 4_000_000
    """Arguments, and separately the result, of one host call (L6)."""
    bridge_operations: int = 1_000
    """Functions of ``connecta`` one run may call at all, discovery and output included."""
    json_depth: int = 200
    """Deepest nesting of a value that leaves the sandbox; serializers above give up a little later."""
    concurrent_runs: int = 2
    queued_runs: int = 32
    queue_wait_s: float = 5.0
    spares: int = 1
    """Processes started ahead of the programs they will run; 0 starts every one when it is needed."""
    log_chars: int = 4_000
    result_chars: int = 24_000
    """Serialized return value above this becomes a truncation envelope (R2)."""
    run_result_bytes: int = 4_000_000
    """Largest return value read from the sandbox at all; R2 then truncates what the model sees."""
    emitted_bytes: int = 4_000_000
    emitted_blocks: int = 32

    # -- discovery
    search_default: int = 8
    search_max: int = 100
    query_chars: int = 2_000
    """A search is a few words; a longer query is a mistake, and its terms would be costly to rank."""
    analysis_terms: int = 8
    analysis_term_chars: int = 64
    page_bytes: int = 256_000
    describe_addresses: int = 100
    search_description_chars: int = 160
    describe_description_chars: int = 240
    schema_bytes: int = 1_024
    schema_note_bytes: int = 256
    guide_summary_chars: int = 120

    # -- catalogs
    catalog_fresh_s: int = 300
    catalog_stale_s: int = 3_600
    catalog_load_s: float = 10.0
    catalog_loads: int = 4
    """Connectors loaded at once by one request."""
    catalog_pages: int = 50
    catalog_tools: int = 20_000
    catalog_bytes: int = 8 * 1024 * 1024
    """Largest serialized catalog kept for other processes; no downstream answers with more in one page."""
    catalog_retry_s: int = 30
    """Pause after a failed refresh, in which the stale catalog is served without asking again."""
    catalog_look_s: int = 2
    """Pause before a process that serves a stale catalog looks again whether the fleet has a newer one."""
    catalog_poll_s: float = 0.15
    """Pause between looks of a process that has no catalog at all, while another process asks for it."""
    catalog_lease_s: float = 15.0
    """How long one process may be the only one that asks: the load's own 10 s, and reading and writing state."""
    catalog_handover_s: float = 2.0
    """Longest wait of a request until the refresh it found due is in other hands."""
    catalog_start_s: float = 15.0
    """Added to the lease of a refresh handed over: what an asynchronous invocation may take to start."""

    # -- calls
    call_s: float = 15.0
    call_s_max: float = 25.0
    retries_max: int = 2
    retry_after_s: float = 10.0
    """A downstream that asks for a longer pause is not retried at all."""
    inline_bytes: int = 50_000
    result_page_bytes: int = 24_000
    result_page_bytes_max: int = 50_000
    result_s: int = 15 * 60
    view_s: int = 24 * 3_600
    courtesy_s: float = 0.3
    """Longest wait for what nobody needs an answer to: telling a downstream that a call or a session is over."""
    downstream_bytes: int = 8 * 1024 * 1024
    """Largest body read from a downstream; anything longer is cut off and refused."""

    # -- state: one DynamoDB table
    state_connect_s: float = 1.0
    state_read_s: float = 3.0
    state_attempts: int = 3
    """Tries of one request to DynamoDB, the first included."""
    state_call_s: float = 6.0
    """Longest wait for one request to DynamoDB, its retries and its wait for a thread included."""
    state_threads: int = 8
    """Requests to DynamoDB under way at once in one process; the connection pool holds as many."""
    state_chunk_bytes: int = 350 * 1024
    """Most compressed payload in one item: DynamoDB refuses items over 400 KB, names and keys included."""
    state_chunks_at_once: int = 4
    """Chunks of one payload under way at once, so that one large payload leaves threads for others."""
    state_payload_bytes: int = 16 * 1024 * 1024
    """Largest payload kept, and the most one record may inflate to: 8 MiB of downstream body, escaped."""

    budget_tries: int = 60
    """Tries to take a place in a rolling-window budget while others take theirs; each is one read and one write."""

    state_batch_items: int = 25
    """Most items DynamoDB takes in one batch."""

    # -- activity
    activity_s: int = 30 * 24 * 3_600
    """How long an attempted call stays listed."""
    activity_write_s: float = 1.5
    """Longest an answer waits for its calls to be recorded; a process's first write makes the client, too."""
    activity_batches_at_once: int = 4
    """Batches of one request under way at once, so that a busy program leaves threads for others."""
    activity_shards: int = 4
    """Partitions of one day. Each takes 1,000 writes a second, and 50 requests a second of 50 calls write 2,500."""
    activity_listed: int = 50
    """Calls listed unless more are asked for."""
    activity_listed_max: int = 10_000

    lease_memory_s: int = 24 * 3_600
    """How long a lease is remembered past its end: longer than anything lives that its fence protects."""

    # -- echo
    echo_bytes: int = 512
    """Caller text quoted back in an error is clamped to this many UTF-8 bytes."""
    suggestions: int = 3
    findings: int = 3
    connector_id_bytes: int = 128
    address_bytes: int = 257
    reason_chars: int = 500


LIMITS = Limits()
"""The defaults, for code and tests that are not given a deployment's own."""
