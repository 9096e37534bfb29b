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
    refused_bytes: int = 64 * 1024
    """Most read of a request that is refused anyway, for the id its answer has to carry."""
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
    standing_s: int = 30 * 24 * 3_600
    """How long it is known when a connector's tools were last listed, and when that last failed."""
    standing_note_s: float = 0.5
    """Longest wait for a note of either."""
    standing_pause_s: int = 60
    """How long a process does not note the same failure of the same connector again."""

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
    initialized_s: float = 5.0
    """Longest wait until an older downstream has heard that its session may begin; a connection is made for it."""
    downstream_bytes: int = 8 * 1024 * 1024
    """Largest body read from a downstream; anything longer is cut off and refused."""

    # -- ``ui://`` resources that calls name
    ui_observed: int = 3
    """Resources noted of one call: a tool names one, and its result seldom another."""
    ui_uri_bytes: int = 256
    """A longer URI is noted clamped and never fetched."""
    ui_pin_s: float = 3.0
    """Longest an answered call waits for what it names to be fetched, its look into shared state included."""
    ui_read_s: float = 2.0
    """Longest wait for a downstream to hand out one resource."""
    ui_pinned_s: int = 300
    """How long the whole fleet keeps to what was fetched; as fresh as a catalog."""
    ui_unpinned_s: int = 30
    """How long the fleet does not ask again for what could not be fetched."""

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

    value_here_s: float = 5.0
    """How long a process believes a value it has read or written: another may have written a newer one."""

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
    activity_slice: int = 1_000
    """Calls of one shard looked at in one request to DynamoDB, while only some of them are wanted."""
    activity_looked_at: int = 20_000
    """Calls looked at for one page before it ends, however few of them were wanted."""
    activity_listed: int = 50
    """Calls listed unless more are asked for."""
    activity_listed_max: int = 10_000

    # -- who may come in
    token_memory_s: float = 30.0
    """How long a process believes a token it has verified: as long as a revoked one may still come in."""
    tokens_remembered: int = 1_000
    """Verified tokens held in one process; the least recently used goes first."""
    token_chars: int = 8_192
    """Longest bearer token looked at; API Gateway takes 10,240 bytes of headers."""
    token_used_s: int = 3_600
    """How exactly the last use of an operator's token is known: each note of it is a write."""
    token_name_chars: int = 100
    keys_s: int = 3_600
    """How long a process keeps a provider's signing keys."""
    keys_pause_s: int = 60
    """Pause between looks for a key no kept one has the id of: anyone can make up ids."""
    keys_retry_s: int = 5
    """The same while there are no keys at all, because they could not be had."""
    keys_bytes: int = 256 * 1024
    keys_wait_s: float = 5.0
    """Longest wait for a provider's discovery document or keys."""
    clock_skew_s: int = 30
    """How far a provider's clock may be from ours."""

    # -- how much a caller may ask for: each bucket holds so many requests, and fills by so many a second
    caller_burst: int = 600
    """One authenticated caller's, wherever it calls from: a team's shared token, or an agent's busiest minute."""
    caller_per_s: float = 20.0
    claude_burst: int = 1_000
    """Everybody together who calls an ``Open()`` deployment from Claude's addresses, which all its users share."""
    claude_per_s: float = 40.0
    stranger_burst: int = 100
    """Any other address that calls an ``Open()`` deployment."""
    stranger_per_s: float = 5.0
    failed_burst: int = 30
    """Tokens from one address that nobody in here knows. Until the next fills in, none from there is looked at."""
    failed_per_s: float = 0.5
    failed_claude_burst: int = 600
    """The same for Claude's addresses: one user's stale token is not the others' doing."""
    failed_claude_per_s: float = 10.0
    page_burst: int = 120
    """Requests from one address to the pages and endpoints of signing in, which nobody has a token for yet."""
    page_per_s: float = 2.0
    page_claude_burst: int = 1_000
    """The same for Claude's addresses, which register clients and fetch tokens for all its users."""
    page_claude_per_s: float = 40.0
    bucket_shares: int = 50
    """A process settles with the table when it has taken this fraction of a bucket. The fleet never gives out more
    than a bucket holds and one such share, less one, for each process: three bucketfuls over a hundred processes."""
    bucket_wait_s: float = 3.0
    """Longest a request waits to settle; then its process goes by its own bucket."""
    bucket_retry_s: float = 30.0
    """Pause before the table is tried again after it could not be reached."""
    buckets_remembered: int = 10_000
    """Buckets held in one process; the least recently used goes first."""
    bucket_kept_s: int = 24 * 3_600
    """How long the table keeps a bucket after its last taking: longer than any takes to fill."""

    # -- the embedded authorization server
    code_s: int = 60
    oauth_access_s: int = 3_600
    oauth_refresh_s: int = 30 * 24 * 3_600
    """Life of a refresh token, from its rotation on."""
    oauth_grace_s: int = 60
    """How long a refresh token that was rotated is answered with its successor once more: answers get lost."""
    grants_read_at_once: int = 4
    """Grants of a listing under way at once, so that it leaves threads for others."""
    grant_settles_s: int = 900
    """How long an index of grants keeps what no grant confirms: one may just be being written."""
    oauth_form_bytes: int = 16 * 1024
    """Largest body of a request to the token, revocation or registration endpoint."""
    oauth_parameters: int = 40
    oauth_parameter_chars: int = 2_048
    client_redirects: int = 20
    client_name_chars: int = 80
    client_unused_s: int = 7 * 24 * 3_600
    """How long a client that registered and never got a token is remembered."""
    client_used_s: int = 60 * 24 * 3_600
    """How long a registered client is remembered after its last token: longer than any refresh token lasts."""
    client_noted_s: int = 24 * 3_600
    """How exactly that last token is known: each note of it is a write."""
    client_document_bytes: int = 64 * 1024
    client_document_wait_s: float = 5.0
    client_document_fresh_s: int = 24 * 3_600
    client_document_rest_s: int = 60
    """Pause after a document could not be fetched: a person waits for it, and strangers may name any address."""
    client_document_kept_s: int = 7 * 24 * 3_600
    """How long a client's document stands in for one that cannot be fetched."""
    strangers_window_s: int = 600
    """The window of the four numbers below: what somebody without a token may have this server do."""
    registrations_each: int = 20
    """Registrations from one address."""
    registrations_all: int = 200
    documents_each: int = 10
    """Documents of clients fetched for one address; the ones kept cost nothing."""
    documents_all: int = 100

    # -- signing in, on pages
    sign_in_session_s: int = 12 * 3_600
    """How long a browser stays signed in."""
    sign_in_form_s: int = 15 * 60
    """How long a page may stand before its form is sent, and a provider may take to send the person back."""
    sign_in_secret_s: int = 60
    """How long a process keeps the secret sign-in rests on: as long as a passphrase that was replaced may still do."""
    passphrase_chars: int = 12
    """Shortest passphrase."""
    passphrase_chars_max: int = 1_024
    passphrases_free: int = 5
    """Wrong passphrases of one address before it has to wait."""
    passphrase_wait_s: float = 2.0
    """The first wait, doubled by every further wrong one."""
    passphrase_wait_max_s: float = 60.0
    """The longest wait: whoever shares an address with somebody who guesses gets a turn, too."""
    passphrases_window_s: int = 900
    """How long an address that goes quiet is remembered."""
    passphrases_all: int = 100
    """Passphrases tried from everywhere in that window before each address has one without a wait, and no more."""
    passphrases_waiting: int = 4
    """Passphrases being checked, or waiting for it, in one process: each takes memory and a third of a second."""
    sign_ins_each: int = 30
    """People sent to the identity provider from one address in ``strangers_window_s``: each is a write."""

    # -- the operator's pages
    operator_form_bytes: int = 64 * 1024
    """Largest form: the fields of one credential, percent-encoded."""
    operator_form_fields: int = 40
    operator_notice_s: int = 60
    """How long what was just done is news to the page that comes next."""
    operator_rows: int = 200
    """Most access tokens, and most applications, on one page; and most calls looked at for one."""
    operator_refusals_s: int = 7 * 24 * 3_600
    """How far back ``/`` looks for calls that were refused for want of access, among ``operator_rows`` at the most."""
    operator_activity_rows: int = 50
    """Calls on one page of activity."""
    operator_filter_chars: int = 300
    """Longest filter of a page: an address and a caller are shorter."""

    # -- the vault of downstream credentials
    data_key_s: int = 300
    """How long a process keeps a data key that KMS unwrapped: as long as a key that was disabled may still open."""
    data_keys: int = 256
    """Unwrapped data keys held in one process, the oldest goes first; a connector needs one per field."""
    vault_threads: int = 4
    """Requests to KMS under way at once in one process."""
    vault_wait_s: float = 6.0
    """Longest wait for KMS, retries and the wait for a thread included."""
    credential_bytes: int = 8_192
    """Longest value of one field: a service account's key is about 2,400, and headers end near there."""

    lease_memory_s: int = 24 * 3_600
    """How long a lease is remembered past its end: longer than anything lives that its fence protects."""
    lease_s_max: float = 60.0
    """Longest lease or rest there is. One that ends later was written by a clock far ahead, and nobody waits for it."""

    # -- what a stranger may ask of how it is
    health_memory_s: float = 5.0
    """How long a process says what it found: whoever asks more often loads no table."""
    health_wait_s: float = 2.0
    """Longest wait for the table before it counts as out of reach."""

    # -- who we are to a downstream: grants of its authorization server
    downstream_flow_s: int = 600
    """How long a person may take at the downstream's authorization server before coming back."""
    downstream_wanted_s: int = 24 * 3_600
    """How long is remembered what a downstream asked for beyond its grant."""
    downstream_document_bytes: int = 256 * 1024
    downstream_document_wait_s: float = 5.0
    """Longest wait for one document of discovery, of which there may be six."""
    downstream_begin_s: float = 20.0
    """Longest way of all of them to the address a person opens: less than a request may take."""
    downstream_token_bytes: int = 64 * 1024
    """Largest answer of a token or registration endpoint; tokens themselves fit in a header."""
    downstream_token_wait_s: float = 8.0
    """Longest wait for a token or registration endpoint: less than a call may take."""
    downstream_token_chars: int = 8_192
    downstream_url_chars: int = 2_048
    """Longest address of its metadata that is used: one stands in a header of ours, with all that is asked there."""
    downstream_scopes: int = 100
    downstream_scope_chars: int = 4_096
    """Longest scope asked for: it stands in a URL that a person opens."""
    downstream_ahead_s: float = 60.0
    """How long before its end a token is refreshed, or a fifth of its life where that is less."""
    downstream_again_s: float = 30.0
    """A token refreshed this lately that the downstream rejects is not refreshed once more."""
    downstream_lease_s: float = 60.0
    """How long one process may be the only one that refreshes: the exchange, the vault, and each attempt to store what
    came of it. Whoever comes while it is at work would send the refresh token a second time."""
    downstream_rest_s: float = 30.0
    """Pause after a refresh ahead of time failed, while the token it was for is good still."""
    downstream_patience_s: float = 12.0
    """Longest a call waits for another process to refresh the token it needs."""
    downstream_settle_s: float = 0.5
    """Kept back from a function's remaining time, to hand its answer over once no refresh is under way any more."""

    # -- echo
    echo_bytes: int = 512
    """Caller text quoted back in an error is clamped to this many UTF-8 bytes."""
    suggestions: int = 3
    alternatives: int = 20
    """Tools named where a shortcut means several."""
    alternatives_bytes: int = 1_000
    """All their addresses together, which stand in the message and beside it."""
    findings: int = 3
    connector_id_bytes: int = 128
    address_bytes: int = 257
    reason_chars: int = 500


LIMITS = Limits()
"""The defaults, for code and tests that are not given a deployment's own."""
