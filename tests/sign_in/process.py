"""One process of a deployment people sign in to, over TLS: where, in what table and how is its environment's to say."""

import json
import os

from connecta import AuthorizationServer, Connecta, OidcProvider, Passphrase
from connecta.composition import compose
from tests.fixtures.dynamodb import TABLE
from tests.fixtures.mcp_client import notes
from tests.fixtures.oauth import DESK
from tests.fixtures.over_tls import serve

provider = os.environ.get("PROVIDER")
sign_in = OidcProvider(**json.loads(provider)) if provider else Passphrase()
deployment = Connecta(
    connectors=[notes()],
    auth=[AuthorizationServer(clients=[DESK], sign_in=sign_in)],
    name=os.environ["NAME"],
)
application = compose(deployment, table=TABLE, endpoint_url=os.environ["TABLE_URL"])

if __name__ == "__main__":
    serve(application)
