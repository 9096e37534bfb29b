"""Where the operator's pages are, and where their forms go."""

from typing import Final
from urllib.parse import quote, urlencode

CONNECTORS: Final = "/"
CREDENTIALS: Final = "/credentials"
TOKENS: Final = "/tokens"
ACTIVITY: Final = "/activity"
SIGN_IN: Final = "/sign-in"
SIGN_OUT: Final = "/sign-out"

PAGES: Final = {CONNECTORS: "Connectors", CREDENTIALS: "Credentials", TOKENS: "Access", ACTIVITY: "Activity"}
"""The pages by where they are, in the order the navigation has them."""
_FOLDERS: Final = ("/connectors/", "/credentials/", "/tokens/", "/grants/")


def connector_place(id: str, action: str) -> str:
    return f"/connectors/{quote(id, safe='')}/{action}"


def credential_place(id: str, action: str) -> str:
    return f"/credentials/{quote(id, safe='')}/{action}"


def token_place(id: str, action: str) -> str:
    return f"/tokens/{quote(id, safe='')}/{action}"


def grant_place(id: str) -> str:
    return f"/grants/{quote(id, safe='')}/end"


def sign_in_place(after: str) -> str:
    """Where to sign in, to be on the page ``after`` afterwards."""
    return SIGN_IN if after == CONNECTORS else f"{SIGN_IN}?{urlencode({'next': after})}"


def page_after(wanted: str | None) -> str:
    """Where a person goes who has signed in: one of the pages, wherever else a link would have them go."""
    return wanted if wanted in PAGES else CONNECTORS


def is_operator_place(path: str) -> bool:
    return path in PAGES or path in (SIGN_IN, SIGN_OUT) or path.startswith(_FOLDERS)
