"""Programs that do not come to an end: loops of their own, in native code, in patterns, and in what reads a result."""

from tests.sandbox.hostile.model import Hostile, fails

SPARSE = "const a = []; a.length = 2 ** 32 - 1;"
LONG = "const o = { length: 2 ** 53 - 1 };"

_LOOPS = (
    ("a plain loop", "async () => { for (;;); }"),
    ("a loop that catches its own interruption", "async () => { for (;;) { try { for (;;); } catch {} } }"),
    ("a loop in finally after a loop", "async () => { try { for (;;); } finally { for (;;); } }"),
    (
        "an async loop awaited and caught again and again",
        "async () => { for (;;) { try { await (async () => { for (;;); })() } catch {} } }",
    ),
    ("a labelled continue", "async () => { a: for (;;) { for (;;) continue a; } }"),
    ("awaiting nothing for ever", "async () => { for (;;) await null; }"),
    ("a chain of then", "async () => { const f = () => Promise.resolve().then(f); return f() }"),
    (
        "a chain of queueMicrotask",
        "async () => { const f = () => queueMicrotask(f); f(); await new Promise(() => {}) }",
    ),
    ("a thenable that resolves with itself", "async () => { const t = { then(r) { r(t) } }; return t }"),
    (
        "two thenables that resolve with each other",
        "async () => { const a = { then(r) { r(b) } }, b = { then(r) { r(a) } }; return a }",
    ),
    ("a static block", "async () => { class A { static { for (;;); } } }"),
    ("a default parameter", "async (a = (() => { for (;;); })()) => a"),
    ("an endless generator", "async () => { function* g() { for (;;) yield 1 } for (const x of g()); }"),
    (
        "an endless async generator",
        "async () => { async function* g() { for (;;) yield 1 } for await (const x of g()); }",
    ),
    (
        "an iterator that is never done",
        "async () => new Set({ [Symbol.iterator]: () => ({ next: () => ({ value: 1, done: false }) }) })",
    ),
    ("a comparator without an end", "async () => [3, 1, 2].sort(() => { for (;;); })"),
    ("a reviver without an end", "async () => JSON.parse('[1]', () => { for (;;); })"),
    ("a replacer without an end", "async () => JSON.stringify([1], () => { for (;;); })"),
    (
        "a set that grows under its iteration",
        "async () => { const s = new Set([0]); for (const x of s) { s.delete(x); s.add(x + 1) } }",
    ),
    ("eval of a loop", "async () => eval('for (;;);')"),
    ("a function made of text", "async () => new Function('for (;;);')()"),
    ("a script as the program", "for (;;);"),
    ("a body that returns after a loop", "while (true) {}\nreturn 1"),
)

_NATIVE = (
    ("sorting a sparse array", f"async () => {{ {SPARSE} a[5] = 1; a.sort() }}"),
    ("indexOf over a sparse array", f"async () => {{ {SPARSE} return a.indexOf(1) }}"),
    ("includes over an endless object", f"async () => {{ {LONG} return Array.prototype.includes.call(o, 1) }}"),
    ("lastIndexOf over an endless object", f"async () => {{ {LONG} return Array.prototype.lastIndexOf.call(o, 1) }}"),
    ("reversing an endless object", f"async () => {{ {LONG} Array.prototype.reverse.call(o) }}"),
    ("copyWithin an endless object", f"async () => {{ {LONG} Array.prototype.copyWithin.call(o, 5, 0) }}"),
    (
        "unshift of an endless object",
        "async () => { const o = { length: 2 ** 40 }; Array.prototype.unshift.call(o, 1) }",
    ),
    (
        "splice of an endless object",
        "async () => { const o = { length: 2 ** 40, 1: 1 }; Array.prototype.splice.call(o, 0, 1) }",
    ),
    ("reduce over an endless object", "async () => Array.prototype.reduce.call({ length: 2 ** 53 - 1 }, (x) => x, 0)"),
    ("join of an endless object of nothing", "async () => Array.prototype.join.call({ length: 2 ** 40 }, '')"),
    ("flattening a sparse array", f"async () => {{ {SPARSE} return a.flat().length }}"),
    ("a power of BigInts", "async () => { let x = 3n; for (;;) x = x ** 3n % (2n ** 200000n) }"),
    ("a long BigInt in decimal", "async () => { const x = 1n << 1000000n; for (;;) String(x) }"),
    ("a BigInt parsed from decimal", "async () => { const s = '7'.repeat(300000); for (;;) BigInt(s) }"),
    ("replacing quadratically", "async () => { let s = 'ab'.repeat(50000); for (;;) s = s.replaceAll('a', 'a') }"),
    ("splitting and joining", "async () => { let s = 'ab'.repeat(50000); for (;;) s = s.split('').join('') }"),
    ("normalizing long text", "async () => { const s = '\\u0344'.repeat(100000); for (;;) s.normalize('NFD') }"),
    ("indexOf with a near miss", "async () => { const s = 'a'.repeat(2e6); return s.indexOf('a'.repeat(1e6) + 'b') }"),
    (
        "sorting typed numbers with a comparator",
        "async () => { for (;;) new Float64Array(1e5).map(() => Math.random()).sort((a, b) => b - a) }",
    ),
    ("compiling again and again", "async () => { for (;;) new Function('return ' + '1+'.repeat(20000) + '1') }"),
)

_PATTERNS = (
    ("nested plus", "async () => /(a+)+$/.test('a'.repeat(40) + 'b')"),
    ("overlapping alternatives", "async () => /^(a|aa)+$/.test('a'.repeat(80) + 'b')"),
    ("a lookahead that backtracks", "async () => /(?=(a+)+b)c/.test('a'.repeat(40))"),
    ("a lookbehind that backtracks", "async () => /(?<=c(a+)+)b/.test('a'.repeat(40) + 'b')"),
    ("a back reference", "async () => /^(a*)*\\1$/.test('a'.repeat(60) + 'b')"),
    ("replace by a slow pattern", "async () => ('a'.repeat(40) + 'b').replace(/(.*)*c/g, 'x')"),
    ("matchAll of a slow pattern", "async () => [...('a'.repeat(40) + 'b').matchAll(/(a?){40}a{40}c/g)]"),
    ("split by a slow pattern", "async () => ('a'.repeat(40) + 'b').split(/(\\w+\\s?)*!/)"),
    ("a slow pattern in Unicode mode", "async () => /(\\p{L}+)+$/u.test('é'.repeat(40) + '1')"),
)

_READING = (
    ("a getter in the result", "async () => ({ get a() { for (;;); } })"),
    ("toJSON of the result", "async () => ({ toJSON() { for (;;); } })"),
    ("ownKeys of the result", "async () => new Proxy({}, { ownKeys() { for (;;); } })"),
    ("a result of endless length", "async () => new Proxy([], { get: (t, k) => (k === 'length' ? 2 ** 32 : t[k]) })"),
    ("then of the result", "async () => ({ get then() { for (;;); } })"),
    ("the message of what is thrown", "async () => { throw { get message() { for (;;); } } }"),
    ("the name of what is thrown", "async () => { throw { message: 'x', get name() { for (;;); } } }"),
    ("the stack of what is thrown", "async () => { throw { message: 'x', get stack() { for (;;); } } }"),
    ("the cause of what is thrown", "async () => { throw { message: 'x', get cause() { for (;;); } } }"),
    ("the prototype of what is thrown", "async () => { throw new Proxy({}, { getPrototypeOf() { for (;;); } }) }"),
    ("the text of what is thrown", "async () => { throw Object.assign(() => 1, { toString() { for (;;); } }) }"),
    ("an argument of a call", "async () => connecta.call('a.b', { toJSON() { for (;;); } })"),
    ("an argument of console.log", "async () => { console.log({ get a() { for (;;); } }) }"),
)

PROGRAMS: tuple[Hostile, ...] = (
    *(fails(f"loop: {name}", "run_cpu", program) for name, program in _LOOPS),
    *(fails(f"native: {name}", "run_cpu", program) for name, program in _NATIVE),
    *(fails(f"pattern: {name}", "run_cpu", program) for name, program in _PATTERNS),
    *(fails(f"reading: {name}", "run_cpu", program) for name, program in _READING),
)
