"""What a downstream's HTTP status means to a caller."""

import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime

from connecta import failures
from connecta.failures import Failure


def failure_of(
    status: int, headers: Mapping[str, str], who: str, unauthorized: Callable[[], Failure]
) -> Failure | None:
    """``None`` for success. ``unauthorized`` makes the ``auth_required`` of this very call."""
    if 200 <= status < 300:
        return None
    if status in (401, 403):
        return unauthorized()
    if status in (404, 410):
        return failures.not_found(f'"{who}" has nothing there (HTTP {status}).')
    if status == 429:
        return failures.rate_limited(f'"{who}" wants fewer calls (HTTP 429).', retry_after_s(headers))
    if 300 <= status < 400:
        return failures.call_failed(f'"{who}" redirects elsewhere (HTTP {status}), which is not followed.')
    if status in (408, 504):
        return failures.timeout(f'"{who}" gave up waiting (HTTP {status}).')
    if status >= 500:
        return failures.unavailable(f'"{who}" failed on its side (HTTP {status}).')
    return failures.call_failed(f'"{who}" refused the request (HTTP {status}).')


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """``Retry-After`` in seconds, whether it came as seconds or as a date; ``None`` when it says nothing usable."""
    said = headers.get("retry-after", "").strip()
    if said.isascii() and said.isdigit():
        return float(said[:9])
    try:
        return max(0.0, parsedate_to_datetime(said).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None
