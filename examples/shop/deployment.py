"""The deployment ``make run`` serves: a shop's HTTP API and its documents, both started beside the server.

The local server enters ``start_local_servers()`` before its first request and leaves it when it stops.
``SHOP_API_URL`` and ``SHOP_MCP_URL`` say where the two are, for a shop that runs elsewhere.
"""

import os
from contextlib import AbstractContextManager
from typing import Literal, cast

from connecta import Connecta, Context, Image, Open, api, remote_mcp
from examples.shop.data import Customer, Order
from examples.shop.servers import ShopUrls, running_servers

URLS = ShopUrls(
    api=os.environ.get("SHOP_API_URL", "http://127.0.0.1:8788"),
    mcp=os.environ.get("SHOP_MCP_URL", "http://127.0.0.1:8789/mcp"),
)

GUIDE = """Orders, customers and revenue of the shop.

Find an order with `list_orders`, read its lines with `get_order`. Amounts are in euro. Read the document
`refund-policy` before `create_refund`.
"""

Status = Literal["paid", "shipped", "delivered", "returned", "cancelled"]


def start_local_servers() -> AbstractContextManager[ShopUrls]:
    return running_servers(URLS)


def shop(urls: ShopUrls) -> Connecta:
    """The deployment over a shop at ``urls``."""
    store = api(
        "shop",
        title="Shop",
        description="Orders, customers and revenue",
        base_url=urls.api,
        guide=GUIDE,
        allow_private=True,  # The shop runs on this machine.
    )

    @store.tool(read_only=True)
    async def list_orders(ctx: Context, status: Status | None = None, customer_id: str | None = None) -> object:
        """List orders, newest last, optionally of one status or one customer."""
        return await ctx.http.get("/orders", params={"status": status, "customer_id": customer_id})

    @store.tool(read_only=True)
    async def get_order(ctx: Context, id: str) -> Order:
        """Fetch one order with its lines by id, like o-2003."""
        return cast("Order", await ctx.http.get(f"/orders/{id}"))

    @store.tool(read_only=True)
    async def list_customers(ctx: Context) -> object:
        """List every customer with name, city and the date of the first order."""
        return await ctx.http.get("/customers")

    @store.tool(read_only=True)
    async def get_customer(ctx: Context, id: str) -> Customer:
        """Fetch one customer by id, like c-101."""
        return cast("Customer", await ctx.http.get(f"/customers/{id}"))

    @store.tool(read_only=True)
    async def revenue_by_month(ctx: Context) -> object:
        """Revenue of each month in euro, without cancelled and returned orders."""
        return await ctx.http.get("/revenue")

    @store.tool(read_only=True)
    async def revenue_chart(ctx: Context) -> Image:
        """A bar chart of the revenue of each month, as a PNG image."""
        return Image(await ctx.http.get_bytes("/revenue/chart.png"), "image/png")

    @store.tool(read_only=False)
    async def create_refund(ctx: Context, order_id: str, amount: float, reason: str) -> object:
        """Refund part or all of an order; the amount in euro cannot exceed what is left of its total."""
        return await ctx.http.post(f"/orders/{order_id}/refunds", json={"amount": amount, "reason": reason})

    @store.tool(read_only=False, destructive=True, idempotent=True)
    async def cancel_order(ctx: Context, id: str) -> object:
        """Cancel a paid order that has not been shipped. This cannot be undone."""
        return await ctx.http.put(f"/orders/{id}/cancellation")

    documents = remote_mcp(
        "documents",
        title="Documents",
        description="Policies, product notes and plans",
        url=urls.mcp,
        allow_private=True,
        # count_words does not say that it only reads. Once you have looked at it yourself, read_only={"count_words"}
        # lets programs call it.
    )
    return Connecta(connectors=[store, documents], auth=[Open()], name="shop")


deployment = shop(URLS)
