"""Programs that take more memory than there is, in every kind of thing that holds some, and in every place."""
# ruff: noqa: E501 - a program is one line of its table

from tests.sandbox.hostile.model import Hostile, fails

_THINGS = (
    ("objects in an array", "async () => { const a = []; for (;;) a.push({ b: [1] }) }"),
    ("one array doubled", "async () => { let a = [1]; for (;;) a = a.concat(a) }"),
    ("one array spread", "async () => { let a = [1, 2, 3]; for (;;) a = [...a, ...a] }"),
    ("a filled array", "async () => new Array(1e8).fill({})"),
    ("an array made by length", "async () => Array.from({ length: 1e9 }, (_, i) => i)"),
    ("a repeated string", "async () => 'x'.repeat(2 ** 29)"),
    ("a padded string", "async () => 'x'.padStart(2 ** 29, 'ab')"),
    ("a string doubled by joining", "async () => { let s = 'ab'; for (;;) s = [s, s].join('') }"),
    (
        "a rope made flat",
        "async () => { let s = 'ab'; for (let i = 0; i < 28; i++) s += s; return s.replace('a', 'c').length }",
    ),
    ("many strings", "async () => { const a = []; for (let i = 0; ; i++) a.push('x'.repeat(10000) + i) }"),
    ("a map", "async () => { const m = new Map(); for (let i = 0; ; i++) m.set(i, [i]) }"),
    ("a set", "async () => { const s = new Set(); for (let i = 0; ; i++) s.add('k' + i) }"),
    ("a set that grows under its iteration", "async () => { const s = new Set([0]); for (const x of s) s.add(x + 1) }"),
    (
        "a weak map and its keys",
        "async () => { const w = new WeakMap(), k = []; for (;;) { const o = {}; k.push(o); w.set(o, [o]) } }",
    ),
    (
        "a weak set and its keys",
        "async () => { const w = new WeakSet(), k = []; for (;;) { const o = {}; k.push(o); w.add(o) } }",
    ),
    ("members of one object", "async () => { const o = {}; for (let i = 0; ; i++) o['k' + i] = i }"),
    ("symbols", "async () => { const a = []; for (let i = 0; ; i++) a.push(Symbol('s' + i)) }"),
    ("registered symbols", "async () => { const a = []; for (let i = 0; ; i++) a.push(Symbol.for('s' + i)) }"),
    ("one array buffer", "async () => new ArrayBuffer(1e9)"),
    ("many array buffers", "async () => { const a = []; for (;;) a.push(new ArrayBuffer(1 << 20)) }"),
    ("a shared array buffer", "async () => new SharedArrayBuffer(1e9)"),
    (
        "a buffer that is resized",
        "async () => { const b = new ArrayBuffer(1, { maxByteLength: 2 ** 30 }); for (let n = 2; ; n *= 2) b.resize(n) }",
    ),
    ("typed arrays", "async () => { const a = []; for (;;) a.push(new Float64Array(1e5)) }"),
    ("one typed array", "async () => new Uint8Array(2 ** 30)"),
    ("many BigInts", "async () => { const a = []; for (let i = 0n; ; i++) a.push((1n << 100000n) + i) }"),
    ("closures", "async () => { const a = []; for (let i = 0; ; i++) a.push(() => i) }"),
    ("the growing names of bound functions", "async () => { let f = () => 1; for (;;) f = f.bind(null, [1, 2, 3]) }"),
    ("classes", "async () => { const a = []; for (;;) a.push(class { m() {} static s = 1 }) }"),
    (
        "compiled functions",
        "async () => { const a = []; for (let i = 0; ; i++) a.push(new Function('return `' + 'x'.repeat(1e5) + i + '`')) }",
    ),
    (
        "patterns",
        "async () => { const a = []; for (let i = 0; ; i++) a.push(new RegExp('(?:a|b){' + (i % 9) + '}' + i)) }",
    ),
    (
        "suspended generators",
        "async () => { function* g() { yield new Array(100).fill(0) } const a = []; for (;;) { const i = g(); i.next(); a.push(i) } }",
    ),
    ("a spread of an endless generator", "async () => { function* g() { for (;;) yield {} } return [...g()] }"),
    ("rest of an endless iterator", "async () => { function* g() { for (;;) yield [] } const [first, ...rest] = g() }"),
    ("arguments of an endless generator", "async () => { function* g() { for (;;) yield {} } Math.max(...g()) }"),
    ("errors with their stacks", "async () => { const a = []; for (;;) a.push(new Error('x'.repeat(100))) }"),
    ("weak references", "async () => { const a = []; for (;;) { const o = {}; a.push(o, new WeakRef(o)) } }"),
    (
        "entries of a registry",
        "async () => { const r = new FinalizationRegistry(() => {}), a = []; for (;;) { const o = {}; a.push(o); r.register(o, [1]) } }",
    ),
    ("proxies of proxies", "async () => { let p = {}; for (;;) p = new Proxy(p, {}) }"),
    ("a linked list", "async () => { let l = null; for (;;) l = { l, n: 1 } }"),
    ("parts of a long split", "async () => 'a'.repeat(8e6).split('').length"),
    ("JSON parsed", "async () => JSON.parse('[' + '[],'.repeat(3e6) + '0]').length"),
    (
        "JSON written",
        "async () => { const o = { s: 'x'.repeat(1e6) }; return JSON.stringify(Array(200).fill(o)).length }",
    ),
    ("dates", "async () => { const a = []; for (;;) a.push(new Date(0)) }"),
)

_PROMISES = (
    ("promises that are kept", "async () => { const a = []; for (;;) a.push(new Promise(() => {})) }"),
    ("callbacks of one promise", "async () => { const p = new Promise(() => {}); for (;;) p.then(() => 1) }"),
    ("an array in a then", "async () => Promise.resolve().then(() => { const a = []; for (;;) a.push({}) })"),
    (
        "a string in a then",
        "async () => Promise.resolve().then(() => { const a = []; for (;;) a.push('x'.repeat(1e6)) })",
    ),
    ("after an await", "async () => { await null; const a = []; for (;;) a.push([{}]) }"),
    ("after a host call", "async () => { await connecta.call('a.b'); const a = []; for (;;) a.push([{}]) }"),
    ("in a catch", "async () => { try { await Promise.reject(1) } catch { const a = []; for (;;) a.push({}) } }"),
    ("in a finally", "async () => Promise.resolve(1).finally(() => { const a = []; for (;;) a.push({}) })"),
    ("in a thenable", "async () => ({ then() { const a = []; for (;;) a.push({}) } })"),
    ("in an executor", "async () => new Promise(() => { const a = []; for (;;) a.push({}) })"),
    (
        "in queueMicrotask",
        "async () => { queueMicrotask(() => { const a = []; for (;;) a.push({}) }); await new Promise(() => {}) }",
    ),
    (
        "caught and waited for nothing",
        "async () => { const a = []; try { for (;;) a.push({}) } catch { await new Promise(() => {}) } }",
    ),
    (
        "async functions in flight",
        "async () => { const a = []; for (;;) (async (x) => { a.push(x); await new Promise(() => {}) })('x'.repeat(1e5) + a.length) }",
    ),
    (
        "microtasks that double",
        "async () => { const f = (x) => { for (let i = 0; i < 2; i++) { const y = Array(1000).fill(x); queueMicrotask(() => f(y)) } }; f(0); await new Promise(() => {}) }",
    ),
    (
        "async functions that double",
        "async () => { const f = async (x) => { await null; await Promise.all([f(Array(1000).fill(x)), f(Array(1000).fill(x))]) }; await f(0) }",
    ),
    ("all of too many", "async () => Promise.all(Array.from({ length: 3e5 }, async (_, i) => [i]))"),
    (
        "an async generator queued upon",
        "async () => { async function* g() { await new Promise(() => {}) } const i = g(); for (;;) i.next() }",
    ),
    (
        "many calls that fail unheard",
        "async () => { const a = []; for (let i = 0; i < 20; i++) connecta.call('x'.repeat(100)); for (;;) a.push({}) }",
    ),
)

_READING = (
    ("a getter of the result", "async () => ({ get a() { const a = []; for (;;) a.push({}) } })"),
    ("toJSON of the result", "async () => ({ toJSON() { return 'x'.repeat(2 ** 29) } })"),
    ("a result too long to write", "async () => Array(1000).fill('x'.repeat(1e6))"),
    ("the message of what is thrown", "async () => { throw { get message() { const a = []; for (;;) a.push({}) } } }"),
    ("an argument of a call", "async () => connecta.call('a.b', Array(1000).fill('x'.repeat(1e6)))"),
    (
        "thrown with a full heap",
        "async () => { const a = []; try { for (;;) a.push({}) } catch (e) { globalThis.a = a; throw e } }",
    ),
    (
        "its own error from a full heap",
        "async () => { const a = []; globalThis.a = a; try { for (;;) a.push([]) } catch { throw null } }",
    ),
)

PROGRAMS: tuple[Hostile, ...] = (
    *(fails(f"memory: {name}", "run_memory", program, says="64 MiB") for name, program in _THINGS),
    *(fails(f"memory in promises: {name}", "run_memory", program) for name, program in _PROMISES),
    *(fails(f"memory in reading: {name}", "run_memory", program) for name, program in _READING),
    fails(
        "memory: its error made by hand from one that was caught",
        "run_memory",
        "async () => { try { new ArrayBuffer(1e9) } catch (e) { throw Object.create(Object.getPrototypeOf(e), { message: { value: 'out of memory' } }) } }",
    ),
    fails(
        "memory with logs before",
        "run_memory",
        "async () => { console.log('so far'); const a = []; for (;;) a.push([]) }",
        logs="so far",
    ),
)
