"""Rendered output, ``connecta.ui``, and all three outputs at once: U1 to U13."""

import json
from hashlib import sha256
from typing import Any, Final
from urllib.error import HTTPError

from connecta.views.shell import SHELLS
from tests.contract.case import checks
from tests.contract.endpoint import Endpoint
from tests.contract.media import text
from tests.contract.reading import compact, envelope, error_of, failed, size, value_of
from tests.fixtures.job import TOOL_NAMES
from tools.events import initialize, request, tool_call

BYTES: Final = 4_000_000
SHELL: Final = "ui://connecta/program-ui/v2"
FIRST_SHELL: Final = "ui://connecta/program-ui/v1"
MIME: Final = "text/html;profile=mcp-app"
EXTENSION: Final = "io.modelcontextprotocol/ui"
HTML: Final = '<!doctype html><p title="é">𝄞 </script> \\ \u2028 {{x}}</p>'
NO_VIEW: Final = ("", "''", "5", "null", "undefined", "true", "{ html: '<p>' }", "['<p>']", "'<p>', '<p>'", "'<p>', {}")


def showing(html: str, then: str = "return 1;") -> str:
    return f"async () => {{ await connecta.ui({compact(html)}); {then} }}"


def shapes_refused(endpoint: Endpoint) -> None:
    tries = ", ".join(f"() => connecta.ui({each})" for each in NO_VIEW)
    ran = envelope(
        endpoint.run(
            f"async () => {{ const out = []; for (const one of [{tries}]) "
            "try { await one(); out.push(null); } catch (e) { out.push([e.code, e.retryable, e.message]); } "
            "return out; }"
        )
    )
    assert set(ran) == {"result"}
    for given, refused in zip(NO_VIEW, ran["result"], strict=True):
        assert refused is not None, given
        assert (refused[:2], "HTML" in refused[2]) == (["invalid_args", False], True), given


def view_after_refusal(endpoint: Endpoint) -> None:
    result = endpoint.run(
        f"async () => {{ await connecta.ui('').catch(() => 0); await connecta.ui({compact(HTML)}); }}"
    )
    assert result["_meta"]["connecta/ui"] == {"html": HTML}


def one_view_per_run(endpoint: Endpoint) -> None:
    result = endpoint.run(
        "async () => { await connecta.ui('<p>first'); "
        "try { await connecta.ui('<p>second'); } catch (e) { return [e.code, e.retryable, e.message]; } }"
    )
    ran = envelope(result)
    assert ran["result"][:2] == ["invalid_args", False]
    assert "first" in ran["result"][2]
    assert (ran["ui"], result["_meta"]["connecta/ui"]) == (True, {"html": "<p>first"})


def whole_in_meta(endpoint: Endpoint) -> None:
    """Every byte of it, and only there: the model reads the envelope (U12)."""
    result = endpoint.run(showing(HTML, "return { shown: 3 };"))
    ran = envelope(result)
    assert (ran["result"], ran["ui"], set(ran)) == ({"shown": 3}, True, {"result", "ui", "view"})
    assert result["_meta"]["connecta/ui"] == {"html": HTML}
    assert result["structuredContent"] == ran
    assert len(result["content"]) == 1
    assert "doctype" not in compact([result["content"], result["structuredContent"]])


def no_view_no_meta(endpoint: Endpoint) -> None:
    result = endpoint.run("async () => 1")
    assert "connecta/ui" not in result.get("_meta", {})
    assert set(envelope(result)) == {"result"}


def ids_cannot_be_guessed(endpoint: Endpoint) -> None:
    ids = [envelope(endpoint.run(showing(HTML)))["view"] for _ in range(3)]
    assert len(set(ids)) == 3
    assert all(len(id) >= 22 for id in ids)
    assert all(len(set(id)) > 8 for id in ids)
    assert len({id[:10] for id in ids}) == 3


def kept_under_its_id(endpoint: Endpoint) -> None:
    """Read as often as one likes; a changed id reads nothing."""
    view = envelope(endpoint.run(showing(HTML)))["view"]
    for _ in range(2):
        kept = endpoint.tool("get_result", {"id": view})
        assert not kept.get("isError")
        assert kept["_meta"]["connecta/ui"] == {"html": HTML}
        [line] = kept["content"]
        assert (line["type"], "\n" in line["text"], "doctype" in line["text"]) == ("text", False, False)
        assert "doctype" not in compact(kept.get("structuredContent"))
    missing = endpoint.tool("get_result", {"id": view[:-1] + ("A" if view[-1] != "A" else "B")})
    assert error_of(missing)["code"] == "not_found"


def discarded_view(endpoint: Endpoint) -> None:
    for ending, code in (
        ("throw new Error('no')", "run_error"),
        ("return 1n", "run_result"),
        ("await new Promise(() => {})", "run_stalled"),
    ):
        result = endpoint.run(showing("<p>marker", ending))
        error = error_of(result)
        assert (error["code"], error["uiDiscarded"]) == (code, True)
        assert "emittedDiscarded" not in error
        assert "marker" not in compact(result)


def both_discarded(endpoint: Endpoint) -> None:
    takes = "await connecta.ui('<p>'); await connecta.emit({ type: 'text', text: 'a' });"
    error = error_of(endpoint.run(f"async () => {{ {takes} throw new Error('no'); }}"))
    assert (error["uiDiscarded"], error["emittedDiscarded"]) == (True, 1)


def no_discard_without_view(endpoint: Endpoint) -> None:
    error = error_of(endpoint.run("async () => { await connecta.ui('').catch(() => 0); throw new Error('no'); }"))
    assert "uiDiscarded" not in error


def view_spends_the_budget(endpoint: Endpoint) -> None:
    """Measured as ``{ html }``, to the last byte."""
    block = text("x" * 3_000_000)
    room = BYTES - size(block) - size({"html": ""})
    result = endpoint.run(
        "async () => { await connecta.emit({ type: 'text', text: 'x'.repeat(3e6) }); "
        f"let caught; try {{ await connecta.ui('é'.repeat({room // 2 + 1})); }} "
        "catch (e) { caught = [e.code, e.message]; } "
        f"await connecta.ui('y'.repeat({room})); "
        "return [...caught, await connecta.emit({ type: 'text', text: '' }).catch((e) => e.code)]; }"
    )
    code, message, after = value_of(result)
    assert (code, after) == ("budget_exceeded", "budget_exceeded")
    assert "4,000,000" in message
    assert f"{BYTES - size(block):,}" in message
    assert result["_meta"]["connecta/ui"]["html"] == "y" * room


def view_is_no_block(endpoint: Endpoint) -> None:
    emits = "for (let n = 0; n < 32; n++) await connecta.emit({ type: 'text', text: '' });"
    for program in (f"await connecta.ui('<p>'); {emits}", f"{emits} await connecta.ui('<p>');"):
        ran = envelope(endpoint.run(f"async () => {{ {program} }}"))
        assert (ran["emitted"], ran["ui"]) == (32, True)


def shell_is_named(endpoint: Endpoint) -> None:
    tools = {tool["name"]: tool for tool in endpoint.rpc("tools/list", {})["result"]["tools"]}
    assert list(tools) == TOOL_NAMES
    assert tools["execute_code"]["_meta"]["ui"]["resourceUri"] == SHELL
    for name, tool in tools.items():
        visibility = ["model", "app"] if name == "get_result" else ["model"]
        assert tool["_meta"]["ui"]["visibility"] == visibility


def shell_is_read(endpoint: Endpoint) -> None:
    """The one that is named, and the one that hosts may still hold the name of."""
    for uri in (SHELL, FIRST_SHELL):
        [shell] = endpoint.rpc("resources/read", {"uri": uri}, name=uri)["result"]["contents"]
        assert (shell["uri"], shell["mimeType"]) == (uri, MIME)
        assert shell["_meta"]["ui"]["prefersBorder"] is False
        assert sha256(shell["text"].encode()).digest() == sha256(SHELLS[uri].encode()).digest()
        assert endpoint.rpc("resources/read", {"uri": uri}, name=uri)["result"]["contents"] == [shell]


def shell_and_no_other(endpoint: Endpoint) -> None:
    view = envelope(endpoint.run(showing(HTML)))["view"]
    for uri in (
        "ui://connecta/program-ui/v0",
        "ui://connecta/program-ui/v3",
        "ui://connecta/program-ui/v2/",
        "ui://connecta/program-ui/v2?x",
        "ui://connecta/program-ui",
        "UI://connecta/program-ui/v2",
        "file:///etc/passwd",
        "https://example.com/",
        view,
    ):
        assert refused(endpoint, request("resources/read", {"uri": uri}, name=uri)) in (-32002, -32602), uri


def refused(endpoint: Endpoint, event: dict[str, Any]) -> int:
    """The code of the JSON-RPC error; in the current revision one travels with an HTTP status of its own."""
    try:
        answer = endpoint.send(event)
    except HTTPError as error:
        with error:
            answer = json.load(error)
    return answer["error"]["code"]


def resource_lists_are_empty(endpoint: Endpoint) -> None:
    assert endpoint.rpc("resources/list", {})["result"]["resources"] == []
    assert endpoint.rpc("resources/templates/list", {})["result"]["resourceTemplates"] == []


def always_declared(endpoint: Endpoint) -> None:
    """To a client that never heard of Apps, too; what it shows is the envelope's text."""
    [tool] = [tool for tool in endpoint.rpc("tools/list", {})["result"]["tools"] if tool["name"] == "execute_code"]
    assert tool["_meta"]["ui"]["resourceUri"] == SHELL
    result = endpoint.run(showing(HTML, "return { shown: 3 };"))
    assert result["content"][0]["type"] == "text"
    assert envelope(result)["result"] == {"shown": 3}


def one_answer(endpoint: Endpoint) -> None:
    """Nothing comes before the end, not even for a client that offers a token for progress."""
    program = "async () => { await connecta.ui('<p>'); await connecta.emit({ type: 'text', text: 'a' }); }"
    event = tool_call("execute_code", {"code": program})
    body = json.loads(event["body"])
    body["params"]["_meta"]["progressToken"] = 1
    answer = endpoint.send({**event, "body": json.dumps(body)})
    assert answer["result"]["content"][1:] == [text("a")]
    assert answer["result"]["_meta"]["connecta/ui"] == {"html": "<p>"}


def diagnostics_of_a_view(endpoint: Endpoint) -> None:
    measured = envelope(endpoint.run(showing(HTML), diagnostics=True))["diagnostics"]
    assert measured["ui"] == {"bytes": size({"html": HTML})}
    for program in ("async () => 1", "async () => connecta.ui('').catch(() => 1)"):
        assert "ui" not in envelope(endpoint.run(program, diagnostics=True))["diagnostics"]
    failure = failed(endpoint.run(showing("<p>", "throw new Error('no');"), diagnostics=True))
    assert failure["diagnostics"]["ui"] == {"bytes": size({"html": "<p>"})}


def one_extension(endpoint: Endpoint) -> None:
    """In the current revision, and in those that begin with a handshake."""
    for answer in (endpoint.rpc("server/discover", {}), endpoint.send(initialize())):
        assert answer["result"]["capabilities"]["extensions"] == {EXTENSION: {"mimeTypes": [MIME]}}


def model_is_told(endpoint: Endpoint) -> None:
    """The description says that the model does not see the view, and to return the summary the view shows."""
    [tool] = [tool for tool in endpoint.rpc("tools/list", {})["result"]["tools"] if tool["name"] == "execute_code"]
    [line] = [line for line in tool["description"].splitlines() if "connecta.ui(" in line]
    assert "return the summary it shows" in line
    assert "you do not see the view" in line


def all_at_once(endpoint: Endpoint) -> None:
    """A return value of 1 MB, 3 MB in 32 blocks, and a view of 0.9 MB."""
    block, html = text("b" * 93_000), "<p>" + "v" * 900_000
    result = endpoint.run(
        "async () => { for (let n = 0; n < 32; n++) await connecta.emit({ type: 'text', text: 'b'.repeat(93000) }); "
        "await connecta.ui('<p>' + 'v'.repeat(9e5)); return 'r'.repeat(1e6); }",
        diagnostics=True,
    )
    ran = envelope(result)
    assert set(ran) == {"result", "emitted", "ui", "view", "diagnostics"}
    assert (ran["result"]["truncated"], ran["result"]["totalChars"]) == (True, 1_000_002)
    assert len(ran["result"]["preview"]) > 20_000
    assert (ran["emitted"], result["content"][1:]) == (32, [block] * 32)
    assert result["_meta"]["connecta/ui"] == {"html": html}
    assert "structuredContent" not in result
    assert endpoint.tool("get_result", {"id": ran["view"]})["_meta"]["connecta/ui"] == {"html": html}
    assert ran["diagnostics"]["emitted"] == {"count": 32, "bytes": 32 * size(block)}
    assert ran["diagnostics"]["ui"] == {"bytes": size({"html": html})}


CASES: Final = (
    checks("a view is one non-empty string, and any other shape takes nothing", ("U1",), shapes_refused),
    checks("after a refusal the next good view is taken", ("U1",), view_after_refusal),
    checks("a second view is refused and the first stands", ("U2",), one_view_per_run),
    checks(
        "a view is whole in _meta and nowhere else",
        (
            "U3",
            "U12",
        ),
        whole_in_meta,
    ),
    checks("without a view there is none in _meta and none in the envelope", ("U3",), no_view_no_meta),
    checks("a view's id cannot be guessed", ("U3",), ids_cannot_be_guessed),
    checks("a view is read by its id, and by no other", ("U3",), kept_under_its_id),
    checks("a run that fails after taking a view says so and delivers none", ("U3",), discarded_view),
    checks(
        "a failed run says both what blocks and what view it discarded",
        (
            "U3",
            "M4",
        ),
        both_discarded,
    ),
    checks("a failed run that took no view says nothing of one", ("U3",), no_discard_without_view),
    checks(
        "a view spends the emitted bytes, to the last one",
        (
            "U4",
            "M5",
        ),
        view_spends_the_budget,
    ),
    checks("a view counts as no block", ("U4",), view_is_no_block),
    checks(
        "execute_code names the shell, seven tools state their visibility, and there is no eighth",
        ("U5",),
        shell_is_named,
    ),
    checks("the shell is read as it was released", ("U5",), shell_is_read),
    checks("no other resource can be read", ("U5",), shell_and_no_other),
    checks("the lists of resources are empty", ("U5",), resource_lists_are_empty),
    checks("the view is declared to every client, and the envelope says what it shows", ("U10",), always_declared),
    checks("everything comes in one answer at the end", ("U8",), one_answer),
    checks("diagnostics count a view's bytes, where there is one", ("U9",), diagnostics_of_a_view),
    checks("the server declares exactly one extension", ("U11",), one_extension),
    checks("the model is told to return the summary that the view shows", ("U12",), model_is_told),
    checks("a truncated value, blocks and a view come in one result, none limiting another", ("U13",), all_at_once),
)
