"""Emitted output, ``connecta.emit``: M1 to M10."""

from typing import Final

from tests.contract.case import checks
from tests.contract.endpoint import Endpoint
from tests.contract.media import KINDS, PIXEL, block, picture, text
from tests.contract.reading import beside, compact, envelope, error_of, failed, size, value_of

BYTES: Final = 4_000_000
BLOCKS: Final = 32

MISSHAPEN: Final = (
    "",
    "'hello'",
    "null",
    "5",
    "[{ type: 'text', text: 'a' }]",
    "{ type: 'text', text: 'a' }, { type: 'text', text: 'b' }",
    "{ text: 'a' }",
    "{ type: 'Text', text: 'a' }",
    "{ type: 'text' }",
    "{ type: 'text', text: 1 }",
    "{ type: 'text', text: null }",
    "{ type: 'text', text: 'a', annotations: {} }",
    "{ type: 'text', text: 'a', _meta: {} }",
    "{ type: 'text', data: 'a' }",
    "{ type: 'video', data: '', mimeType: 'video/mp4' }",
    f"{{ type: 'image', data: '{PIXEL}' }}",
    f"{{ type: 'image', mimeType: 'image/png', url: '{PIXEL}' }}",
    f"{{ type: 'image', data: ['{PIXEL}'], mimeType: 'image/png' }}",
    f"{{ type: 'image', data: '{PIXEL}', mimeType: 'image/png', annotations: {{}} }}",
    f"{{ image: '{PIXEL}' }}",
)


def attempts(arguments: tuple[str, ...]) -> str:
    """A program that tries to emit each of ``arguments`` and returns what was thrown for each."""
    tries = ", ".join(f"() => connecta.emit({each})" for each in arguments)
    return (
        f"async () => {{ const out = []; for (const one of [{tries}]) "
        "try { await one(); out.push(null); } catch (e) { out.push([e.code, e.retryable, e.message]); } return out; }"
    )


def refusals(endpoint: Endpoint, *arguments: str) -> list[str]:
    """The messages all of ``arguments`` are refused with, catchably, and not one of them is taken (M1)."""
    ran = envelope(endpoint.run(attempts(arguments)))
    assert set(ran) == {"result"}
    for given, refused in zip(arguments, ran["result"], strict=True):
        assert refused is not None, f"taken: {given}"
        assert refused[:2] == ["invalid_args", False], given
    return [message for _, _, message in ran["result"]]


def emitting(*blocks: dict[str, str], then: str = "return 1;") -> str:
    emits = " ".join(f"await connecta.emit({compact(each)});" for each in blocks)
    return f"async () => {{ {emits} {then} }}"


def shapes_taken(endpoint: Endpoint) -> None:
    blocks = [text(""), text("héllo \u0000 ]]> </script>"), picture(), *(block(kind) for kind in KINDS)]
    result = endpoint.run(emitting(*blocks))
    assert result["content"][1:] == blocks


def shapes_refused(endpoint: Endpoint) -> None:
    for message in refusals(endpoint, *MISSHAPEN):
        assert "text" in message or "image" in message


def addresses_refused(endpoint: Endpoint) -> None:
    link = "{ type: 'resource_link', uri: 'ui://connecta/program-ui/v1', name: 'x' }"
    embedded = "{ type: 'resource', resource: { uri: 'ui://x', text: 'x' } }"
    first, second = refusals(endpoint, link, embedded)
    assert "resource_link" in first
    assert '"resource"' in second


def data_is_base64(endpoint: Endpoint) -> None:
    data = (
        "",
        "not base64!",
        "data:image/png;base64," + PIXEL,
        PIXEL.rstrip("="),
        PIXEL + "=",
        PIXEL[:8] + "\\n" + PIXEL[8:],
        " " + PIXEL,
        PIXEL[:-6] + "-_-_==",
        "é" + PIXEL[1:],
    )
    for message in refusals(
        endpoint, *(f"{{ type: 'image', mimeType: 'image/png', data: '{each}' }}" for each in data)
    ):
        assert "data" in message


def mime_types_fit(endpoint: Endpoint) -> None:
    """Of the block's own type, of a known kind, and no longer than one is."""
    wrong = ("audio/wav", "image", "image/", "text/html", "IMAGE", "", " image/png", "image/png\\nx: y", "image/pngé")
    for message in refusals(endpoint, *(f"{{ type: 'image', data: '{PIXEL}', mimeType: '{each}' }}" for each in wrong)):
        assert "mimeType" in message or "image" in message
    [unknown, sound, long] = refusals(
        endpoint,
        f"{{ type: 'image', data: '{PIXEL}', mimeType: 'image/x-unheard-of' }}",
        f"{{ type: 'audio', data: '{PIXEL}', mimeType: 'audio/x-unheard-of' }}",
        f"{{ type: 'image', data: '{PIXEL}', mimeType: 'image/' + 'x'.repeat(100000) }}",
    )
    assert "image/png" in unknown
    assert "image/webp" in unknown
    assert "audio/wav" in sound
    assert len(long) < 2_000


def data_is_its_kind(endpoint: Endpoint) -> None:
    """Every file under every other name of its type is refused, and so is what is no such file at all."""
    claims = [
        (kind, other)
        for kind in KINDS
        for other in KINDS
        if other != kind and other.split("/")[0] == kind.split("/")[0]
    ]
    given = [{**block(kind), "mimeType": other} for kind, other in claims]
    for (kind, _), message in zip(claims, refusals(endpoint, *map(compact, given)), strict=True):
        assert kind.split("/")[1].removeprefix("x-").split("+")[0] in message.lower(), (kind, message)
    others = [block(kind, data) for kind in KINDS for data in (b"hello", b"<html><p>hi", b"%PDF-1.7", b"\0" * 64)]
    for other, message in zip(others, refusals(endpoint, *map(compact, others)), strict=True):
        assert [kind for kind in KINDS if kind in message] == [other["mimeType"]], message


def crossed_types(endpoint: Endpoint) -> None:
    """A sound is no image, whatever the block says."""
    refusals(
        endpoint,
        compact({**block("audio/wav"), "type": "image", "mimeType": "image/webp"}),
        compact({**block("image/webp"), "type": "audio", "mimeType": "audio/wav"}),
        compact({**block("image/avif"), "type": "audio", "mimeType": "audio/mp4"}),
    )


def good_after_bad(endpoint: Endpoint) -> None:
    result = endpoint.run(
        "async () => { let caught; try { await connecta.emit('x'); } catch (e) { caught = e instanceof Error; } "
        f"await connecta.emit({compact(picture())}); return caught; }}"
    )
    assert envelope(result) == {"result": True, "emitted": 1}
    assert result["content"][1:] == [picture()]


def order_and_place(endpoint: Endpoint) -> None:
    """After the envelope, in the order of the calls, whoever is awaited first; the text envelope is complete."""
    result = endpoint.run(
        "async () => { console.log('said'); "
        "const all = [0, 1, 2, 3, 4].map((n) => connecta.emit({ type: 'text', text: 'block ' + n })); "
        "await all[4]; await Promise.all(all); return { done: true }; }"
    )
    assert result["content"] == [
        text('{"result":{"done":true},"logs":"said","emitted":5}'),
        *(text(f"block {n}") for n in range(5)),
    ]
    assert "structuredContent" not in result
    assert not result.get("isError")


def kept_by_the_host(endpoint: Endpoint) -> None:
    """A block is what it was when it was emitted."""
    result = endpoint.run(
        "async () => { const block = { type: 'text', text: 'before' }; const taken = connecta.emit(block); "
        "block.text = 'after'; await taken; block.type = 'image'; }"
    )
    assert result["content"] == [text('{"result":null,"emitted":1}'), text("before")]


def structured_without_blocks(endpoint: Endpoint) -> None:
    result = endpoint.run("async () => 5")
    assert (result["structuredContent"], len(result["content"])) == ({"result": 5}, 1)


def bounds_apart(endpoint: Endpoint) -> None:
    """Neither shortens the other."""
    said = text("y" * 1_000_000)
    result = endpoint.run(
        "async () => { await connecta.emit({ type: 'text', text: 'y'.repeat(1e6) }); return 'x'.repeat(23998); }"
    )
    assert envelope(result) == {"result": "x" * 23_998, "emitted": 1}
    assert result["content"][1:] == [said]


def failed_runs_deliver_none(endpoint: Endpoint) -> None:
    for ending, code in (
        ("throw new Error('no')", "run_error"),
        ("return () => 1", "run_result"),
        ("const down = () => 1 + down(); down()", "run_stack"),
        ("await new Promise(() => {})", "run_stalled"),
        ("await connecta.call('nowhere.x')", "unknown_address"),
    ):
        error = error_of(endpoint.run(emitting(text("marker-a"), text("marker-b"), then=ending)))
        assert (error["code"], error["emittedDiscarded"]) == (code, 2)
        assert "marker" not in compact(error)
        assert "uiDiscarded" not in error


def nothing_discarded(endpoint: Endpoint) -> None:
    error = error_of(endpoint.run("async () => { try { await connecta.emit('x'); } catch {} throw new Error('no'); }"))
    assert "emittedDiscarded" not in error


CAUGHT: Final = "catch (e) { caught.push([e.code, e.retryable, e.message]); }"


def count_budget(endpoint: Endpoint) -> None:
    result = endpoint.run(
        "async () => { const caught = []; for (let n = 0; n < 34; n++) "
        f"try {{ await connecta.emit({{ type: 'text', text: '' + n }}); }} {CAUGHT} return caught; }}"
    )
    ran = envelope(result)
    assert ran["emitted"] == BLOCKS
    assert result["content"][1:] == [text(str(n)) for n in range(BLOCKS)]
    for code, retryable, message in ran["result"]:
        assert (code, retryable) == ("budget_exceeded", False)
        assert str(BLOCKS) in message
    assert len(ran["result"]) == 2


def byte_budget(endpoint: Endpoint) -> None:
    """Serialized bytes, not characters: what would cross is refused, what then fits is taken, to the last byte."""
    first = text("é" * 1_000_000)
    left = BYTES - size(first)
    filler = left - size(text(""))
    result = endpoint.run(
        "async () => { const caught = []; const emit = async (text) => { "
        f"try {{ await connecta.emit({{ type: 'text', text }}); }} {CAUGHT} }}; "
        f"await emit('é'.repeat(1e6)); await emit('x'.repeat({filler + 1})); await emit('x'.repeat({filler})); "
        "await emit(''); return caught; }"
    )
    ran = envelope(result)
    assert result["content"][1:] == [first, text("x" * filler)]
    [crossing, empty] = ran["result"]
    assert [crossing[:2], empty[:2]] == [["budget_exceeded", False]] * 2
    for message, rest in ((crossing[2], left), (empty[2], 0)):
        assert "4,000,000" in message
        assert f"{rest:,}" in message


def no_claim_of_origin(endpoint: Endpoint) -> None:
    """Nothing beside the program's own bytes, and nothing said of where they come from."""
    result = endpoint.run(emitting(picture()))
    assert result["content"] == [text('{"result":1,"emitted":1}'), picture()]
    assert beside(result) == set()


def ordinary_members(endpoint: Endpoint) -> None:
    """They cross as every other function does: the same JSON, the same kind of error, the same kind of promise."""
    value = value_of(
        endpoint.run(
            "async () => { const names = Object.keys(connecta); "
            "const caught = async (f) => { try { return await f(); } catch (e) { return [e.name, e.message]; } }; "
            "return { names, big: await caught(() => connecta.emit({ type: 'text', text: 1n })), "
            "call: await caught(() => connecta.call('x.y', { a: 1n })), "
            "promise: connecta.ui('<p>') instanceof Promise }; }"
        )
    )
    assert {"call", "emit", "ui", "search"} <= set(value["names"])
    assert value["big"][0] == value["call"][0] == "TypeError"
    assert "BigInt" in value["big"][1]
    assert value["promise"] is True


def taken_is_all_it_says(endpoint: Endpoint) -> None:
    """It resolves to nothing, also in a run that will never deliver the block."""
    taken = "const said = await connecta.emit({ type: 'text', text: 'a' });"
    assert value_of(endpoint.run(f"async () => {{ {taken} return [said ?? 'nothing']; }}")) == ["nothing"]
    error = error_of(endpoint.run(f"async () => {{ {taken} throw new Error('resolved: ' + (said ?? 'nothing')); }}"))
    assert (error["emittedDiscarded"], "resolved: nothing" in error["message"]) == (1, True)


def diagnostics_count(endpoint: Endpoint) -> None:
    blocks = [text("zażółć"), picture()]
    measured = envelope(endpoint.run(emitting(*blocks), diagnostics=True))["diagnostics"]
    assert measured["emitted"] == {"count": 2, "bytes": sum(map(size, blocks))}
    for program in ("async () => 1", "async () => connecta.emit('x').catch(() => 1)", "async () => connecta.ui('<p>')"):
        assert "emitted" not in envelope(endpoint.run(program, diagnostics=True))["diagnostics"]
    failure = failed(endpoint.run(emitting(*blocks, then="throw new Error('no');"), diagnostics=True))
    assert failure["diagnostics"]["emitted"]["count"] == 2


CASES: Final = (
    checks("text, and every known kind of image and audio, is taken as it is", ("M1",), shapes_taken),
    checks("any other shape is refused, catchably, and nothing is taken", ("M1",), shapes_refused),
    checks("resource and resource_link are refused by name", ("M1",), addresses_refused),
    checks("data has to be base64", ("M1",), data_is_base64),
    checks("a mimeType is of its block's type, known, and short", ("M1",), mime_types_fit),
    checks(
        "data has to be the kind of file its mimeType says, and the refusal names what it is", ("M1",), data_is_its_kind
    ),
    checks("a sound is no image and an image no sound", ("M1",), crossed_types),
    checks(
        "after a refusal the next good block is taken",
        (
            "M1",
            "M2",
        ),
        good_after_bad,
    ),
    checks(
        "blocks follow the envelope in the order of their calls, without structuredContent", ("M2",), order_and_place
    ),
    checks("a block is kept as it was when it was emitted", ("M2",), kept_by_the_host),
    checks("without blocks there is structuredContent", ("M2",), structured_without_blocks),
    checks("emission and return value do not share a bound", ("M3",), bounds_apart),
    checks("a failed run delivers no block and says how many it discarded", ("M4",), failed_runs_deliver_none),
    checks("a failed run that took no block says nothing of any", ("M4",), nothing_discarded),
    checks("the thirty-third block is refused and the others remain", ("M5",), count_budget),
    checks(
        "the block that would cross the bytes is refused, naming budget and rest, and what fits is taken",
        ("M5",),
        byte_budget,
    ),
    checks("emitted blocks are delivered without a word of their origin", ("M6",), no_claim_of_origin),
    checks("emit and ui cross as every other function does", ("M8",), ordinary_members),
    checks("a resolved emit says that the block was taken, and no more", ("M9",), taken_is_all_it_says),
    checks("diagnostics count emitted blocks and their bytes, where there are some", ("M10",), diagnostics_count),
)
