"""One process of a deployment whose owner is at its pages: where it listens, and what its connectors reach, is its
environment's to say."""

import os

import uvicorn

from connecta.composition import compose
from tests.fixtures.dynamodb import TABLE
from tests.fixtures.operated import operated

deployment = operated(
    os.environ["SHELF_URL"],
    name=os.environ["NAME"],
    calendar_url=os.environ.get("CALENDAR_URL", "http://127.0.0.1:9/mcp"),
)
application = compose(deployment, table=TABLE, endpoint_url=os.environ["TABLE_URL"])

if __name__ == "__main__":
    uvicorn.run(
        application.asgi,
        host="127.0.0.1",
        port=int(os.environ["PORT"]),
        ssl_certfile=os.environ["CERTIFICATE"],
        ssl_keyfile=os.environ["KEY"],
        lifespan="off",
        log_level="warning",
        proxy_headers=False,
    )
