"""The one seam to AWS's SDK: a DynamoDB client built on first use, called from threads, failing typed."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final, TypeVar, cast
from urllib.parse import urlsplit

from connecta.failures import Failure, unavailable
from connecta.limits import Limits
from connecta.log import logger

if TYPE_CHECKING:
    from botocore.exceptions import ClientError
    from mypy_boto3_dynamodb.client import DynamoDBClient

T = TypeVar("T")

_THROTTLED: Final = frozenset({"ProvisionedThroughputExceededException", "RequestLimitExceeded", "ThrottlingException"})
_LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})


class ConditionFailed(Exception):
    """A conditional write met a record its condition does not hold for; nothing was written."""


class DynamoClient:
    """DynamoDB for one process. It belongs to no event loop, so it outlives the one a request ran in."""

    def __init__(self, endpoint_url: str | None, limits: Limits) -> None:
        self._endpoint_url = endpoint_url
        self._limits = limits
        self._lock = threading.Lock()
        self._client: DynamoDBClient | None = None
        self._preparing = False
        self._threads = ThreadPoolExecutor(limits.state_threads, thread_name_prefix="dynamodb")

    def prepare(self) -> None:
        """Have the client made on a thread, unless that was asked for before: it takes 0.15 s, which whoever waits for
        something else anyway need not wait for later. What keeps it from being made is raised by the next ``call``."""
        if not self._preparing:
            self._preparing = True
            self._threads.submit(self._opened)

    async def call(self, request: "Callable[[DynamoDBClient], T]") -> T:
        """What ``request`` returns, run on a thread with the client.

        Raises ``ConditionFailed``, or ``unavailable`` when DynamoDB cannot be reached, throttles or refuses.
        """
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self._limits.state_call_s):
                return await loop.run_in_executor(self._threads, self._perform, request)
        except TimeoutError as error:
            raise _unreachable() from error

    async def close(self) -> None:
        """Wait for the requests under way and close their connections."""
        await asyncio.to_thread(self._threads.shutdown, cancel_futures=True)
        if self._client is not None:
            self._client.close()

    def _perform(self, request: "Callable[[DynamoDBClient], T]") -> T:
        # Imported here because botocore costs a cold start about 150 ms, and many requests keep nothing.
        from botocore import exceptions as aws

        try:
            return request(self._opened())
        except aws.ClientError as error:
            raise _refusal(error) from error
        except (aws.ConnectionError, aws.HTTPClientError) as error:
            raise _unreachable() from error
        except aws.BotoCoreError as error:
            raise _misconfigured(type(error).__name__) from error

    def _opened(self) -> "DynamoDBClient":
        with self._lock:
            if self._client is None:
                self._client = open_client(self._endpoint_url, self._limits)
            return self._client


def open_client(endpoint_url: str | None, limits: Limits) -> "DynamoDBClient":
    """A client whose every wait is bounded.

    A loopback endpoint is an emulator: it takes any credential and region, so it is given made-up ones and
    never sees the operator's own.
    """
    from botocore.config import Config

    from connecta.state.aws import open_service

    emulator = endpoint_url is not None and urlsplit(endpoint_url).hostname in _LOOPBACK
    config = Config(
        connect_timeout=limits.state_connect_s,
        read_timeout=limits.state_read_s,
        retries={"mode": "standard", "total_max_attempts": limits.state_attempts},
        max_pool_connections=limits.state_threads,
        proxies={} if emulator else None,
        # What is sent is made here and checked by its types; checking it again was a third of writing many records.
        parameter_validation=False,
    )
    region, key = ("us-east-1", "local") if emulator else (None, None)
    client = open_service("dynamodb", config, endpoint_url=endpoint_url, region=region, key=key)
    return cast("DynamoDBClient", client)


def _refusal(error: "ClientError") -> Exception:
    code = error.response.get("Error", {}).get("Code", "")
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 500)
    if code == "ConditionalCheckFailedException":
        return ConditionFailed()
    if code in _THROTTLED or status >= 500:
        return _unreachable()
    return _misconfigured(code)


def _unreachable() -> Failure:
    return unavailable("The table this deployment keeps its state in cannot be reached right now. Try again shortly.")


def _misconfigured(cause: str) -> Failure:
    logger.error("The state table refused a request", extra={"cause": cause})
    return unavailable(
        "The table this deployment keeps its state in refused a request. Its name, region or permissions "
        "need the operator.",
        retryable=False,
    )
