"""What the bench serves: one connector whose tools cost nothing, so that what is measured is ours."""

from connecta import Bearer, Connecta, api

constant = api("constant", title="Constant", description="Answers at once", base_url="https://constant.invalid")


@constant.tool(read_only=True)
async def number(ctx: object, n: int = 0) -> dict[str, int]:
    """Return the number it was given."""
    return {"n": n}


@constant.tool(read_only=True)
async def long_text(ctx: object, characters: int = 200_000) -> dict[str, str]:
    """Return a text too long to be inline, which is kept and paged."""
    return {"text": "x" * characters}


deployment = Connecta(connectors=[constant], auth=Bearer(), name="bench")
