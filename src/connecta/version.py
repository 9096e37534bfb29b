"""The version of this code: in Lambda it is copied, not installed, so no package metadata can say it."""

from typing import Final

VERSION: Final = "0.1.0"
