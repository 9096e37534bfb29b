"""The Lambda entry: builds the application once per process and hands it API Gateway's events, and its own."""

import asyncio
import os
from typing import Any

from mangum import Mangum
from mangum.types import LambdaContext, LambdaEvent

from connecta.catalog.refresh import refresh_in
from connecta.composition import DEFAULT_DEPLOYMENT, compose, load_deployment

application = compose(
    load_deployment(os.environ.get("CONNECTA_DEPLOYMENT", DEFAULT_DEPLOYMENT)),
    table=os.environ.get("CONNECTA_TABLE", "connecta"),
)
answer = Mangum(application.asgi, lifespan="off")


def handler(event: LambdaEvent, context: LambdaContext) -> dict[str, Any] | None:
    """A proxy response; ``None`` for what the function sent to itself, which nobody waits for."""
    refresh = refresh_in(event)
    # The loop that Mangum serves requests on: it belongs to the process, like what outlives requests.
    loop = asyncio.get_event_loop()
    try:
        if refresh is None:
            return answer(event, context)
        loop.run_until_complete(application.catalogs.refresh(refresh))
        return None
    finally:
        # Lambda freezes the process as soon as this returns.
        loop.run_until_complete(application.settled(context.get_remaining_time_in_millis() / 1000))
