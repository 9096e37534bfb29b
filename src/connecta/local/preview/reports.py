"""What the views' policies stopped, as the browser reported it, for the page to show beside the view."""

import json
import re
from collections import OrderedDict
from typing import Final, TypedDict, cast

REPORT_BYTES: Final = 16_384
"""The longest report that is read. A browser's own are well below 4 KB."""
_RUNS: Final = 20
_REPORTS_PER_RUN: Final = 200
_FIELD_CHARS: Final = 300
_RUN: Final = re.compile(r"[0-9a-f]{32}")


class Violation(TypedDict):
    """One thing a policy stopped."""

    directive: str
    blocked: str
    sample: str


class Reports:
    """The violations of the last views shown, each under its run: 128 random bits that only its page knows."""

    def __init__(self) -> None:
        self._runs: OrderedDict[str, list[Violation]] = OrderedDict()

    def begin(self, run: str) -> bool:
        """Take reports for ``run`` from now on; false for what is no run's name."""
        if not _RUN.fullmatch(run):
            return False
        self._runs.setdefault(run, [])
        while len(self._runs) > _RUNS:
            self._runs.popitem(last=False)
        return True

    def add(self, run: str, body: bytes) -> None:
        """Keep a report. What is unreadable, of an unknown run or one too many is dropped: it came from a browser
        page, and any page can send one."""
        kept, violation = self._runs.get(run), _violation(body)
        if kept is not None and violation is not None and len(kept) < _REPORTS_PER_RUN:
            kept.append(violation)

    def of(self, run: str) -> list[Violation]:
        return self._runs.get(run, [])


def _violation(body: bytes) -> Violation | None:
    try:
        report = cast("object", json.loads(body)["csp-report"])
    except (ValueError, RecursionError, KeyError, TypeError):
        return None
    if not isinstance(report, dict):
        return None
    told = cast("dict[str, object]", report)
    return {
        "directive": _field(told, "effective-directive") or _field(told, "violated-directive"),
        "blocked": _field(told, "blocked-uri"),
        "sample": _field(told, "script-sample"),
    }


def _field(told: dict[str, object], name: str) -> str:
    value = told.get(name)
    return value[:_FIELD_CHARS] if isinstance(value, str) else ""
