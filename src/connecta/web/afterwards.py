"""What is done once an answer has been sent."""

from collections.abc import Callable

from starlette.types import ASGIApp, Receive, Scope, Send


class Afterwards:
    """Calls ``then`` when the application is through with a request: a server has sent the answer by then, while
    Lambda's adapter hands it over when this returns. In the thread of the event loop, and whatever happened."""

    def __init__(self, app: ASGIApp, *, then: Callable[[], None]) -> None:
        self._app = app
        self._then = then

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._app(scope, receive, send)
        finally:
            if scope["type"] == "http":
                self._then()
