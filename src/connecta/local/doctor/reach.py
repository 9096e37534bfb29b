"""Can it be reached at all: its address, its name, its port, its certificate, and whether it is what answers."""

import asyncio
import socket
import ssl
from contextlib import suppress
from datetime import UTC, datetime
from ipaddress import ip_address
from typing import Final, cast
from urllib.parse import urlsplit

from connecta.local.doctor.findings import Problem, quoted
from connecta.local.doctor.visit import ENDPOINT, Visit
from connecta.local.doctor.wire import CONNECT_S, is_here
from connecta.text import Json

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_SOON_DAYS: Final = 14
_BY_VERIFY_CODE: Final = {
    9: "The certificate is not valid yet. Check the clock of who issued it.",
    10: "The certificate has expired. Renew it; in ACM, check that its DNS validation record is still there.",
    18: "The certificate is self-signed, so no client trusts it. Use one that ACM or another public authority issued.",
    19: "The certificate's chain ends in an authority nobody trusts. Use one that a public authority issued.",
    20: "The certificate's chain does not reach an authority that is trusted here. Serve the intermediate "
    "certificates too, or use one that a public authority issued.",
    21: "The certificate's chain is incomplete. Serve the intermediate certificates too.",
    62: "The certificate is for another host name. Use one that covers the name in the URL.",
    64: "The certificate is for another address. Use one that covers the address in the URL.",
}
"""OpenSSL's verification codes."""


async def check_url(visit: Visit) -> str:
    """Something claude.ai would take."""
    try:
        parts = urlsplit(visit.url)
        port = parts.port
    except ValueError:
        raise Problem("That is not a URL. It looks like https://host/mcp.") from None
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname or port == 0:
        raise Problem("That is not the URL of an endpoint. It looks like https://host/mcp.")
    if parts.username is not None or parts.query or parts.fragment:
        raise Problem("The URL holds more than host and path. Leave out user names, queries and fragments.")
    if parts.path != ENDPOINT:
        raise Problem(f"The path is {quoted(parts.path)}. The endpoint is at {ENDPOINT}, exactly.")
    if parts.scheme == "http" and not is_here(visit.url):
        raise Problem("The URL is plain HTTP. Clients ask for https, and no secret may be sent without it.")
    return "plain HTTP, which only this machine may use" if parts.scheme == "http" else visit.url


async def check_name(visit: Visit) -> str:
    host, port = _place(visit)
    try:
        async with asyncio.timeout(CONNECT_S):
            found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError, TimeoutError):
        raise Problem(f"The name {quoted(host)} does not resolve. Check its DNS record, and the spelling.") from None
    addresses = list(dict.fromkeys(str(entry[4][0]).partition("%")[0] for entry in found))
    if not is_here(visit.url) and not any(ip_address(address).is_global for address in addresses):
        raise Problem(
            f"The name leads to {', '.join(addresses[:3])}, which the internet cannot reach, so Claude cannot either. "
            "Point its DNS record to the API's public name."
        )
    return ", ".join(addresses[:3])


async def check_port(visit: Visit) -> str:
    host, port = _place(visit)
    try:
        async with asyncio.timeout(CONNECT_S):
            _, writer = await asyncio.open_connection(host, port)
    except ConnectionRefusedError:
        raise Problem(f"Nothing listens on port {port}. Check that the deployment is up, and the port.") from None
    except (OSError, TimeoutError):
        raise Problem(f"Port {port} does not answer. Check firewalls between here and there.") from None
    await _close(writer)
    return str(port)


async def check_tls(visit: Visit) -> str:
    """A handshake with everything checked that clients check."""
    host, port = _place(visit)
    if urlsplit(visit.url).scheme == "http":
        return "none, on this machine"
    try:
        async with asyncio.timeout(CONNECT_S):
            _, writer = await asyncio.open_connection(host, port, ssl=tls(), server_hostname=host)
    except ssl.SSLCertVerificationError as error:
        other = "The certificate cannot be trusted. Use one that a public authority issued, for the URL's host."
        raise Problem(_BY_VERIFY_CODE.get(error.verify_code, other)) from None
    except (OSError, TimeoutError):
        raise Problem(f"Port {port} does not speak TLS 1.2 or newer. Check the gateway's security policy.") from None
    certificate = cast("dict[str, object] | None", writer.get_extra_info("peercert")) or {}
    await _close(writer)
    return _until(str(certificate.get("notAfter", "")))


async def check_health(visit: Visit) -> str:
    answer = await visit.wire.get(f"{visit.origin}/health")
    if answer.status == 421:
        raise Problem(
            "The server does not know itself by that name. Set the template's PublicUrl (or public_url= of "
            "Connecta(…)) to the origin in the URL."
        )
    if answer.status != 200:
        raise Problem(f"/health answers {answer.status}. {_hint(answer.status)}")
    body = answer.object()
    if body.get("status") not in ("ok", "degraded") or "version" not in body:
        raise Problem("/health is answered by something that is not Connecta. Check where the name leads.")
    if body.get("sandbox") == "refused":
        raise Problem("Programs cannot run: the sandbox could not be locked down. The function's log says why.")
    if body.get("table") == "unreachable":
        raise Problem("The server cannot reach the table it keeps its state in. The function's log says why.")
    return f"Connecta {quoted(body['version'])}{_troubles(body.get('connectors'))}"


def _troubles(connectors: Json) -> str:
    """Which of its connectors the server could not list the last time, in numbers: it names none to strangers."""
    counts = connectors if isinstance(connectors, dict) else {}
    told = [
        f"{count} {words}"
        for condition, words in _TROUBLES.items()
        if isinstance(count := counts.get(condition), int) and count > 0
    ]
    return f"; of its connectors {' and '.join(told)}" if told else ""


def tls() -> ssl.SSLContext:
    """What is trusted here is what the system trusts, or ``SSL_CERT_FILE`` names."""
    return ssl.create_default_context()


def _place(visit: Visit) -> tuple[str, int]:
    parts = urlsplit(visit.url)
    return parts.hostname or "", parts.port or _DEFAULT_PORTS[parts.scheme]


async def _close(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(OSError, TimeoutError):
        async with asyncio.timeout(CONNECT_S):
            await writer.wait_closed()


def _until(not_after: str) -> str:
    try:
        ends = datetime.fromtimestamp(ssl.cert_time_to_seconds(not_after), UTC)
    except ValueError:
        return "trusted"
    days = (ends - datetime.now(UTC)).days
    return f"valid until {ends:%Y-%m-%d}" + (f", only {days} more days: renew it" if days < _SOON_DAYS else "")


def _hint(status: int) -> str:
    return _HINTS.get(status, "Check that the URL is the deployment's, and look into the gateway's log.")


_TROUBLES: Final = {"failing": "cannot be listed", "auth_required": "must be connected by somebody"}
_HINTS: Final = {
    403: "The gateway turns this machine away: look for an allow-list of addresses or a firewall rule.",
    404: "Another API may be there, or a stage is part of the path: the template's stage is $default.",
    429: "The gateway is throttling. Wait a minute, then run this again.",
    500: "The function fails: look into its log.",
    502: "The function fails before it answers: look into its log, for an error in deployment.py first.",
    503: "The function cannot start or is out of concurrency: look into its log.",
    504: "The function did not answer in time: look into its log.",
}
