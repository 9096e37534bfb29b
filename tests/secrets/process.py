"""One process of the deployment, over the table and the key that its environment names."""

import os

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from connecta.composition import compose
from examples.shop.serving import serve
from tests.fixtures.dynamodb import TABLE
from tests.secrets.deployment import deployment

application = compose(deployment, table=TABLE, endpoint_url=os.environ["SECRETS_TABLE_URL"])


async def ready(request: Request) -> Response:
    return PlainTextResponse("ready")


application.asgi.add_route("/ready", ready)

if __name__ == "__main__":
    serve(application.asgi)
