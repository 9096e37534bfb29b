"""What the shell and the program's frame may load: inline code and ``data:`` media, and nothing from anywhere else."""

import base64
import hashlib
from typing import Final

POLICY: Final = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; media-src data:; "
    "font-src data:; frame-src 'none'; form-action 'none'; base-uri 'none'"
)
"""In a ``<meta>`` of both documents. It asks the host for nothing, so a host may only add to it.

``frame-src 'none'`` does not apply to the one ``srcdoc`` frame the shell makes; it keeps every address out of it.
"""


def script_hash(script: str) -> str:
    """What follows ``sha256-`` in the policy that lets this one inline script run."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
