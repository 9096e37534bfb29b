"""What the bench serves: one connector whose tools cost nothing, so that what is measured is ours."""

from dataclasses import replace

from connecta import Bearer, Connecta, api
from connecta.limits import LIMITS

constant = api("constant", title="Constant", description="Answers at once", base_url="https://constant.invalid")


@constant.tool(read_only=True)
async def number(ctx: object, n: int = 0) -> dict[str, int]:
    """Return the number it was given."""
    return {"n": n}


@constant.tool(read_only=True)
async def length(ctx: object, text: str) -> dict[str, int]:
    """Return how long the text is that it was given."""
    return {"length": len(text)}


@constant.tool(read_only=True)
async def long_text(ctx: object, characters: int = 200_000) -> dict[str, str]:
    """Return a text of any length; at its default it is too long to be inline, so it is kept and paged."""
    return {"text": "x" * characters}


# One caller asks for more than any would; how often that is settled with the table stays as it is by default.
busy = replace(LIMITS, caller_burst=LIMITS.caller_burst * 1_000, bucket_shares=LIMITS.bucket_shares * 1_000)
deployment = Connecta(connectors=[constant], auth=Bearer(), name="bench", limits=busy)
spareless = Connecta(connectors=[constant], auth=Bearer(), name="bench-spareless", limits=replace(busy, spares=0))
