"""The handlers that are compared: ours, with and without a spare sandbox, and an empty FastAPI behind the same
adapter."""

import importlib
import os
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from fastapi import FastAPI, Request
from mangum import Mangum

from connecta.composition import compose, load_deployment
from tools.events import TOKEN

TABLE = "connecta-bench"

Json = dict[str, Any]
Handler = Callable[[Json, Any], Json]


class LambdaContext:
    """As much of Lambda's context object as a handler reads."""

    function_name = "McpFunction"
    memory_limit_in_mb = "1024"
    invoked_function_arn = "arn:aws:lambda:us-east-1:123456789012:function:McpFunction"
    aws_request_id = "8f507cfc-xmpl-4697-b07a-ac58fc914c95"

    def get_remaining_time_in_millis(self) -> int:
        return 29_000


def echo_handler() -> Handler:
    """The floor: a route that reads the body as JSON and sends it back."""
    echo = FastAPI()

    @echo.post("/mcp")
    async def answer(request: Request) -> Any:
        return await request.json()

    return Mangum(echo, lifespan="off")


@contextmanager
def environment(endpoint_url: str) -> Generator[None]:
    """What the template and Lambda set, for the length of a run, with state in the emulator at
    ``endpoint_url``."""
    with_state = {
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL_DYNAMODB": endpoint_url,
        "AWS_LAMBDA_FUNCTION_NAME": LambdaContext.function_name,
        "CONNECTA_DEPLOYMENT": "bench.deployment:deployment",
        "CONNECTA_TABLE": TABLE,
        "CONNECTA_TOKEN": TOKEN,
    }
    before = dict(os.environ)
    os.environ.update(with_state)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextmanager
def unseen_log() -> Generator[None]:
    """Log lines are written, as they would be in Lambda, but to nowhere: a terminal would be measured too."""
    sys.stdout.flush()
    terminal = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        yield
    finally:
        sys.stdout.flush()
        os.dup2(terminal, 1)
        os.close(terminal)
        os.close(nowhere)


def connecta_handler() -> Handler:
    """``app.handler``, as Lambda imports it."""
    return importlib.import_module("app").handler


def spareless_handler() -> Handler:
    """The same, starting the process of every program when it is asked for."""
    application = compose(load_deployment("bench.deployment:spareless"), table=TABLE)
    return Mangum(application.asgi, lifespan="off")
