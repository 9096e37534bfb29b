"""The checks of the official suite that this server cannot pass, each with the reason: what they need is not here."""

from typing import Final

FIXTURE_TOOLS: Final = "Calls a tool of the suite's own example server; ours are seven, and the same everywhere."
FIXTURE_RESOURCES: Final = "Reads a resource of the suite's own example server."
NOT_OFFERED: Final = "Asks for prompts, completions, logging levels or subscriptions, which are not declared."

EXPECTED: Final[dict[str, dict[str, dict[str, set[str]]]]] = {
    "2025-11-25": {
        FIXTURE_TOOLS: {
            "elicitation-sep1034-defaults": {"elicitation-sep1034-general"},
            "elicitation-sep1330-enums": {"elicitation-sep1330-general"},
            "json-schema-2020-12": {"json-schema-2020-12-tool-found"},
            "tools-call-audio": {"tools-call-audio"},
            "tools-call-elicitation": {"tools-call-elicitation"},
            "tools-call-embedded-resource": {"tools-call-embedded-resource"},
            "tools-call-error": {"tools-call-error"},
            "tools-call-image": {"tools-call-image"},
            "tools-call-mixed-content": {"tools-call-mixed-content"},
            "tools-call-sampling": {"tools-call-sampling"},
            "tools-call-simple-text": {"tools-call-simple-text"},
            "tools-call-with-progress": {"tools-call-with-progress"},
        },
        FIXTURE_RESOURCES: {
            "resources-read-binary": {"resources-read-binary"},
            "resources-read-text": {"resources-read-text"},
            "resources-templates-read": {"resources-templates-read"},
        },
        NOT_OFFERED: {
            "completion-complete": {"completion-complete"},
            "logging-set-level": {"logging-set-level"},
            "prompts-get-embedded-resource": {"prompts-get-embedded-resource"},
            "prompts-get-simple": {"prompts-get-simple"},
            "prompts-get-with-args": {"prompts-get-with-args"},
            "prompts-get-with-image": {"prompts-get-with-image"},
            "prompts-list": {"prompts-list"},
            "resources-subscribe": {"resources-subscribe"},
            "resources-unsubscribe": {"resources-unsubscribe"},
            "tools-call-with-logging": {"tools-call-with-logging"},
        },
    },
    "2026-07-28": {
        FIXTURE_TOOLS: {
            "http-custom-header-server-validation": {
                "sep-2243-server-decode-base64",
                "sep-2243-server-no-xmcp-tool",
                "sep-2243-server-reject-invalid-param-chars",
                "sep-2243-server-reject-param-mismatch",
                "sep-2243-server-validate-param-match",
            },
            "input-required-result-basic-elicitation": {"sep-2322-elicitation-incomplete"},
            "input-required-result-basic-list-roots": {"sep-2322-list-roots-incomplete"},
            "input-required-result-basic-sampling": {"sep-2322-sampling-incomplete"},
            "input-required-result-capability-check": {"sep-2322-respect-client-capabilities"},
            "input-required-result-multi-round": {"sep-2322-multi-round-r1"},
            "input-required-result-multiple-input-requests": {"sep-2322-multiple-inputs-incomplete"},
            "input-required-result-request-state": {"sep-2322-request-state-incomplete"},
            "input-required-result-result-type": {"sep-2322-result-type-included"},
            "input-required-result-tampered-state": {"sep-2322-reject-tampered-state"},
            "json-schema-2020-12": {"json-schema-2020-12-tool-found"},
            "server-stateless": {
                "sep-2575-http-server-no-independent-requests-on-stream",
                "sep-2575-missing-capability-http-400",
                "sep-2575-server-no-log-without-loglevel",
                "sep-2575-server-rejects-undeclared-capability",
            },
            "tools-call-audio": {"tools-call-audio"},
            "tools-call-embedded-resource": {"tools-call-embedded-resource"},
            "tools-call-error": {"tools-call-error"},
            "tools-call-image": {"tools-call-image"},
            "tools-call-mixed-content": {"tools-call-mixed-content"},
            "tools-call-simple-text": {"tools-call-simple-text"},
            "tools-call-with-progress": {"tools-call-with-progress"},
        },
        FIXTURE_RESOURCES: {
            "resources-read-binary": {"resources-read-binary"},
            "resources-read-text": {"resources-read-text"},
            "resources-templates-read": {"resources-templates-read"},
        },
        NOT_OFFERED: {
            "caching": {"sep-2549-prompts-list-caching-hints"},
            "completion-complete": {"completion-complete"},
            "input-required-result-non-tool-request": {"sep-2322-non-tool-incomplete"},
            "prompts-get-embedded-resource": {"prompts-get-embedded-resource"},
            "prompts-get-simple": {"prompts-get-simple"},
            "prompts-get-with-args": {"prompts-get-with-args"},
            "prompts-get-with-image": {"prompts-get-with-image"},
            "prompts-list": {"prompts-list"},
        },
    },
}
"""By revision, reason and scenario."""

EXTENSIONS: Final = "tasks-"
"""Scenarios of an extension this server does not declare, which no revision requires."""
