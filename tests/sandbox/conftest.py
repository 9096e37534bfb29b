from collections.abc import AsyncIterator

import pytest

from connecta.sandbox.config import installed_config
from connecta.sandbox.sandbox import Sandbox


@pytest.fixture
async def sandbox() -> AsyncIterator[Sandbox]:
    """The installed sandbox with one shortcut global, ``docs``, for the connector ``docs-site``."""
    made = Sandbox(installed_config(shortcuts={"docs": "docs-site"}))
    yield made
    await made.close()
