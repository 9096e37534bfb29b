"""A deployment of one connector whose tools wait at the gate. ``GATE_LIMITS`` are its own limits, as JSON."""

import json
import os
from dataclasses import replace

from connecta import Connecta, Context, Open, api
from connecta.limits import LIMITS

gate = api("gate", base_url=os.environ["GATE_URL"], description="Waits", allow_private=True)


@gate.tool(read_only=True)
async def wait(ctx: Context) -> bool:
    """Wait until the gate opens."""
    return bool(await ctx.http.get("/wait"))


@gate.tool(read_only=True)
async def somebody(ctx: Context) -> bool:
    """Wait until somebody waits at the gate."""
    return bool(await ctx.http.get("/somebody"))


deployment = Connecta(
    connectors=[gate], auth=Open(), name="gated", limits=replace(LIMITS, **json.loads(os.environ["GATE_LIMITS"]))
)
