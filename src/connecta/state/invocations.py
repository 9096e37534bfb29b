"""Events the function sends to itself, for work that must outlive the request: Lambda freezes after an answer."""

import asyncio
import threading
from typing import Protocol, cast

from connecta.failures import unavailable
from connecta.limits import Limits
from connecta.log import logger
from connecta.text import JsonObject, compact


class _LambdaClient(Protocol):
    """What is used of AWS's client."""

    def invoke(self, *, FunctionName: str, InvocationType: str, Payload: bytes) -> object: ...
    def close(self) -> None: ...


class SelfInvocation:
    """Asynchronous invocations of one function. The client is made on first use; most requests send nothing."""

    def __init__(self, function: str, limits: Limits) -> None:
        self._function = function
        self._limits = limits
        self._lock = threading.Lock()
        self._client: _LambdaClient | None = None

    async def send(self, event: JsonObject) -> None:
        """Returns once Lambda has ``event`` in its queue. Raises ``unavailable`` when it does not take it."""
        await asyncio.to_thread(self._send, compact(event).encode())

    def _send(self, payload: bytes) -> None:
        from botocore import exceptions as aws

        try:
            self._opened().invoke(FunctionName=self._function, InvocationType="Event", Payload=payload)
        except (aws.ClientError, aws.BotoCoreError) as error:
            logger.error("Lambda took no event of the function to itself", extra={"cause": type(error).__name__})
            raise unavailable("Work could not be handed over to another invocation.") from error

    def _opened(self) -> _LambdaClient:
        with self._lock:
            if self._client is None:
                self._client = _open_client(self._limits)
            return self._client

    def close(self) -> None:
        """Close the connection to Lambda; nothing is sent any more."""
        with self._lock:
            if self._client is not None:
                self._client.close()


def _open_client(limits: Limits) -> _LambdaClient:
    """A client that gives up soon: a request waits for it, and the next one can ask for the same again."""
    from botocore.config import Config

    from connecta.state.aws import open_service

    config = Config(
        connect_timeout=limits.state_connect_s,
        read_timeout=limits.state_read_s,
        retries={"mode": "standard", "total_max_attempts": limits.state_attempts},
    )
    return cast(_LambdaClient, open_service("lambda", config))
