"""A small shop: six customers, fourteen orders, five documents. Invented, but it adds up."""

from typing import TypedDict


class Customer(TypedDict):
    id: str
    name: str
    email: str
    city: str
    since: str


class Line(TypedDict):
    sku: str
    title: str
    quantity: int
    unit_price: float


class Order(TypedDict):
    id: str
    customer_id: str
    placed: str
    status: str
    lines: list[Line]
    total: float


class Document(TypedDict):
    id: str
    title: str
    tags: list[str]
    text: str


CUSTOMERS: dict[str, Customer] = {
    customer["id"]: customer
    for customer in (
        Customer(id="c-101", name="Amara Okafor", email="amara@example.com", city="Lagos", since="2023-02-11"),
        Customer(id="c-102", name="Jonas Lindqvist", email="jonas@example.com", city="Malmö", since="2023-06-30"),
        Customer(id="c-103", name="Mei Tanaka", email="mei@example.com", city="Osaka", since="2024-01-19"),
        Customer(id="c-104", name="Lucía Ferrer", email="lucia@example.com", city="Valencia", since="2024-08-02"),
        Customer(id="c-105", name="Tom Brannigan", email="tom@example.com", city="Cork", since="2025-03-14"),
        Customer(id="c-106", name="Noor Haddad", email="noor@example.com", city="Amman", since="2025-11-27"),
    )
}

PRICES: dict[str, tuple[str, float]] = {
    "KET-01": ("Enamel kettle", 48.00),
    "MUG-04": ("Stoneware mug, set of 4", 36.50),
    "GRD-02": ("Hand coffee grinder", 79.90),
    "FLT-10": ("Paper filters, 100", 6.20),
    "BNS-05": ("House blend, 500 g", 14.80),
    "SCL-01": ("Brewing scale", 54.00),
}


def _order(id: str, customer_id: str, placed: str, status: str, **quantities: int) -> Order:
    """``quantities`` by SKU, with ``_`` for ``-``."""
    lines = [
        Line(sku=sku, title=PRICES[sku][0], quantity=quantity, unit_price=PRICES[sku][1])
        for sku, quantity in ((name.replace("_", "-"), quantity) for name, quantity in quantities.items())
    ]
    total = round(sum(line["quantity"] * line["unit_price"] for line in lines), 2)
    return Order(id=id, customer_id=customer_id, placed=placed, status=status, lines=lines, total=total)


ORDERS: dict[str, Order] = {
    order["id"]: order
    for order in (
        _order("o-2001", "c-101", "2026-06-03", "delivered", KET_01=1, BNS_05=2),
        _order("o-2002", "c-102", "2026-06-09", "delivered", GRD_02=1),
        _order("o-2003", "c-103", "2026-06-21", "delivered", MUG_04=2, FLT_10=3),
        _order("o-2004", "c-101", "2026-07-02", "delivered", BNS_05=4),
        _order("o-2005", "c-104", "2026-07-15", "returned", SCL_01=1),
        _order("o-2006", "c-105", "2026-07-28", "delivered", KET_01=1, MUG_04=1),
        _order("o-2007", "c-102", "2026-08-05", "delivered", BNS_05=3, FLT_10=2),
        _order("o-2008", "c-103", "2026-08-19", "delivered", GRD_02=1, SCL_01=1),
        _order("o-2009", "c-106", "2026-09-01", "delivered", MUG_04=1, BNS_05=1),
        _order("o-2010", "c-104", "2026-09-17", "shipped", KET_01=2),
        _order("o-2011", "c-101", "2026-10-06", "shipped", GRD_02=1, BNS_05=2),
        _order("o-2012", "c-105", "2026-10-20", "paid", SCL_01=1, FLT_10=5),
        _order("o-2013", "c-106", "2026-11-04", "paid", KET_01=1, GRD_02=1),
        _order("o-2014", "c-103", "2026-11-18", "cancelled", MUG_04=3),
    )
}

DOCUMENTS: dict[str, Document] = {
    document["id"]: document
    for document in (
        Document(
            id="refund-policy",
            title="Refund policy",
            tags=["refunds", "policy"],
            text="Refunds are given within 30 days of delivery. Up to 50.00 support decides alone; above that the "
            "shop manager signs. A refund never exceeds what the order cost, and shipping is refunded only for "
            "damaged goods.",
        ),
        Document(
            id="shipping-times",
            title="Shipping times by region",
            tags=["shipping"],
            text="Europe 2-4 working days, Japan 5-7, West Africa 6-9, the Middle East 5-8. Orders placed before "
            "14:00 UTC leave the same day. Kettles ship in a box of their own.",
        ),
        Document(
            id="grinder-care",
            title="Caring for the hand grinder",
            tags=["product", "grinder"],
            text="Brush the burrs weekly and never wash them. A squeak means the axle wants a drop of food-safe oil. "
            "Replacement burrs are free for two years.",
        ),
        Document(
            id="support-tone",
            title="How we write to customers",
            tags=["support", "style"],
            text="Short sentences, the customer's name once, the next step in the first line. Say sorry once and mean "
            "it. Never promise a date the carrier has not confirmed.",
        ),
        Document(
            id="autumn-plan",
            title="Autumn plan 2026",
            tags=["planning", "sales"],
            text="Goal: the grinder becomes a fifth of revenue by December. Bundle it with the scale in October, with "
            "house blend in November. Watch returns of the scale: July's came from a bad batch of batteries.",
        ),
    )
}
