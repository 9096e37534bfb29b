"""Programs that call themselves, in every way the language has."""
# ruff: noqa: E501 - a program is one line of its table

from tests.sandbox.hostile.model import Hostile, fails, gives

_WAYS = (
    ("a function", "async () => { const f = () => f() + 1; f() }"),
    ("two functions", "async () => { const f = () => g() + 1, g = () => f() + 1; f() }"),
    ("a method", "async () => ({ f() { return this.f() + 1 } }).f()"),
    ("a constructor", "async () => { class A { constructor() { this.a = new A() } } new A() }"),
    ("a field", "async () => { class A { a = new A() } new A() }"),
    ("a getter", "async () => { const o = { get a() { return this.a + 1 } }; o.a }"),
    ("a setter", "async () => { const o = { set a(v) { this.a = v + 1 } }; o.a = 1 }"),
    ("toString", "async () => { const o = { toString() { return `${o}` } }; return '' + o }"),
    ("valueOf", "async () => { const o = { valueOf() { return o + 1 } }; return o + 1 }"),
    ("toPrimitive", "async () => { const o = { [Symbol.toPrimitive]() { return +o } }; return +o }"),
    ("toJSON", "async () => { const o = { toJSON() { return JSON.stringify(o) } }; return JSON.stringify(o) }"),
    ("a get trap", "async () => { const p = new Proxy({}, { get: (t, k, r) => r[k] + 1 }); p.a }"),
    ("a has trap", "async () => { const p = new Proxy({}, { has: (t, k) => k in p }); return 'a' in p }"),
    ("an apply trap", "async () => { const p = new Proxy(() => 1, { apply: () => p() + 1 }); p() }"),
    (
        "a trap of the prototype",
        "async () => { const p = new Proxy({}, { getPrototypeOf: () => Object.getPrototypeOf(p) }); return p instanceof Array }",
    ),
    (
        "proxies of proxies",
        "async () => { let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); return p.a }",
    ),
    (
        "bound functions",
        "async () => { let f = () => 1; for (let i = 0; i < 1e5; i++) { Object.defineProperty(f, 'name', { value: '' }); f = f.bind(null) } return f() }",
    ),
    ("instanceof", "async () => { const a = { [Symbol.hasInstance]: (x) => x instanceof a }; return 1 instanceof a }"),
    ("a comparator", "async () => { const f = () => [2, 1].sort(f).length; f() }"),
    ("a map callback", "async () => { const f = () => [1].map(f); f() }"),
    ("forEach of a map", "async () => { const f = () => new Map([[1, 1]]).forEach(f); f() }"),
    ("a replace callback", "async () => { const f = () => 'a'.replace(/a/, f); f() }"),
    ("a reviver", "async () => { const f = () => JSON.parse('1', f); f() }"),
    ("a replacer", "async () => { const f = () => JSON.stringify(1, f); f() }"),
    ("a tagged template", "async () => { const f = () => f`` + 1; f() }"),
    ("a generator", "async () => { function* g() { yield* g() } [...g()] }"),
    ("an async function called at once", "async () => { const f = async () => (await f(), 1); await f() }"),
    (
        "an async generator called at once",
        "async () => { async function* g() { yield* g() } const f = () => g().next(f()); f() }",
    ),
    ("an iterator", "async () => { const o = { [Symbol.iterator]: () => o[Symbol.iterator]() }; return [...o] }"),
    ("eval", "async () => { globalThis.f = () => (0, eval)('f() + 1'); f() }"),
    ("functions made of text", "async () => { globalThis.f = () => new Function('return f() + 1')(); f() }"),
    ("apply", "async () => { const f = function () { return f.apply(this, arguments) + 1 }; f(1, 2, 3) }"),
    ("Reflect.construct", "async () => { function F() { Reflect.construct(F, []) } new F() }"),
    (
        "a species",
        "async () => { class A extends Array { static get [Symbol.species]() { return new A(1).map(() => 1) } } new A(1).map(() => 1) }",
    ),
    (
        "super",
        "async () => { const a = { f() { return super.f() } }; Object.setPrototypeOf(a, new Proxy(a, {})); return a.f() }",
    ),
    ("deep JSON parsed", "async () => JSON.parse('['.repeat(1e6))"),
    (
        "deep JSON written",
        "async () => { let o = []; for (let i = 0; i < 1e5; i++) o = [o]; return JSON.stringify(o).length }",
    ),
    ("a deep array in text", "async () => { let o = []; for (let i = 0; i < 1e5; i++) o = [o]; return String(o) }"),
    ("a cyclic array made flat", "async () => { const a = []; a[0] = a; return a.flat(Infinity) }"),
    ("a getter of the globals", "async () => { Object.defineProperty(globalThis, 'a', { get: () => a }); return a }"),
    (
        "console.log of itself",
        "async () => { const f = () => console.log({ toJSON: f }); const g = () => { f(); g() }; g() }",
    ),
)

PROGRAMS: tuple[Hostile, ...] = (
    *(fails(f"recursion: {name}", "run_stack", program, says="1,024 KiB") for name, program in _WAYS),
    fails(
        "recursion: a deep pattern compiled", "run_error", "async () => new RegExp('('.repeat(1e5))", says="SyntaxError"
    ),
    fails("recursion: eval of deep parentheses", "run_stack", "async () => eval('('.repeat(1e5))"),
    fails("recursion: deep parentheses as the program", "run_stack", "(" * 200_000),
    fails("recursion: deep arrays as the program", "run_stack", "async () => " + "[" * 100_000 + "]" * 100_000),
    fails("recursion: deep functions as the program", "run_stack", "async () => " + "() => " * 40_000 + "1"),
    fails("recursion: deep blocks as the program", "run_stack", "async () => {" + "{" * 100_000 + "}" * 100_000 + "}"),
    fails("recursion: a deep template", "run_stack", "async () => " + "`${" * 50_000 + "1" + "}`" * 50_000),
    fails("recursion: a deep chain of unary signs", "run_stack", "async () => " + "- " * 120_000 + "1"),
    gives(
        "recursion: a stack overflow that is caught",
        "async () => { const f = () => f() + 1; try { f() } catch (e) { return e.message } }",
        "Maximum call stack size exceeded",
    ),
    gives("recursion: a long chain of operators is none", "async () => 0" + "+1" * 60_000, 60_000),
    fails(
        "recursion: toJSON of the result",
        "run_result",
        "async () => { const o = { toJSON() { return JSON.stringify(o) } }; return o }",
        says="nested too deeply",
    ),
    fails(
        "recursion: a getter of the result",
        "run_result",
        "async () => { const o = { get a() { return o.a } }; return o }",
        says="nested too deeply",
    ),
    fails(
        "recursion: a result nested deeper than the engine writes",
        "run_result",
        "async () => { let o = []; for (let i = 0; i < 1e5; i++) o = [o]; return o }",
        says="nested too deeply",
    ),
    fails(
        "recursion: a result nested deeper than the bound",
        "run_result",
        "async () => { let o = 1; for (let i = 0; i < 201; i++) o = { o }; return o }",
        says="200 levels",
    ),
    fails(
        "recursion: an overflow made by hand",
        "run_stack",
        "async () => { throw new RangeError('Maximum call stack size exceeded') }",
    ),
    fails(
        "recursion: with logs before",
        "run_stack",
        "async () => { console.log('so far'); const f = () => f() + 1; f() }",
        logs="so far",
    ),
)
