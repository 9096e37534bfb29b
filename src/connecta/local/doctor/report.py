"""What the doctor says: a tick or a sentence for each check, or one JSON object."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TextIO

from connecta.local.doctor.findings import Finding, Outcome
from connecta.text import ascii_json

_MARKS: Final[Mapping[Outcome, str]] = {"ok": "✓", "failed": "✗", "not tried": "–"}
_PLAIN: Final[Mapping[Outcome, str]] = {"ok": "ok", "failed": "FAILED", "not tried": "-"}
_COLOURS: Final[Mapping[Outcome, str]] = {"ok": "32", "failed": "31", "not tried": "2"}
_TITLE_WIDTH: Final = 20


@dataclass(frozen=True, slots=True)
class Style:
    """How a stream can be written to: in colour on a terminal, unless ``NO_COLOR`` is set; marks where it has them."""

    colour: bool
    marks: bool

    def line(self, finding: Finding) -> str:
        mark = _MARKS[finding.outcome] if self.marks else _PLAIN[finding.outcome].ljust(len("FAILED"))
        if self.colour:
            mark = f"\x1b[{_COLOURS[finding.outcome]}m{mark}\x1b[0m"
        return f"{mark} {finding.title.ljust(_TITLE_WIDTH)} {self.written(finding.message)}"

    def written(self, text: str) -> str:
        return text if self.marks else text.encode("ascii", "replace").decode()


def style_of(stream: TextIO, environ: Mapping[str, str] = os.environ) -> Style:
    colour = stream.isatty() and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"
    try:
        "".join(_MARKS.values()).encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return Style(colour, marks=False)
    return Style(colour, marks=True)


def is_well(findings: Sequence[Finding]) -> bool:
    return all(finding.outcome != "failed" for finding in findings)


def summary(findings: Sequence[Finding]) -> str:
    failed = sum(finding.outcome == "failed" for finding in findings)
    untried = sum(finding.outcome == "not tried" for finding in findings)
    also = f", {untried} not tried" if untried else ""
    if failed:
        return f"{failed} of {len(findings)} checks failed{also}. docs/connect.md says more on each."
    return f"{len(findings) - untried} of {len(findings)} checks are well{also}."


def as_json(url: str, findings: Sequence[Finding]) -> str:
    """``{ url, ok, checks: [{ name, title, outcome, message }] }``."""
    return ascii_json({"url": url, "ok": is_well(findings), "checks": [found.described() for found in findings]})
