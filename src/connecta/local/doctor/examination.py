"""One visit to a deployment: every check that can be tried, and what came of each."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Final

from connecta.local.doctor.checks import CHECKS
from connecta.local.doctor.findings import Check, Finding, NotTried, Problem, VisitT, finding
from connecta.local.doctor.reach import tls
from connecta.local.doctor.visit import Visit
from connecta.local.doctor.wire import Wire

_NO_ADDRESS: Final = "The server named an address that is none. Look at its metadata, and PublicUrl."
"""What taking such an address apart raises, wherever it was read."""
_NO_HEADER: Final = "The server gave something that no header can carry: a token, say, or a cookie."


async def examine(url: str, *, token: str | None, passphrase: Callable[[], str | None]) -> AsyncIterator[Finding]:
    """Each finding as it is made. Every request and every connection is bounded, and no check makes many.

    ``passphrase`` is called when a page asks for it.
    """
    wire = Wire(tls())
    visit = Visit(url, wire, token, passphrase)
    findings: dict[str, Finding] = {}
    try:
        for check in CHECKS:
            findings[check.name] = await _tried(check, visit, findings)
            yield findings[check.name]
    finally:
        await wire.close()


async def _tried(check: Check[VisitT], visit: VisitT, findings: Mapping[str, Finding]) -> Finding:
    missing = _missing(check.needs, findings)
    if missing is not None:
        return finding(check, "not tried", missing)
    try:
        return finding(check, "ok", await check.run(visit))
    except Problem as problem:
        return finding(check, "failed", str(problem))
    except NotTried as reason:
        return finding(check, "not tried", f"not tried because {reason}")
    except UnicodeError:
        return finding(check, "failed", _NO_HEADER)
    except ValueError:
        return finding(check, "failed", _NO_ADDRESS)


def _missing(needs: Sequence[str], findings: Mapping[str, Finding]) -> str | None:
    """Why a check is not tried: the first of ``needs`` that is not well."""
    for name in needs:
        found = findings[name]
        if found.outcome == "failed":
            return f'not tried because "{found.title}" failed.'
        if found.outcome == "not tried":
            return found.message
    return None
