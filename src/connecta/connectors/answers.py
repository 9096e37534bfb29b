"""What a downstream's HTTP status means to a caller."""

import re
import time
from collections.abc import Callable
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Final

from connecta import failures
from connecta.failures import Failure

if TYPE_CHECKING:
    import httpx2

_SECONDS: Final = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?|[0-9]+")
_SECONDS_MAX: Final = 999_999_999.0
"""What a longer number of seconds counts as: no call waits a ten-thousandth of it."""


def failure_of(status: int, headers: "httpx2.Headers", who: str, unauthorized: Callable[[], Failure]) -> Failure | None:
    """``None`` for success. ``unauthorized`` makes the ``auth_required`` of this very call."""
    if 200 <= status < 300:
        return None
    if status in (401, 403):
        return unauthorized()
    if status in (404, 410):
        return failures.not_found(f'"{who}" has nothing there (HTTP {status}).')
    if 300 <= status < 400 and "location" in headers:
        return failures.call_failed(f'"{who}" redirects elsewhere (HTTP {status}), which is not followed.')
    if status < 400:
        return failures.call_failed(f'"{who}" answered with HTTP {status}, which is no answer to this request.')
    return _refusal(status, who, retry_after_s(headers))


def _refusal(status: int, who: str, retry_after_s: float | None) -> Failure:
    if status == 429:
        return failures.rate_limited(f'"{who}" wants fewer calls (HTTP 429).', retry_after_s)
    if status in (408, 504):
        return failures.timeout(f'"{who}" gave up waiting (HTTP {status}).', retry_after_s)
    if status >= 500:
        return failures.unavailable(f'"{who}" failed on its side (HTTP {status}).', retry_after_s=retry_after_s)
    # A request too large for now, and for ever without a time to come back (RFC 9110, 15.5.14).
    again = status == 413 and retry_after_s is not None
    return failures.call_failed(
        f'"{who}" refused the request (HTTP {status}).',
        retryable=again,
        retry_after_s=retry_after_s if again else None,
    )


def retry_after_s(headers: "httpx2.Headers") -> float | None:
    """``Retry-After`` in seconds (RFC 9110, 10.2.3): delta seconds, with a fraction, too, or a date in any of the
    three forms, 0 for one that has passed. Of several the longest; ``None`` when none says anything usable."""
    said = (_seconds(value.strip()) for value in headers.get_list("retry-after"))
    return max((seconds for seconds in said if seconds is not None), default=None)


def _seconds(said: str) -> float | None:
    if _SECONDS.fullmatch(said):
        return min(float(said), _SECONDS_MAX)
    try:
        date = parsedate_to_datetime(said)
        # Every HTTP date is in GMT, and asctime's form does not say so.
        left = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - time.time()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
    return max(0.0, left)
