"""SAM CLI's own API Gateway in front of a function that already runs: `sam local start-api` without Docker.

    .venv-sam/bin/python tools/gateway.py --function-url http://127.0.0.1:9001 --port 3000

Routes, event shapes, base64 handling and response parsing are SAM CLI's; only the container is replaced, by a POST
to the runtime interface emulator. Runs until it is terminated.
"""

from __future__ import annotations

import argparse
import json
import threading
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from samcli.lib.providers.api_provider import ApiProvider
from samcli.lib.providers.sam_stack_provider import SamLocalStackProvider
from samcli.local.apigw.local_apigw_service import LocalApigwService

TEMPLATE = Path(__file__).resolve().parent.parent / "template.yaml"
INVOKE = "/2015-03-31/functions/function/invocations"
ANSWER_S = 60
"""Longer than the function's own timeout, so that the emulator's answer is what arrives."""


def _with_its_domain(event: dict[str, Any]) -> dict[str, Any]:
    """SAM CLI always says ``localhost``. API Gateway names the domain it was reached by, which is also the Host."""
    host = next((value for name, value in event["headers"].items() if name.lower() == "host"), None)
    if host is not None:
        event["requestContext"]["domainName"] = host
    return event


class EmulatorRunner:
    """Stands where SAM CLI runs a container. The emulator serves one request at a time, like one Lambda instance."""

    def __init__(self, function_url: str) -> None:
        self._url = function_url.rstrip("/") + INVOKE
        self._instance = threading.Lock()

    def is_debugging(self) -> bool:
        return False

    def invoke(self, _name: str, event: str, stdout: Any, **_: Any) -> None:
        body = json.dumps(_with_its_domain(json.loads(event))).encode()
        with self._instance:
            try:
                with urllib.request.urlopen(self._url, body, timeout=ANSWER_S) as answer:
                    body = answer.read()
            except urllib.error.HTTPError as error:
                # The emulator answers 502 when the runtime died; the gateway turns that body into its own 502.
                body = error.read()
        stdout.write_str(body.decode())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--function-url", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--template", default=str(TEMPLATE))
    options = parser.parse_args()
    stacks, _ = SamLocalStackProvider.get_stacks(options.template)
    service = LocalApigwService(
        api=ApiProvider(stacks).api,
        lambda_runner=EmulatorRunner(options.function_url),
        host="127.0.0.1",
        port=options.port,
    )
    service.create()
    service.run()


if __name__ == "__main__":
    main()
