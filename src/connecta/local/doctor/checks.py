"""Every check, in the order of a client's own steps, and what each needs."""

from typing import Final

from connecta.local.doctor.findings import Check
from connecta.local.doctor.metadata import check_challenge, check_resource, check_root_resource, check_server
from connecta.local.doctor.reach import check_health, check_name, check_port, check_tls, check_url
from connecta.local.doctor.signing_in import (
    check_client_document,
    check_refresh,
    check_refusals,
    check_registration,
    check_revocation,
    check_sign_in,
    check_token,
)
from connecta.local.doctor.using import check_legacy, check_modern, check_program, check_shell, check_tools
from connecta.local.doctor.visit import Visit

CHECKS: Final[tuple[Check[Visit], ...]] = (
    Check("url", "URL", check_url),
    Check("dns", "DNS name", check_name, ("url",)),
    Check("port", "Port", check_port, ("dns",)),
    Check("tls", "TLS certificate", check_tls, ("port",)),
    Check("health", "Server", check_health, ("tls",)),
    Check("challenge", "Challenge", check_challenge, ("tls",)),
    Check("refusal", "Made-up token", check_refusals, ("challenge",)),
    Check("resource", "Resource document", check_resource, ("challenge",)),
    Check("root-resource", "Root document", check_root_resource, ("challenge",)),
    Check("server-metadata", "Server metadata", check_server, ("challenge",)),
    Check("registration", "Registration", check_registration, ("server-metadata",)),
    Check("client-document", "Claude's client", check_client_document, ("server-metadata",)),
    Check("sign-in", "Sign-in", check_sign_in, ("registration",)),
    Check("token", "Tokens", check_token, ("sign-in",)),
    Check("refresh", "Refresh", check_refresh, ("token",)),
    Check("modern", "Protocol 2026-07-28", check_modern, ("challenge",)),
    Check("legacy", "Protocol 2025-11-25", check_legacy, ("challenge",)),
    Check("tools", "Tools", check_tools, ("modern", "legacy")),
    Check("program", "Program", check_program, ("tools",)),
    Check("shell", "Shell", check_shell, ("tools",)),
    Check("revocation", "Revocation", check_revocation, ("token",)),
)
