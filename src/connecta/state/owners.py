"""Whom a record is bound to."""

import hashlib
from dataclasses import dataclass

from connecta.text import compact


@dataclass(frozen=True, slots=True)
class Owner:
    """One caller of one deployment: a record kept for it is unknown to every other."""

    deployment: str
    kind: str
    subject: str

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of the three names; JSON keeps ``("a", "bc")`` and ``("ab", "c")`` apart."""
        return digest(self.deployment, self.kind, self.subject)


def digest(*names: str) -> str:
    """SHA-256 (hex) of a list of names, as it stands in a key: fixed length, and no name is spelled out."""
    return hashlib.sha256(compact(list(names)).encode()).hexdigest()
