"""What a program is and has: P1 to P5, and the answers for what it does not have."""

import json
from typing import Final

from tests.contract.case import Case, assert_same, checks, fails, returns, says, value_of
from tests.contract.endpoint import Endpoint
from tests.contract.reading import error_of

ABSENT: Final = (
    *("fetch", "setTimeout", "setInterval", "setImmediate", "process", "crypto", "WebSocket", "XMLHttpRequest"),
    *("require", "module", "exports", "std", "os", "bjson", "Deno", "Bun", "scriptArgs", "print", "loadScript"),
    *("global", "window", "self", "document", "performance", "Worker", "__dirname", "navigator", "localStorage"),
)
BUILT_IN: Final = (
    *("Array", "Map", "Set", "Promise", "RegExp", "Date", "JSON", "Math", "Proxy", "Reflect", "Symbol", "BigInt"),
    *("Uint8Array", "WeakMap", "WeakRef", "encodeURIComponent", "Iterator", "Error", "eval"),
)
CONNECTORS: Final = ("probe", "odd_names", "class_", "many", "broken", "desk", "locked")

INSTEAD: Final = (
    ("fetch", 'async () => (await fetch("https://example.com")).json()', ("fetch", "connecta.call(address, args)")),
    ("setTimeout", "async () => { await new Promise((go) => setTimeout(go, 10)); }", ("setTimeout", "no timers")),
    ("process", "async () => process.env.HOME", ("process", "environment", "connecta")),
    ("require", "async () => require('fs')", ("require", "no modules", "connecta")),
    ("a dynamic import", "async () => await import('fs')", ("import", "no modules", "connecta")),
)

TYPESCRIPT: Final = (
    ("a typed variable", "async () => {\n  const n: number = 1;\n  return n;\n}", 2),
    ("a typed parameter", "async () => {\n  const f = (a: string) => a;\n  return f('x');\n}", 2),
    ("an interface", "interface Row { id: string }\nasync () => 1", 1),
    ("a cast", "async () => {\n  return ({} as any);\n}", 2),
    ("type arguments", "async () => {\n  const m = new Map<string, number>();\n  return m;\n}", 2),
)

EVERY_CODE_POINT: Final = """async () => {
  const points = [];
  for (let n = 0; n < 0x110000; n += n < 0x300 ? 1 : 0x7f) points.push(n);
  points.push(0xfeff, 0xfffe, 0xffff, 0x2028, 0x2029, 0x10ffff);
  // UTF-8 has no halves of surrogate pairs, so no connector could be sent one.
  const text = String.fromCodePoint(...points.filter((n) => n < 0xd800 || n > 0xdfff));
  const back = (await probe.echo({ [text]: text })).given;
  return { key: Object.keys(back)[0] === text, value: back[text] === text };
}"""


def syntax(
    name: str, program: str, line: int, column: int, *parts: str, clauses: tuple[str, ...] = ("P1", "E5")
) -> Case:
    """A syntax error at that place of the program as it was sent, which shows the line itself."""
    source = program.split("\n")[line - 1].strip()
    said = says(f"line {line}", f"column {column}", source, *parts)
    error = {"code": "run_syntax", "message": said, "retryable": False, "line": line, "column": column}
    return fails(name, clauses, program, error)


def says_instead(what: str, program: str, parts: tuple[str, ...]) -> Case:
    def check(endpoint: Endpoint) -> None:
        error = error_of(endpoint.run(program))
        assert error["code"] == "run_error"
        assert error["message"] == says(*parts)
        assert error["retryable"] is False

    return checks(f"{what} is answered with what to write instead", ("P2",), check)


def says_typescript(what: str, program: str, line: int) -> Case:
    def check(endpoint: Endpoint) -> None:
        error = error_of(endpoint.run(program))
        assert (error["code"], error["line"], error["retryable"]) == ("run_syntax", line, False)
        assert error["message"] == says("TypeScript", "plain JavaScript", program.split("\n")[line - 1].strip())

    return checks(f"TypeScript's {what} is a syntax error that says so", ("P5", "P1"), check)


def no_module(what: str, program: str) -> Case:
    def check(endpoint: Endpoint) -> None:
        error = error_of(endpoint.run(program))
        assert (error["code"], error["line"], error["retryable"]) == ("run_syntax", 1, False)
        assert error["message"] == says("modules", what, program.split("\n")[0])

    return checks(f"a static {what} is a syntax error that says there are no modules", ("P1", "P2"), check)


def run_once(endpoint: Endpoint) -> None:
    for program in (
        "async () => { await probe.echo({ once: 1 }); return 1; }",
        "await probe.echo({ once: 1 }); return 1",
    ):
        endpoint.downstream.reset()
        assert value_of(endpoint, program) == 1
        asked = endpoint.downstream.asked("probe")
        assert asked == [{"server": "probe", "method": "tools/call", "name": "echo", "arguments": {"once": 1}}]


def nothing_else(endpoint: Endpoint) -> None:
    names = json.dumps([*ABSENT])
    assert value_of(endpoint, f"async () => {names}.filter((name) => name in globalThis)") == []
    own = value_of(endpoint, "async () => Object.keys(globalThis)")
    assert sorted(own) == sorted([*CONNECTORS, "connecta"])


def engine_modules(endpoint: Endpoint) -> None:
    for name in ("std", "os", "qjs:std", "qjs:os", "qjs:bjson", "fs", "./program.js", "/etc/passwd"):
        program = (
            f"async () => {{ try {{ await import({json.dumps(name)}); return 'came'; }} catch {{ return 'none'; }} }}"
        )
        assert value_of(endpoint, program) == "none", name


def eval_has_no_more(endpoint: Endpoint) -> None:
    names = json.dumps([*ABSENT])
    indirect = f"async () => {names}.filter((name) => new Function('return typeof ' + name)() !== 'undefined')"
    assert value_of(endpoint, indirect) == []


def bad_values(endpoint: Endpoint) -> None:
    """The path of the first bad value, as a program would write it."""
    for value, path in (
        ("{ a: [1, { b: 1n }] }", "result.a[1].b"),
        ("(() => { const a = { list: [] }; a.list.push(a); return a; })()", "result.list[0]"),
        ("{ 'odd key': { n: 2n } }", 'result["odd key"].n'),
        ("() => 1", "result is a function"),
        ("{ rows: [probe.echo({})] }", "result.rows[0] is a Promise"),
        ("[new Map([[1, 2]])]", "result[0] is a Map"),
        ("[new Set([1])]", "result[0] is a Set"),
        ("{ failed: new Error('x') }", "result.failed is an Error"),
        ("Symbol('s')", "result is a symbol"),
    ):
        error = error_of(endpoint.run(f"async () => ({value})"))
        assert (error["code"], error["retryable"]) == ("run_result", False), value
        assert path in error["message"], error["message"]


def bad_arguments(endpoint: Endpoint) -> None:
    program = "async () => probe.echo({ ids: [1, 2n] })"
    error = error_of(endpoint.run(program))
    assert error["code"] == "run_error"
    assert error["message"] == says("ids[1]", "BigInt")
    assert endpoint.downstream.asked("probe") == []
    caught = "async () => { try { await probe.echo({ n: 1n }); } catch (e) { return e instanceof TypeError; } }"
    assert value_of(endpoint, caught) is True


def large_values(endpoint: Endpoint) -> None:
    program = "async () => { const given = 'é'.repeat(500000); const { given: back } = await probe.echo({ given }); "
    assert value_of(endpoint, program + "return back.given === given; }") is True


def fresh(endpoint: Endpoint) -> None:
    first = """async () => {
      globalThis.kept = 1; Array.prototype.kept = 1; Object.prototype.kept = 1; connecta.kept;
      JSON.stringify = () => '7';
      globalThis.connecta = undefined; delete globalThis.probe;
      return true;
    }"""
    endpoint.run(first)
    second = """async () => [typeof kept, [].kept === undefined, ({}).kept === undefined, typeof connecta.call,
      typeof probe.echo, JSON.stringify({ a: 1 })]"""
    assert_same(value_of(endpoint, second), ["undefined", True, True, "function", "function", '{"a":1}'])


def loaded_once(endpoint: Endpoint) -> None:
    """``broken`` never lists its tools, so every load of its catalog is one more listing asked for."""
    program = """async () => {
      const codes = [];
      for (let n = 0; n < 3; n++) await broken.tool().catch((error) => codes.push(error.code));
      await Promise.all([connecta.search(), connecta.search({ connector: "broken" })]);
      const { tools } = await connecta.describe({ address: "broken.tool" });
      return [...codes, tools[0].errorDetails.code];
    }"""
    assert value_of(endpoint, program) == ["catalog_lookup_failed"] * 4
    assert len(endpoint.downstream.asked("broken", "tools/list")) == 1


CASES: Final[tuple[Case, ...]] = (
    returns("an async arrow function's value is the result", ("P1",), "async () => ({ sum: 1 + 1 })", {"sum": 2}),
    returns("a program is called without arguments", ("P1",), "async (...given) => given.length", 0),
    returns("a promise that a program returns is awaited", ("P1",), "async () => Promise.resolve([1])", [1]),
    checks("a program is run once, whatever its form", ("P1",), run_once),
    returns("a fence around a program is taken off", ("P1",), "```javascript\nasync () => 3\n```", 3),
    returns("a fence of tildes, and space around it, is taken off", ("P1",), "\n~~~js\nasync () => 3\n~~~\n\n", 3),
    returns("an async function expression is taken", ("P1",), "async function main() { return 4; }", 4),
    returns("a function that is not async is taken", ("P1",), "function () { return 5; }", 5),
    returns("a trailing semicolon is taken", ("P1",), "async () => 6;\n", 6),
    returns("a bare body with return and await is taken", ("P1",), "const n = await 6;\nreturn n + 1;", 7),
    returns("a function that is called at once is taken", ("P1",), "(async () => 8)()", 8),
    returns("comments around a program are taken", ("P1",), "// first\n/* then */ async () => 9 // done", 9),
    syntax(
        "a syntax error has the program's own line, column and text",
        "async () => {\n  const a = 1;\n  const b = a +* 2;\n  return b;\n}",
        *(3, 16),
        "async () => {",
    ),
    syntax("a syntax error on the first line has its own column", "async () => { return 1 +; }", 1, 25),
    syntax(
        "a syntax error in a fence has the line of the text that was sent",
        "```js\nasync () => {\n  return {;\n}\n```",
        *(3, 11),
    ),
    syntax(
        "a syntax error in a bare body has the program's own line", "const a = 1;\nconst b = ];\nreturn a;", *(2, 11)
    ),
    syntax(
        "a program that ends too early says so at its end",
        "async () => {\n  return 1;",
        *(2, 12),
        "ends too early",
        clauses=("P1",),
    ),
    fails(
        "a program that is no function says what to send",
        ("P1", "E5"),
        "42",
        {
            "code": "run_syntax",
            "message": says("number", "not an async function", "async () => {"),
            "retryable": False,
            "line": 1,
            "column": 1,
        },
    ),
    checks("a program's globals are connecta, console, the connectors and nothing else", ("P2",), nothing_else),
    checks("no module can be imported, the engine's own included", ("P2",), engine_modules),
    checks("code made at run time has no more than the program", ("P2",), eval_has_no_more),
    returns(
        "the built-ins of ECMAScript are there",
        ("P2",),
        f"async () => {json.dumps([*BUILT_IN])}.filter((name) => typeof globalThis[name] === 'undefined')",
        [],
    ),
    returns(
        "console has its five levels",
        ("P2",),
        "async () => ['log', 'info', 'warn', 'error', 'debug'].map((level) => typeof console[level])",
        ["function"] * 5,
    ),
    *(says_instead(*each) for each in INSTEAD),
    no_module("import", "import fs from 'fs';\nasync () => 1"),
    no_module("export", "export default async () => 1"),
    *(says_typescript(*each) for each in TYPESCRIPT),
    returns(
        "what JSON.stringify drops is dropped",
        ("P3",),
        """async () => ({ gone: undefined, also: () => 1, symbol: Symbol('s'), list: [undefined, () => 1, NaN],
          date: new Date(0), pattern: /x/, own: new (class { x = 1; method() {} })() })""",
        {"list": [None, None, None], "date": "1970-01-01T00:00:00.000Z", "pattern": {}, "own": {"x": 1}},
    ),
    returns("a program without a value returns null", ("P3",), "async () => {}", None),
    checks("a result that is no JSON ends the run with the path of its first bad value", ("P3", "E5"), bad_values),
    checks("an argument that is no JSON throws where it is passed, naming its path", ("P3",), bad_arguments),
    returns(
        "every kind of code point crosses both ways unharmed",
        ("P3",),
        EVERY_CODE_POINT,
        {"key": True, "value": True},
    ),
    returns(
        "a NUL and lone surrogates come back as the result",
        ("P3",),
        "async () => ['a\\u0000b', '\\ud800', '\\udfffx', '\\u{1f600}']",
        ["a\0b", "\ud800", "\udfffx", "\U0001f600"],
    ),
    returns(
        "a NUL and half of a surrogate pair come in as they are",
        ("P3",),
        "async () => (await probe.text_halves()).map((text) => [text.length, text.charCodeAt(0)])",
        [[1, 0], [1, 0xD800], [2, 0xDFFF]],
    ),
    returns(
        "a program's own text crosses unharmed",
        ("P3",),
        "async () => ['é\U0001f600\u2028', 'é\U0001f600\u2028'.length]",
        ["é\U0001f600\u2028", 4],
    ),
    checks("a value of a million bytes crosses both ways unharmed", ("P3",), large_values),
    checks("nothing that a program changes survives its run", ("P4",), fresh),
    checks("a run loads a catalog once, however often it is needed", ("P4",), loaded_once),
)
