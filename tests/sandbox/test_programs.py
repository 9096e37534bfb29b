"""What a program is and how its value comes back (guest-api.md P1 - P5, A2, A5)."""

import asyncio

import pytest

from connecta.sandbox.sandbox import Sandbox
from connecta.text import Json
from tests.fixtures.programs import AWAY, away, failure_of, outcome_of, value_of


@pytest.mark.parametrize(
    ("program", "value"),
    [
        ("async () => 1 + 1", 2),
        ("async () => 1;", 1),
        ("async () => 1; // done", 1),
        ("```js\nasync () => 1\n```", 1),
        ("\n~~~\nasync () => 1\n~~~\n", 1),
        ("async function main() { return 1 }", 1),
        ("(async () => 1)()", 1),
        ("async function main() { return 1 }\nmain();", 1),
        ("const one = await 1;\nreturn one;", 1),
        ("return 1", 1),
        ("await connecta.call('a.b')", {"operation": "call", "args": ["a.b"]}),
        ("async () => '```'", "```"),
    ],
)
async def test_a_program_may_be_written_in_the_usual_ways(sandbox: Sandbox, program: str, value: Json) -> None:
    """P1."""
    assert await value_of(sandbox, program) == value


@pytest.mark.parametrize(
    ("program", "line", "column"),
    [
        ("async () => {\n  let x = ;\n}", 2, 11),
        ("async () => )", 1, 13),
        ("let a = 1;\nlet b = ;\nreturn a", 2, 9),
        ("```js\nasync () => {\n  let x = ;\n}\n```", 3, 11),
        ("return 1 +;", 1, 11),
    ],
)
async def test_a_syntax_error_is_placed_in_the_program_itself(
    sandbox: Sandbox, program: str, line: int, column: int
) -> None:
    """P1: line and column of the program, not of any wrapper."""
    failure = await failure_of(sandbox, program)
    assert (failure.code, failure.details) == ("run_syntax", {"line": line, "column": column})
    assert "async () =>" in failure.message


async def test_a_value_that_is_no_function_is_a_syntax_failure_saying_what_to_send(sandbox: Sandbox) -> None:
    """P1."""
    failure = await failure_of(sandbox, "42")
    assert failure.envelope() == {
        "code": "run_syntax",
        "message": "The program is of type number and not an async function (line 1, column 1)\n1 | 42\n"
        "Send one async arrow function in plain JavaScript: async () => { … return value; }.",
        "retryable": False,
        "line": 1,
        "column": 1,
    }


@pytest.mark.parametrize(
    ("program", "what"),
    [
        ("function* () { yield 1 }", "a generator"),
        ("async function* () { yield 1 }", "a generator"),
        ("class A {}", "a class"),
        ("null", "null"),
        ("[async () => 1]", "an array"),
        ("'async () => 1'", "of type string"),
    ],
)
async def test_what_cannot_be_called_for_a_value_is_named(sandbox: Sandbox, program: str, what: str) -> None:
    """P1."""
    failure = await failure_of(sandbox, program)
    assert failure.code == "run_syntax"
    assert failure.message.startswith(f"The program is {what} and not an async function (line 1, column 1)")


@pytest.mark.parametrize(
    "program",
    [
        "async () => 1)); (()=>(2",
        "}); throw new Error('outside'); (() => {",
        "return 1 }); (async () => {",
        "return 1}, async()=>{",
        "return 1}, async b(){",
        "1]; [2",
    ],
)
async def test_a_program_cannot_close_what_is_around_it(sandbox: Sandbox, program: str) -> None:
    """P1: one expression or one body, and nothing beside it."""
    assert (await failure_of(sandbox, program)).code == "run_syntax"


@pytest.mark.parametrize("program", ["", " \n\t", "```js\n\n```"])
async def test_an_empty_program_is_called_empty(sandbox: Sandbox, program: str) -> None:
    failure = await failure_of(sandbox, program)
    assert failure.message == "The program is empty. Send one async arrow function: async () => { … }."


@pytest.mark.parametrize(
    ("program", "line", "column"),
    [("async () => { return 1", 1, 23), ("async () => {\n  if (1) {\n}\n\n", 3, 2), ("async () => (1, 2", 1, 18)],
)
async def test_what_is_left_open_is_placed_at_the_programs_end(
    sandbox: Sandbox, program: str, line: int, column: int
) -> None:
    """P1: never a line of the wrapper."""
    failure = await failure_of(sandbox, program)
    assert failure.message.startswith("The program ends too early")
    assert failure.details == {"line": line, "column": column}


async def test_a_syntax_error_in_a_long_line_shows_what_is_around_it(sandbox: Sandbox) -> None:
    """P1."""
    failure = await failure_of(sandbox, f"async () => [{'1, ' * 500}+;{', 1' * 500}]")
    shown = failure.message.splitlines()[1]
    assert (shown[:5], shown[-1], "+;" in shown, len(shown) <= 126) == ("1 | …", "…", True, True)


@pytest.mark.parametrize(
    ("program", "hint"),
    [
        ("async () => { return <div>a</div> }", "connecta.ui(html)"),
        ("() => {\n  const r = await connecta.search({});\n  return r;\n}", "A function that uses await is async"),
        ("\x00\x01\x02ELF", "it is no JavaScript source"),
        ("async () => doc.list()", "Did you mean docs?"),
        ("async () => DOCS.list()", "Did you mean docs?"),
    ],
)
async def test_a_mistake_that_is_recognised_says_what_to_write(sandbox: Sandbox, program: str, hint: str) -> None:
    """P1, P2."""
    failure = await failure_of(sandbox, program)
    assert hint in failure.message.splitlines()[-1]


@pytest.mark.parametrize(
    ("program", "hint"),
    [
        ("async () => { return 1 }}", 'closes more than it opens: 1 "}" too many'),
        ("async () => [1]]", '1 "]" too many'),
        ("Here it is:\n```js\nasync () => 1\n```", "Send the code alone"),
        ("async () =&gt; 1", "HTML-escaped"),
        ("async () => { return ‘x’ }", "straight quotes"),
        ("async () => {\\n  return 1;\\n}", "escaped twice"),
        ("async () => { import fs from 'fs'; return 1 }", "There are no modules"),
        ("async () => store.list_orders({})", "the connectors docs."),
        ("async () => docs__search({})", "Did you mean docs.search?"),
        ("async () => connecta.docs.search({})", "a connector is a global of its own"),
        ("async () => connecta.docs({})", "docs is a global of its own: docs.tool(args)"),
        ("async (ctx) => ctx.call('x')", "called without arguments"),
        ("async () => (await connecta.search({})).map(x => x)", ".tools."),
        ("async () => connecta.search({}).tools.map(x => x)", "(await connecta.search("),
        ("async () => console.table([1])", "console has log, info, warn, error and debug"),
        ("async () => globalThis.fetch('x')", "there is no network"),
        ("async () => { for (const row of (5).rows) {} }", "Object.keys(value)"),
        ("async () => sleep(5)", "there are no timers"),
    ],
)
async def test_a_frequent_mistake_names_its_remedy(sandbox: Sandbox, program: str, hint: str) -> None:
    """P1, P2, E6."""
    assert hint in (await failure_of(sandbox, program)).message


@pytest.mark.parametrize(
    "program",
    [
        "async () => {\n  const a = await docs.a({;\n}",
        "async () => { return { total: Math.round(1.5, n: 2 } }",
        "async () => { const s = 'shown as Total', t = ; }",
        "async () => { const s = 'a \ufffd b', t = ; }",
    ],
)
async def test_plain_javascript_with_another_mistake_is_not_called_anything_else(
    sandbox: Sandbox, program: str
) -> None:
    hint = (await failure_of(sandbox, program)).message.splitlines()[-1]
    assert hint == "Send one async arrow function in plain JavaScript: async () => { … return value; }."


PIECES = [
    "'\\'",
    '"\\"',
    "`\\`",
    "/*",
    "\n",
    "```\n",
    "(",
    "{ ",
    "function ",
    " ",
    "async (",
    "&gt;",
    "=> <",
    "a: ",
    "\\n",
]


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("before", ["", "'", "]", "async () => {", "function"])
async def test_a_long_mistake_takes_no_longer_to_explain_than_to_read(
    sandbox: Sandbox, before: str, piece: str
) -> None:
    """L3: what is said about a program's text takes time in proportion to its length, else this never ends."""
    program = (before + piece * (200_000 // len(piece)))[:200_000] + " ]"
    failure = await failure_of(sandbox, program, deadline_s=5)
    assert failure.code in ("run_syntax", "run_stack", "run_error", "run_cpu", "run_memory")


@pytest.mark.parametrize(
    ("program", "column"),
    [
        ("async () => { const a = '日本語é😀'; return a.b.c(; }", 47),
        ("async () => { const a = '日本語é😀'; return a.b.c(1); }", 41),
    ],
)
async def test_columns_count_characters(sandbox: Sandbox, program: str, column: int) -> None:
    """P1, E1: not the bytes or units they are written in."""
    failure = await failure_of(sandbox, program)
    assert failure.details == {"line": 1, "column": column}


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ("[1, 2].map(async n => n)", "result[0] is a Promise: await it"),
        ("({ rows: docs.search({}) })", "result.rows is a Promise"),
        ("({ m: new Map([[1, 2]]) })", "result.m is a Map: use Object.fromEntries"),
        ("({ s: new Set([1]) })", "result.s is a Set"),
        ("({ e: new TypeError('x') })", "result.e is an Error: use its message"),
    ],
)
async def test_a_value_json_would_say_nothing_of_is_named(sandbox: Sandbox, value: str, what: str) -> None:
    """P3: a forgotten ``await`` is no success with an empty object."""
    failure = await failure_of(sandbox, f"async () => {value}")
    assert failure.code == "run_result"
    assert what in failure.message


async def test_objects_that_are_empty_are_results(sandbox: Sandbox) -> None:
    program = "async () => ({ a: {}, b: [{}], c: Object.create(null), d: new (class { x })(), e: new Date(0) })"
    assert await value_of(sandbox, program) == {"a": {}, "b": [{}], "c": {}, "d": {}, "e": "1970-01-01T00:00:00.000Z"}


@pytest.mark.parametrize("args", ["undefined", "{ q: 1 }, undefined", ""])
async def test_arguments_that_are_undefined_at_the_end_are_not_there(sandbox: Sandbox, args: str) -> None:
    """A2: as a filter that was not set."""
    value = await value_of(sandbox, f"async () => docs.search({args})")
    assert value == {"operation": "shortcut", "args": ["docs-site", "search", *([{"q": 1}] if "q" in args else [])]}


@pytest.mark.parametrize("text", ["1e999", "1".rjust(5000, "1"), '"\\ud800"'])
async def test_nothing_crosses_that_the_engine_has_not_written_itself(sandbox: Sandbox, text: str) -> None:
    """P3: JSON.rawJSON would carry what is no JSON value."""
    failure = await failure_of(sandbox, f"async () => JSON.rawJSON({text!r})")
    assert failure.code == "run_error"


async def test_a_stack_of_the_programs_own_making_is_no_crash(sandbox: Sandbox) -> None:
    """E5: and places nothing."""
    program = "async () => { const e = new Error('x'); e.stack = 'at f (<input>:5:" + "9" * 400 + ")'; throw e }"
    assert (await failure_of(sandbox, program)).code == "run_error"


async def test_a_parse_error_of_data_is_placed_where_the_program_asked_for_it(sandbox: Sandbox) -> None:
    """E1: not at a place in the data."""
    failure = await failure_of(sandbox, "async () => {\n  return JSON.parse('{');\n}")
    assert (failure.code, failure.details) == ("run_error", {"line": 2, "column": 15})


@pytest.mark.parametrize(
    "program",
    [
        "async () => {\n  const a: number = 5;\n  return a;\n}",
        "async (): Promise<string> => 'x'",
        "interface Row { id: string }\nreturn 1",
        "async () => { const row = {} as Row; return row }",
    ],
)
async def test_typescript_is_named_as_such(sandbox: Sandbox, program: str) -> None:
    """P5."""
    failure = await failure_of(sandbox, program)
    assert failure.code == "run_syntax"
    assert "looks like TypeScript" in failure.message


async def test_a_static_import_is_a_syntax_error_that_says_there_are_no_modules(sandbox: Sandbox) -> None:
    """P2."""
    failure = await failure_of(sandbox, "import fs from 'fs';\nreturn 1")
    assert failure.code == "run_syntax"
    assert "no modules" in failure.message


@pytest.mark.parametrize("name", ["fetch", "setTimeout", "require", "process", "Buffer", "crypto"])
async def test_a_global_that_is_not_there_says_what_to_write_instead(sandbox: Sandbox, name: str) -> None:
    """P2."""
    failure = await failure_of(sandbox, f"async () => {{\n  return {name}('x');\n}}")
    assert (failure.code, failure.details["line"]) == ("run_error", 2)
    assert failure.message.splitlines()[1] == f"2 |   return {name}('x');"
    assert failure.message.splitlines()[2].startswith(f"{name}: ")


@pytest.mark.parametrize("module", ["std", "os", "qjs:std", "qjs:os", "fs", "/etc/passwd"])
async def test_no_module_can_be_imported(sandbox: Sandbox, module: str) -> None:
    """P2."""
    failure = await failure_of(sandbox, f"async () => import({module!r})")
    assert failure.code == "run_error"
    assert "no modules" in failure.message


async def test_the_globals_are_the_languages_own_and_the_connectors(sandbox: Sandbox) -> None:
    """P2: nothing of the engine's shell, of Node's or of a browser's."""
    names = await value_of(sandbox, "async () => Object.getOwnPropertyNames(globalThis)")
    assert isinstance(names, list)
    assert {"connecta", "console", "docs"} <= set(map(str, names))
    assert not {"std", "os", "performance", "navigator", "print", "scriptArgs", "fetch", "WebAssembly"} & set(
        map(str, names)
    )


async def test_every_code_point_crosses_unharmed_both_ways(sandbox: Sandbox) -> None:
    """P3: lone surrogates and NUL included."""
    text = 'a\ud800b\0c\udfff "\\\n\u2028 日本 😀'
    value = await value_of(sandbox, f"async () => (await connecta.call({_literal(text)})).args[0]")
    assert value == text


async def test_a_program_may_itself_hold_nul_and_lone_surrogates(sandbox: Sandbox) -> None:
    """P3."""
    assert await value_of(sandbox, "async () => 'a\0\ud800'") == "a\0\ud800"


@pytest.mark.parametrize(
    ("program", "value"),
    [
        ("async () => undefined", None),
        ("async () => {}", None),
        ("async () => ({ a: undefined, b() {}, c: Symbol('x'), d: [undefined], e: NaN })", {"d": [None], "e": None}),
        ("async () => new Date(0)", "1970-01-01T00:00:00.000Z"),
        ("async () => 'x'.repeat(100) + 'y'.repeat(100_000)", "x" * 100 + "y" * 100_000),
    ],
)
async def test_a_value_comes_back_as_json_stringify_writes_it(sandbox: Sandbox, program: str, value: Json) -> None:
    """P3, R1."""
    assert await value_of(sandbox, program) == value


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("async () => ({ a: [1, { b: 1n }] })", "result.a[1].b is a BigInt"),
        ("async () => { const a = {}; a.b = { 'c-d': a }; return a }", 'result.b["c-d"] refers back to an object'),
        ("async () => () => 1", "result is a function"),
        ("async () => Symbol('x')", "result is a symbol"),
        ("async () => ({ toJSON() { throw new Error('no') } })", "result could not be written as JSON: no"),
        ("async () => { let o = []; for (let i = 0; i < 250; i++) o = [o]; return o }", "the bound is 200 levels"),
        ("async () => { let o = []; for (let i = 0; i < 99999; i++) o = [o]; return o }", "nested too deeply"),
        ("async () => 'x'.repeat(5_000_000)", "longer than 4,000,000 bytes"),
    ],
)
async def test_a_result_that_is_no_json_is_refused_at_its_first_bad_value(
    sandbox: Sandbox, program: str, why: str
) -> None:
    """P3, E5."""
    failure = await failure_of(sandbox, program)
    assert failure.code == "run_result"
    assert why in failure.message


async def test_a_bad_argument_throws_where_the_call_is_and_names_the_value(sandbox: Sandbox) -> None:
    """P3."""
    failure = await failure_of(sandbox, "async () => {\n  return connecta.call('x', { a: [1n] });\n}")
    assert (failure.code, failure.details) == ("run_error", {"line": 2, "column": 19})
    assert "arguments[1].a[0] is a BigInt" in failure.message


async def test_nothing_survives_a_run(sandbox: Sandbox) -> None:
    """P4."""
    await value_of(sandbox, "async () => { globalThis.kept = 1; Array.prototype.kept = 2; return 1 }")
    assert await value_of(sandbox, "async () => [typeof kept, [].kept ?? null]") == ["undefined", None]


async def test_a_shortcut_asks_the_host_by_connector_id_and_property(sandbox: Sandbox) -> None:
    """A2, A5."""
    value = await value_of(sandbox, "async () => [await docs.search({ q: 1 }), await docs.list_all()]")
    assert value == [
        {"operation": "shortcut", "args": ["docs-site", "search", {"q": 1}]},
        {"operation": "shortcut", "args": ["docs-site", "list_all"]},
    ]


async def test_a_shortcut_global_is_inert_until_it_is_called(sandbox: Sandbox) -> None:
    """A2: awaiting, printing, serializing or inspecting it makes no call."""
    asked: list[str] = []

    async def host(operation: str, args: list[Json]) -> Json:
        asked.append(operation)
        return None

    program = "async () => { await docs; console.log(docs); docs[Symbol.iterator]; docs.search; return docs }"
    assert (await value_of(sandbox, program, host), asked) == ({}, [])


async def test_own_errors_carry_name_message_line_and_column(sandbox: Sandbox) -> None:
    """E1."""
    failure = await failure_of(sandbox, "async () => {\n  const f = () => { null.x };\n  f();\n}")
    assert failure.envelope() == {
        "code": "run_error",
        "message": "TypeError: cannot read property 'x' of null (line 2, column 21)\n2 |   const f = () => { null.x };",
        "retryable": False,
        "line": 2,
        "column": 21,
    }


async def test_an_error_thrown_in_a_bare_body_is_placed_in_the_program(sandbox: Sandbox) -> None:
    """P1, E1."""
    failure = await failure_of(sandbox, "  null.x; return 1")
    assert failure.details == {"line": 1, "column": 3}


async def test_an_unknown_member_of_connecta_fails_naming_it_and_listing_the_members(sandbox: Sandbox) -> None:
    """E6."""
    failure = await failure_of(sandbox, "async () => connecta.callTool('a.b')")
    assert failure.code == "run_error"
    assert "connecta.callTool does not exist" in failure.message
    assert "search, describe, call, batch, emit, ui" in failure.message


async def test_console_lines_of_all_levels_come_back_in_order(sandbox: Sandbox) -> None:
    """R5."""
    outcome = await outcome_of(
        sandbox,
        "async () => { console.log('a', 1, { b: 2 }); console.warn(undefined, 1n); console.error(new TypeError('c'));"
        " console.debug([1]); console.info(Symbol('s')); }",
    )
    assert outcome.logs == 'a 1 {"b":2}\nundefined 1n\nTypeError: c\n[1]\nSymbol(s)'


async def test_logs_are_cut_at_their_bound_with_a_mark(sandbox: Sandbox) -> None:
    """R5."""
    outcome = await outcome_of(sandbox, "async () => { for (let i = 0; i < 9999; i++) console.log('x'.repeat(99)) }")
    assert len(outcome.logs) == 4_000
    assert outcome.logs.endswith("… [logs cut at 4,000 characters]")


@pytest.mark.parametrize(
    "end", ["for (;;);", "throw new Error('x')", "await new Promise(() => {})", "const f = () => f() + 1; f()"]
)
async def test_logs_survive_however_the_program_ends(sandbox: Sandbox, end: str) -> None:
    """R5."""
    outcome = await outcome_of(sandbox, f"async () => {{ console.log('so far'); {end} }}")
    assert outcome.failure is not None
    assert outcome.logs == "so far"


def _literal(text: str) -> str:
    return "'" + "".join(f"\\u{unit:04x}" for unit in _utf16(text)) + "'"


def _utf16(text: str) -> list[int]:
    data = text.encode("utf-16-le", "surrogatepass")
    return [int.from_bytes(data[at : at + 2], "little") for at in range(0, len(data), 2)]


async def test_an_output_that_was_not_awaited_is_taken_before_the_program_ends(sandbox: Sandbox) -> None:
    """M2, U3: a forgotten ``await`` loses no block and no view, and nothing else is waited for."""
    taken: list[str] = []

    async def host(operation: str, args: list[Json]) -> Json:
        if operation == "call":
            return await asyncio.get_running_loop().create_future()
        taken.append(operation)
        return None

    program = (
        "async () => { connecta.call('slow'); connecta.emit(1).then(() => connecta.emit(2)); connecta.ui(3); return 4 }"
    )
    assert await value_of(sandbox, program, host) == 4
    assert taken == ["emit", "ui", "emit"]


async def test_the_refusal_of_an_output_nobody_awaited_is_logged(sandbox: Sandbox) -> None:
    """M1: where the program waits it is told itself, and nothing is logged."""
    for how, logs in (("", f"An output that was not awaited was refused: {AWAY.message}"), ("await ", "")):
        program = f"async () => {{ try {{ {how}connecta.emit(1) }} catch {{}} return 2 }}"
        outcome = await outcome_of(sandbox, program, away)
        assert (outcome.value, outcome.logs) == (2, logs)


async def test_what_was_logged_survives_whatever_kills_the_process(sandbox: Sandbox) -> None:
    """R5: also in the middle of a native loop that no interrupt reaches."""
    program = "async () => { console.log('before'); const a = []; a.length = 2 ** 32 - 1; a[5] = 1; a.sort() }"
    outcome = await outcome_of(sandbox, program)
    assert outcome.failure is not None
    assert (outcome.failure.code, outcome.logs) == ("run_cpu", "before")
