"""Writes ``docs/guest-api.md``: each clause of the guest contract, what it promises, and what proves it.

    python -m tools.guest_api          write the page

The clauses are ``tests/contract/clauses.py``; the proofs are the cases of the suite beside it, and the tests that
``elsewhere.py`` there names.
"""

from collections.abc import Iterator
from pathlib import Path

from tests.contract.clauses import HEADINGS
from tests.contract.elsewhere import ELSEWHERE
from tests.contract.table import CASES

PAGE = Path(__file__).resolve().parent.parent / "docs" / "guest-api.md"

OPENING = """# What a program is promised

<!-- Generated from tests/contract by `make docs`; a test compares. -->

The contract of `execute_code`, clause by clause. Code and tests name the clause they keep. Numbers in brackets are
defaults that a deployment may change with `Connecta(limits=Limits(…))`; a program can raise none of them.

Each proof is a case of `tests/contract`, run through the real endpoint and, save where it says "local server only",
once more through the built artifact in Lambda's runtime loop. What no case can show names the test that shows it.
"""


def render() -> str:
    """The whole page."""
    sections = (
        f"\n## {heading}\n\n| clause | promise | proven by |\n|---|---|---|\n"
        + "".join(_row(clause, promise) for clause, promise in promises.items())
        for heading, promises in HEADINGS.items()
    )
    return OPENING + "".join(sections)


def _row(clause: str, promise: str) -> str:
    return f"| {clause} | {_cell(promise)} | {'<br>'.join(_cell(proof) for proof in _proofs(clause))} |\n"


def _proofs(clause: str) -> Iterator[str]:
    for case in CASES:
        if clause in case.clauses:
            yield case.name + ("" if case.serial else " (local server only)")
    for proof in ELSEWHERE.get(clause, ()):
        yield f"`{proof.test}`, because {proof.reason}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def main() -> None:
    PAGE.write_text(render())


if __name__ == "__main__":
    main()
