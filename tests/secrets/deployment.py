"""A deployment whose downstreams say back what they are shown, with a connector of every kind of authorization."""

import os
from typing import Any, Final

from connecta import (
    AccessTokens,
    AuthorizationServer,
    Bearer,
    Connecta,
    Credential,
    Image,
    OAuth,
    Token,
    api,
    failures,
    remote_mcp,
)
from connecta.connectors.api import Api
from tests.fixtures.oauth import DESK
from tests.secrets.echo import LISTS

ECHO: Final = os.environ.get("SECRETS_ECHO_URL", "http://127.0.0.1:9")
NOTES: Final = os.environ.get("SECRETS_NOTES_URL", "http://127.0.0.1:9")


def echoing(id: str, credential: Credential | Token) -> Api:
    """Tools that hand on what comes back, and some that were written without a thought."""
    desk = api(id, title=f"API {id}", base_url=ECHO, credential=credential, allow_private=True)

    def everything(ctx: Any) -> str:
        return " ".join((ctx.credential or "", *ctx.credentials.values(), repr(ctx)))

    @desk.tool(read_only=True)
    async def get(ctx: Any, how: str) -> Any:  # pyright: ignore[reportUnusedFunction]
        """Get something."""
        return await ctx.http.get("/echo", params={"how": how}, headers=_sent(ctx))

    @desk.tool(read_only=True)
    async def get_text(ctx: Any, how: str) -> str:  # pyright: ignore[reportUnusedFunction]
        """Get something as text."""
        return await ctx.http.get_text("/echo", params={"how": how}, headers=_sent(ctx))

    @desk.tool(read_only=True)
    async def picture(ctx: Any, how: str) -> Image:  # pyright: ignore[reportUnusedFunction]
        """Get something as an image."""
        return Image(await ctx.http.get_bytes("/echo", params={"how": how}, headers=_sent(ctx)))

    @desk.tool(read_only=True, cache=60)
    async def kept(ctx: Any, how: str) -> Any:  # pyright: ignore[reportUnusedFunction]
        """Get something and keep it."""
        found = await ctx.http.get_text("/echo", params={"how": how}, headers=_sent(ctx))
        await ctx.cache.set("found", found, 60)
        return found

    @desk.tool(read_only=True)
    async def crash(ctx: Any, how: str) -> Any:  # pyright: ignore[reportUnusedFunction]
        """Fail."""
        match how:
            case "plain":
                raise RuntimeError(everything(ctx))
            case "caused":
                try:
                    raise KeyError(everything(ctx))
                except KeyError as error:
                    raise RuntimeError("no") from error
            case "noted":
                trouble = ValueError("no")
                trouble.add_note(everything(ctx))
                raise trouble
            case "grouped":
                raise ExceptionGroup("no", [ValueError(everything(ctx)), OSError(everything(ctx))])
            case "told":
                raise failures.call_failed(everything(ctx))
            case "odd":
                return {everything(ctx): object()}
            case _:
                return everything(ctx)

    return desk


def _sent(ctx: Any) -> dict[str, str]:
    """Several values are framed by whoever knows how."""
    return {"x-key": ctx.credentials["secret"]} if "secret" in ctx.credentials else {}


BASIC: Final = Credential("Account", scheme="Basic", fields=("user", "password"))

deployment = Connecta(
    connectors=[
        remote_mcp("single", url=f"{ECHO}/mcp/plain", auth=Credential("Key"), allow_private=True),
        remote_mcp("bare", url=f"{ECHO}/mcp/plain", auth=Credential(header="X-Key", scheme=""), allow_private=True),
        remote_mcp("pair", url=f"{ECHO}/mcp/plain", auth=BASIC, allow_private=True),
        remote_mcp("env", url=f"{ECHO}/mcp/plain", auth=Token("SECRETS_ENV_TOKEN"), allow_private=True),
        remote_mcp("notes", url=f"{NOTES}/mcp", auth=OAuth(), allow_private=True),
        remote_mcp("other", url=f"{NOTES}/mcp", auth=OAuth(client_id="us", env="SECRETS_CLIENT"), allow_private=True),
        *(
            remote_mcp(each, url=f"{ECHO}/mcp/{each}", auth=Token("SECRETS_ENV_TOKEN"), allow_private=True)
            for each in LISTS
        ),
        echoing("api-single", Credential("Key")),
        echoing("api-pair", BASIC),
        echoing("api-several", Credential("Keys", fields=("account", "secret", "seed"))),
        echoing("api-env", Token("SECRETS_ENV_TOKEN")),
    ],
    auth=[Bearer(), AccessTokens(), AuthorizationServer(clients=[DESK])],
    name="secrets",
)
