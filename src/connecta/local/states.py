"""The state a command looks at: a deployed table's, or the local one's under a folder."""

import logging
import os
import sys
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO, TypeVar, cast

from connecta.composition import load_deployment
from connecta.deployment import DeploymentError
from connecta.failures import Failure
from connecta.local.emulator import EmulatorError, reachable_emulator
from connecta.local.errors import CommandError
from connecta.log import logger
from connecta.state import State, open_state

T = TypeVar("T")

LOCAL_TABLE = "connecta"


@dataclass(frozen=True, slots=True)
class Place:
    """Which deployment's state: in the deployed ``table``, else in the local one under ``data``."""

    deployment: str
    data: Path
    table: str | None


async def with_state(place: Place, work: Callable[[State], Awaitable[T]]) -> T:
    """What ``work`` returns, given the state at ``place``. Raises ``CommandError``."""
    log_to_stderr()
    try:
        sys.path.insert(0, os.getcwd())
        deployment = load_deployment(place.deployment)
        with _endpoint(place) as endpoint_url:
            table = place.table or LOCAL_TABLE
            state = open_state(table, deployment.name, endpoint_url=endpoint_url, limits=deployment.limits)
            try:
                return await work(state)
            finally:
                await state.close()
    except (ValueError, ImportError, DeploymentError, EmulatorError) as error:
        raise CommandError(str(error)) from error
    except Failure as failure:
        raise CommandError(failure.message) from failure


def log_to_stderr() -> None:
    """What the server would log (why AWS refused, say) belongs beside what a command prints, not into it."""
    for handler in logger.handlers:
        if isinstance(handler, logging.StreamHandler):
            cast("logging.StreamHandler[TextIO]", handler).setStream(sys.stderr)


@contextmanager
def _endpoint(place: Place) -> Generator[str | None]:
    """Where the table is: ``None`` is AWS, as the environment's credentials and region say."""
    if place.table is not None:
        yield None
        return
    if not place.data.is_dir():
        raise CommandError(
            f"There is no local state in {place.data}. Start a server with python -m connecta dev, name its folder "
            "with --data, or a deployed table with --table."
        )
    with reachable_emulator(place.data, table=LOCAL_TABLE) as endpoint_url:
        yield endpoint_url
