"""The Lambda entry: builds the application once per process and hands it API Gateway's events."""

import os

from mangum import Mangum

from connecta.composition import DEFAULT_DEPLOYMENT, compose, load_deployment

application = compose(
    load_deployment(os.environ.get("CONNECTA_DEPLOYMENT", DEFAULT_DEPLOYMENT)),
    table=os.environ.get("CONNECTA_TABLE", "connecta"),
)
handler = Mangum(application.asgi, lifespan="off")
