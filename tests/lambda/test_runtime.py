"""The function as one Lambda instance: it stays warm, however large an answer is."""

import copy
from typing import Any

from tests.fixtures.rie import RunningFunction, body_of
from tools.events import request, tool_call

# Every quote costs two bytes of what a program may render, and four in the proxy response: too many for Lambda.
OVERSIZED_VIEW = 'async () => { await connecta.ui("<p>" + \'"\'.repeat(1990000)); return 1; }'


def without_gzip(event: dict[str, Any]) -> dict[str, Any]:
    plain = copy.deepcopy(event)
    del plain["headers"]["accept-encoding"]
    return plain


def test_one_process_serves_all_requests(rie_function: RunningFunction) -> None:
    rie_function.invoke(request("tools/list", {}))
    before = rie_function.runtime_pids()
    rie_function.invoke(request("tools/list", {}))
    assert rie_function.runtime_pids() == before


def test_an_answer_over_lambdas_limit_is_a_tool_error_and_the_process_survives(rie_function: RunningFunction) -> None:
    """Beyond 6,291,556 bytes the runtime process dies (aws.md); the caller must get its id and a reason instead."""
    rie_function.invoke(request("tools/list", {}))
    before = rie_function.runtime_pids()
    response = rie_function.invoke(without_gzip(tool_call("execute_code", {"code": OVERSIZED_VIEW})))
    assert response.get("statusCode") == 200, str(response)[:500]
    answer = body_of(response)
    assert answer["id"] == 1
    assert answer["result"]["isError"] is True
    assert answer["result"]["structuredContent"]["error"]["uiDiscarded"] is True
    assert rie_function.runtime_pids() == before


def test_the_same_answer_fits_when_the_client_takes_gzip(rie_function: RunningFunction) -> None:
    response = rie_function.invoke(tool_call("execute_code", {"code": OVERSIZED_VIEW}))
    assert response.get("statusCode") == 200, str(response)[:500]
    assert response["isBase64Encoded"] is True
    assert len(body_of(response)["result"]["_meta"]["connecta/ui"]["html"]) == 1_990_003
