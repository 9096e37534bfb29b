"""What the local server serves in the test of signing in on one's own machine."""

from connecta import AuthorizationServer, Connecta
from tests.fixtures.mcp_client import notes
from tests.fixtures.oauth import DESK

deployment = Connecta(connectors=[notes()], auth=[AuthorizationServer(clients=[DESK])], name="here")
