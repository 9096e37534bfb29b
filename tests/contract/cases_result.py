"""Result, logs and diagnostics: R1 to R8."""

from typing import Any, Final, cast

from tests.contract.case import checks
from tests.contract.endpoint import Endpoint
from tests.contract.probes import READ, READ_CALL, READ_VALUE
from tests.contract.reading import beside, compact, envelope, failed, size, value_of

RESULT_CHARS: Final = 24_000
LOG_CHARS: Final = 4_000
TIMES: Final = {"admissionMs", "sandboxStartMs", "wallMs", "guestCpuMs", "catalogMs", "connectorMs"}


def shapes_stay(endpoint: Endpoint) -> None:
    """What looks like one of our own envelopes, or like an MCP result, is a value like any other."""
    shapes = (
        '{"b":1,"a":[null,true,1.5,"x",{}],"é":"𝄞"}',
        '{"result":1,"logs":"mine"}',
        '{"content":[{"type":"text","text":"x"}],"isError":true,"structuredContent":{}}',
        '{"truncated":true,"preview":"x","totalChars":1,"hint":"x"}',
        '{"error":{"code":"auth_required","message":"x","retryable":true}}',
        '"{\\"a\\":1}"',
        '[[],[[]],""]',
        "0",
        "null",
    )
    for shape in shapes:
        result = endpoint.run(f"async () => ({shape})")
        assert not result.get("isError")
        assert result["content"] == [{"type": "text", "text": f'{{"result":{shape}}}'}]


def whole_up_to_the_bound(endpoint: Endpoint) -> None:
    for text in ("x" * (RESULT_CHARS - 2), "é" * (RESULT_CHARS - 2)):
        assert value_of(endpoint.run(f'async () => "{text[0]}".repeat({len(text)})')) == text


def one_more_is_an_envelope(endpoint: Endpoint) -> None:
    result = value_of(endpoint.run(f'async () => "x".repeat({RESULT_CHARS - 1})'))
    assert (set(result), result["truncated"], result["totalChars"]) == (
        {"truncated", "preview", "totalChars", "hint"},
        True,
        RESULT_CHARS + 1,
    )
    assert len(result["hint"]) > 20


def envelopes_keep_the_bound(endpoint: Endpoint) -> None:
    """Quotes, controls, and letters outside of ASCII all grow differently when a preview is serialized again."""
    for letter in ('"\\', "\0", "é", "𝄞"):
        value = letter * 30_000
        result = value_of(endpoint.run(f"async () => [{compact(letter)}.repeat(30000)]"))
        text = compact([value])
        assert len(compact(result)) <= RESULT_CHARS
        assert result["totalChars"] == len(text)
        assert text.startswith(result["preview"])
        assert len(result["preview"]) > 1_000


def truncation_is_success(endpoint: Endpoint) -> None:
    result = endpoint.run('async () => "x".repeat(1e6)')
    assert not result.get("isError")
    assert result["structuredContent"] == envelope(result)
    assert set(envelope(result)) == {"result"}


def no_paging_handle(endpoint: Endpoint) -> None:
    text = endpoint.run("async () => Array(9000).fill('row')")["content"][0]["text"]
    for handle in ("resultId", "nextAction", "nextOffset", "offset", "cursor", "get_result", '"view"'):
        assert handle not in text


def every_level_in_order(endpoint: Endpoint) -> None:
    ran = envelope(
        endpoint.run(
            "async () => { console.log('a', 1, null); console.info({ b: [2] }); await null; console.warn(true); "
            "console.error(new TypeError('bad')); console.debug('e'); }"
        )
    )
    assert ran == {"result": None, "logs": 'a 1 null\n{"b":[2]}\ntrue\nTypeError: bad\ne'}


def logs_have_a_bound(endpoint: Endpoint) -> None:
    fitting = "x" * LOG_CHARS
    assert envelope(endpoint.run(f"async () => console.log('x'.repeat({LOG_CHARS}))"))["logs"] == fitting
    for program in (
        f"async () => console.log('x'.repeat({LOG_CHARS + 1}))",
        "async () => { for (let i = 0; i < 3000; i++) console.log('line ' + i); }",
    ):
        logs = envelope(endpoint.run(program))["logs"]
        assert 3_900 < len(logs) <= LOG_CHARS
        assert "cut" in logs[-60:]
        assert "4,000" in logs[-60:]


def logs_survive_failures(endpoint: Endpoint) -> None:
    """A bound's failures keep their logs too: cases of E5."""
    for ending, code in (
        ("throw new Error('no')", "run_error"),
        ("return 1n", "run_result"),
        ("await new Promise(() => {})", "run_stalled"),
        ("await connecta.call('nowhere.x')", "unknown_address"),
    ):
        ran = failed(endpoint.run(f"async () => {{ console.log('one'); console.warn('two'); {ending}; }}"))
        assert (ran["error"]["code"], ran["logs"]) == (code, "one\ntwo")


def byte_for_byte(endpoint: Endpoint) -> None:
    for program, text in (
        ("async () => 1 + 1", '{"result":2}'),
        ("async () => {}", '{"result":null}'),
        ("async () => ({ name: 'Zoë', ok: true })", '{"result":{"name":"Zoë","ok":true}}'),
        ("async () => { console.log('a'); console.log('b'); return []; }", '{"result":[],"logs":"a\\nb"}'),
        ("async () => (await connecta.search({ query: 'zzz' })) && 1", '{"result":1}'),
        ("async () => connecta.emit('x').catch(() => connecta.ui('')).catch(() => 3)", '{"result":3}'),
    ):
        result = endpoint.run(program)
        assert result["content"] == [{"type": "text", "text": text}]
        assert compact(result["structuredContent"]) == text
        assert beside(result) == {"structuredContent"}
        assert not result.get("isError")


def diagnostics_only_when_asked(endpoint: Endpoint) -> None:
    assert set(envelope(endpoint.run("async () => 1", diagnostics=False))) == {"result"}
    assert set(envelope(endpoint.run("async () => 1", diagnostics=True))) == {"result", "diagnostics"}


def numbers(value: Any) -> list[Any]:
    """Every leaf of a tree of objects."""
    if not isinstance(value, dict):
        return [value]
    return [leaf for each in cast("dict[str, Any]", value).values() for leaf in numbers(each)]


def diagnostics_are_numbers(endpoint: Endpoint) -> None:
    """Exactly these names, and of operations exactly those used: count, failures, time and bytes of each (R8)."""
    result = endpoint.run(
        "async () => { const hunter1 = 1; await connecta.search({ query: 'hunter2' }); "
        f"await {READ_CALL}; await {READ_CALL}; "
        "await connecta.call('hunter3.hunter4', { hunter5: 1 }).catch(() => 0); "
        "console.log('hunter6'); let n = 0; while (n < 2e5) n++; return 'hunter7'; }",
        diagnostics=True,
    )
    measured = envelope(result)["diagnostics"]
    assert set(measured) == TIMES | {"operations"}
    assert set(measured["operations"]) == {"search", "call"}
    assert all(set(each) == {"count", "failures", "ms", "bytes"} for each in measured["operations"].values())
    assert all(type(each) in (int, float) and each >= 0 for each in numbers(measured))
    calls = measured["operations"]["call"]
    assert (calls["count"], calls["failures"], calls["bytes"]) == (3, 1, 2 * size(READ_VALUE))
    assert measured["operations"]["search"]["bytes"] > 0
    assert measured["wallMs"] >= measured["guestCpuMs"] > 0
    assert measured["connectorMs"] > 0
    assert calls["ms"] > 0
    assert "hunter" not in compact(measured)
    assert READ.partition(".")[0] not in compact(measured)


def diagnostics_of_a_failure(endpoint: Endpoint) -> None:
    ran = failed(endpoint.run("async () => { await connecta.call('hunter2.x'); }", diagnostics=True))
    assert set(ran) == {"error", "diagnostics"}
    assert set(ran["diagnostics"]) == TIMES | {"operations"}
    assert "hunter" not in compact(ran["diagnostics"])
    assert "unknown_address" not in compact(ran["diagnostics"])


CASES: Final = (
    checks("a return value is not reshaped, whatever it looks like", ("R1",), shapes_stay),
    checks(
        "a return value is whole up to 24,000 serialized characters",
        (
            "R1",
            "R2",
        ),
        whole_up_to_the_bound,
    ),
    checks("one character more is one envelope of four fields", ("R2",), one_more_is_an_envelope),
    checks("a truncation envelope is under the bound and shows as much as fits", ("R2",), envelopes_keep_the_bound),
    checks("truncation is a success", ("R3",), truncation_is_success),
    checks("a truncated value carries no paging handle", ("R4",), no_paging_handle),
    checks("console lines of every level are one string in order", ("R5",), every_level_in_order),
    checks("logs are at most 4,000 characters with a mark", ("R5",), logs_have_a_bound),
    checks("logs survive failure", ("R5",), logs_survive_failures),
    checks("a program that asks for nothing more gets result and logs, byte for byte", ("R6",), byte_for_byte),
    checks(
        "diagnostics come only when asked for",
        (
            "R6",
            "R7",
        ),
        diagnostics_only_when_asked,
    ),
    checks(
        "diagnostics are numbers under fixed names",
        (
            "R7",
            "R8",
        ),
        diagnostics_are_numbers,
    ),
    checks(
        "diagnostics of a failed run hold nothing of the failure",
        (
            "R7",
            "R8",
        ),
        diagnostics_of_a_failure,
    ),
)
