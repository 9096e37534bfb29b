"""What the authorization server refuses: to a client as OAuth's JSON or by redirect, or to the person before it."""

from http import HTTPStatus

from connecta.text import JsonObject


class OAuthError(Exception):
    """RFC 6749 5.2, RFC 7009 2.2.1 and RFC 7591 3.2.2: a client did something wrong, or has to wait.

    ``description`` is ours, in ASCII without quotes and backslashes, and never quotes what was sent.
    """

    def __init__(
        self,
        error: str,
        description: str,
        *,
        status: HTTPStatus = HTTPStatus.BAD_REQUEST,
        retry_after_s: int | None = None,
    ) -> None:
        super().__init__(error)
        self.error = error
        self.description = description
        self.status = status
        self.retry_after_s = retry_after_s

    def body(self) -> JsonObject:
        return {"error": self.error, "error_description": self.description}


class Unanswerable(Exception):
    """An authorization request of which not even the way back can be trusted: shown to the person, never redirected.

    ``message`` is a sentence for them; ``retry_after_s`` is when trying again may help; ``back`` is where the client is
    told, if they choose to go there.
    """

    def __init__(self, message: str, *, retry_after_s: int | None = None, back: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.retry_after_s = retry_after_s
        self.back = back


class Redirected(Exception):
    """An authorization request whose refusal the client is told, by sending the person to ``url``."""

    def __init__(self, url: str) -> None:
        super().__init__("the client is told")
        self.url = url


def invalid_client() -> OAuthError:
    """A client nobody knows (any more): told so, Claude registers again."""
    return OAuthError(
        "invalid_client", "This client is not known here, or not any more.", status=HTTPStatus.UNAUTHORIZED
    )


def invalid_grant(description: str) -> OAuthError:
    return OAuthError("invalid_grant", description)


def invalid_request(description: str) -> OAuthError:
    return OAuthError("invalid_request", description)


def slow_down(seconds: float) -> OAuthError:
    """Too many from there, or at all. ``seconds`` until it may be tried again."""
    return OAuthError(
        "temporarily_unavailable",
        "Too many requests of this kind. Try again later.",
        status=HTTPStatus.TOO_MANY_REQUESTS,
        retry_after_s=max(int(seconds) + 1, 1),
    )
