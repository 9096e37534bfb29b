"""The deployment under contract: the connectors of ``downstream.py``, for whoever sends the token.

``CONTRACT_URL`` is the origin of the downstream. ``CONTRACT_LIMITS`` are limits that are not the default ones, as JSON.
"""

import json
import os
from dataclasses import replace

from connecta import Bearer, Connecta, Context, Token, api, remote_mcp
from connecta.limits import LIMITS

URL = os.environ["CONTRACT_URL"]

desk = api(
    "desk",
    title="Front desk",
    description="Notes",
    base_url=f"{URL}/desk",
    guide="Read a note before you write it.",
    guide_summary="How notes are kept.",
    allow_private=True,
)
locked = api(
    "locked", base_url=f"{URL}/desk", description="Needs a token", credential=Token(env="NOT_SET"), allow_private=True
)


@desk.tool(read_only=True)
async def read_note(ctx: Context, id: str, lines: int = 1) -> object:
    """Read one note by its id."""
    return await ctx.http.get(f"/notes/{id}", params={"lines": lines})


@desk.tool(read_only=True)
async def status(ctx: Context, code: int) -> object:
    """Whatever the HTTP API says with that status code."""
    return await ctx.http.get(f"/status/{code}")


@desk.tool(read_only=True)
async def hold(ctx: Context) -> object:
    """Wait for an answer that never comes."""
    return await ctx.http.get("/hold")


@desk.tool(read_only=True)
async def broken(ctx: Context) -> object:
    """Fail in a way nobody planned."""
    raise RuntimeError("the secret is hunter2")


@desk.tool(read_only=False)
async def write_note(ctx: Context, id: str, text: str = "") -> object:
    """Write a note."""
    return await ctx.http.post(f"/notes/{id}", json={"text": text})


@locked.tool(read_only=True)
async def peek(ctx: Context) -> object:
    """Read what only a token opens."""
    return await ctx.http.get("/notes/1")


REMOTE = [
    remote_mcp(id, url=f"{URL}/{id}/mcp", description=f"The {id} server", allow_private=True)
    for id in ("probe", "odd-names", "class", "many", "broken")
]

deployment = Connecta(
    connectors=[*REMOTE, desk, locked],
    auth=Bearer(env="CONNECTA_TOKEN"),
    name="contract",
    limits=replace(LIMITS, **json.loads(os.environ["CONTRACT_LIMITS"])),
)
