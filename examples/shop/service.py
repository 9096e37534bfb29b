"""The shop's HTTP API: orders, customers, a chart and two writes, all in memory. ``servers.py`` starts it."""

from collections import defaultdict
from copy import deepcopy

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from examples.shop import data
from examples.shop.drawing import bar_chart
from examples.shop.serving import serve

ORDERS = deepcopy(data.ORDERS)
REFUNDS: list[dict[str, object]] = []


async def list_orders(request: Request) -> Response:
    status, customer = request.query_params.get("status"), request.query_params.get("customer_id")
    found = [
        {key: order[key] for key in ("id", "customer_id", "placed", "status", "total")}
        for order in ORDERS.values()
        if status in (None, order["status"]) and customer in (None, order["customer_id"])
    ]
    return JSONResponse({"orders": found, "count": len(found)})


async def get_order(request: Request) -> Response:
    return JSONResponse(_order(request))


async def list_customers(request: Request) -> Response:
    return JSONResponse({"customers": list(data.CUSTOMERS.values())})


async def get_customer(request: Request) -> Response:
    customer = data.CUSTOMERS.get(request.path_params["id"])
    if customer is None:
        raise HTTPException(404)
    return JSONResponse(customer)


async def revenue(request: Request) -> Response:
    return JSONResponse({"months": [{"month": month, "revenue": total} for month, total in _by_month()]})


async def revenue_chart(request: Request) -> Response:
    return Response(bar_chart([total for _, total in _by_month()]), media_type="image/png")


async def create_refund(request: Request) -> Response:
    order, body = _order(request), await request.json()
    refunded = sum(float(str(r["amount"])) for r in REFUNDS if r["order_id"] == order["id"])
    if not 0 < body["amount"] <= order["total"] - refunded:
        raise HTTPException(422)
    refund: dict[str, object] = {"id": f"r-{3001 + len(REFUNDS)}", "order_id": order["id"], **body}
    REFUNDS.append(refund)
    return JSONResponse(refund, status_code=201)


async def cancel_order(request: Request) -> Response:
    order = _order(request)
    if order["status"] not in ("paid", "cancelled"):
        raise HTTPException(409)
    order["status"] = "cancelled"
    return JSONResponse(order)


async def ready(request: Request) -> Response:
    return Response("ready")


def _order(request: Request) -> data.Order:
    order = ORDERS.get(request.path_params["id"])
    if order is None:
        raise HTTPException(404)
    return order


def _by_month() -> list[tuple[str, float]]:
    totals: defaultdict[str, float] = defaultdict(float)
    for order in ORDERS.values():
        if order["status"] not in ("cancelled", "returned"):
            totals[order["placed"][:7]] += order["total"]
    return [(month, round(total, 2)) for month, total in sorted(totals.items())]


app = Starlette(
    routes=[
        Route("/ready", ready),
        Route("/orders", list_orders),
        Route("/orders/{id}", get_order),
        Route("/orders/{id}/refunds", create_refund, methods=["POST"]),
        Route("/orders/{id}/cancellation", cancel_order, methods=["PUT"]),
        Route("/customers", list_customers),
        Route("/customers/{id}", get_customer),
        Route("/revenue", revenue),
        Route("/revenue/chart.png", revenue_chart),
    ]
)

if __name__ == "__main__":
    serve(app)
