"""What this floor needs of the network, given to it from above: a document from a public address."""

from collections.abc import Awaitable
from typing import Protocol


class Fetch(Protocol):
    """Fetches documents of strangers: from public addresses over https only, without following redirects."""

    def __call__(self, url: str, *, limit: int, wait_s: float) -> Awaitable[bytes]:
        """The body of a 200 from ``url``, at most ``limit`` bytes, within ``wait_s`` seconds.

        Raises ``Failure`` for anything else.
        """
        ...
