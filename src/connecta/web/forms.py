"""Forms of our own pages: whether one was sent from there, what it says, and the redirect that answers it."""

from http import HTTPStatus
from typing import Final
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from connecta.limits import Limits
from connecta.web.bodies import body_within
from connecta.web.edge import normal_origin

FORM: Final = "application/x-www-form-urlencoded"


def is_from_here(request: Request, origin: str) -> bool:
    """Whether a browser sent this form from a page of ours. Every browser says where a POST comes from."""
    sent_from = request.headers.get("origin")
    site = request.headers.get("sec-fetch-site", "same-origin")
    return sent_from is not None and normal_origin(sent_from) == origin and site == "same-origin"


async def form_in(request: Request, limits: Limits) -> dict[str, str] | None:
    """The fields of an operator's form by name; ``None`` for what no page of ours sends. Raises
    ``ClientDisconnect``."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    body = await body_within(request, limits.operator_form_bytes)
    if media_type != FORM or body is None or not body.isascii():
        return None
    try:
        pairs = parse_qsl(
            body.decode("ascii"), keep_blank_values=True, max_num_fields=limits.operator_form_fields, errors="strict"
        )
    except ValueError:
        return None
    fields = dict(pairs)
    return fields if len(fields) == len(pairs) else None


def see_other(url: str) -> Response:
    """A redirect that takes no referrer along and is never kept: an answer may travel in its query."""
    return RedirectResponse(url, HTTPStatus.SEE_OTHER, {"cache-control": "no-store", "referrer-policy": "no-referrer"})
