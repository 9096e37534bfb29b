"""What a person is told whose passphrase did not let them in."""

from dataclasses import dataclass
from http import HTTPStatus

from starlette.responses import Response

from connecta.auth.sign_in.passphrases import Refused, Slowed


@dataclass(frozen=True, slots=True)
class Told:
    """``message`` belongs at the passphrase's field; ``seconds`` is when to try again, where that is known."""

    status: int
    message: str
    seconds: int | None = None

    def on(self, response: Response) -> Response:
        """``response``, which shows the message, with the header that says when to come again."""
        if self.seconds is not None:
            response.headers["retry-after"] = str(self.seconds)
        return response


def told_of(checked: Refused | Slowed) -> Told:
    match checked:
        case Slowed(seconds):
            message = f"Too many wrong passphrases came from your address. Try again in {_time(seconds)}."
            return Told(HTTPStatus.TOO_MANY_REQUESTS, message, seconds)
        case Refused.NOT_SET:
            message = "This server has no passphrase yet. Its owner sets one with: python -m connecta passphrase"
            return Told(HTTPStatus.SERVICE_UNAVAILABLE, message)
        case Refused.WRONG:
            message = "That is not the passphrase. Check capitals and spaces, then try again."
            return Told(HTTPStatus.FORBIDDEN, message)


def _time(seconds: int) -> str:
    return "a second" if seconds == 1 else f"{seconds} seconds"
