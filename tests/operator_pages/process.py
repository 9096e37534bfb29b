"""One process of a deployment whose owner is at its pages: where it listens, and what its connectors reach, is its
environment's to say."""

import os

from connecta.composition import compose
from tests.fixtures.dynamodb import TABLE
from tests.fixtures.operated import operated
from tests.fixtures.over_tls import serve

deployment = operated(
    os.environ["SHELF_URL"],
    name=os.environ["NAME"],
    calendar_url=os.environ.get("CALENDAR_URL", "http://127.0.0.1:9/mcp"),
)
application = compose(deployment, table=TABLE, endpoint_url=os.environ["TABLE_URL"])

if __name__ == "__main__":
    serve(application)
