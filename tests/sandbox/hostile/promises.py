"""Promises and thenables that never settle, settle twice, or come by the thousand."""
# ruff: noqa: E501 - a program is one line of its table

from tests.sandbox.hostile.model import Hostile, fails, gives

_STALLED = (
    ("a promise nobody settles", "async () => new Promise(() => {})"),
    ("await of a promise nobody settles", "async () => { await new Promise(() => {}) }"),
    ("a thenable that never settles", "async () => ({ then() {} })"),
    ("a body that waits", "await new Promise(() => {});\nreturn 1"),
    ("all with one that hangs", "async () => Promise.all([1, new Promise(() => {})])"),
    ("race of nothing", "async () => Promise.race([])"),
    ("after a host call", "async () => { await connecta.call('a'); await new Promise(() => {}) }"),
    ("an async generator that hangs", "async () => { async function* g() { await new Promise(() => {}) } for await (const x of g()); }"),
    ("a promise that waits for itself", "async () => { let p; p = (async () => { await null; await p })(); await p }"),
    ("two promises that wait for each other", "async () => { let a, b; a = (async () => { await null; await b })(); b = (async () => { await a })(); await a }"),
    ("an executor that overflows", "async () => { const f = () => new Promise(f); await f() }"),
    ("Atomics.waitAsync without a notify", "async () => { const f = Atomics.waitAsync; await (f ? f(new Int32Array(new SharedArrayBuffer(8)), 0, 0).value : new Promise(() => {})) }"),
    ("a finalizer that never runs", "async () => new Promise((r) => new FinalizationRegistry(r).register({}, 1))"),
    ("then replaced after its capture", "async () => { Promise.prototype.then = function () { return this }; return new Promise(() => {}) }"),
)  # fmt: skip

PROGRAMS: tuple[Hostile, ...] = (
    *(fails(f"stalled: {name}", "run_stalled", program, says="0 host calls") for name, program in _STALLED),
    fails("stalled with logs before", "run_stalled", "async () => { console.log('so far'); await new Promise(() => {}) }", logs="so far"),
    gives("thenable: settles twice", "async () => ({ then(f, g) { f(1); f(2); g(3) } })", 1),
    gives("thenable: settles, then throws", "async () => ({ then(f) { f(1); throw 2 } })", 1),
    fails("thenable: throws at once", "run_error", "async () => ({ then() { throw new Error('at once') } })", says="at once"),
    fails("thenable: a getter that throws", "run_error", "async () => ({ get then() { throw new Error('getter') } })", says="getter"),
    fails("thenable: rejects with undefined", "run_error", "async () => ({ then(f, g) { g() } })", says="undefined"),
    gives("thenable: a function as the program that gives one", "() => ({ then(f) { f('plain') } })", "plain"),
    gives("thenable: nested a thousand times", "async () => { let t = 1; for (let i = 0; i < 1000; i++) { const u = t; t = { then(f) { f(u) } } } return t }", 1),
    gives("thenable: settles from a microtask later", "async () => ({ then(f) { queueMicrotask(() => queueMicrotask(() => f(7))) } })", 7),
    gives("promises: ten thousand at once", "async () => (await Promise.all(Array.from({ length: 1e4 }, async (_, i) => i))).length", 10_000),
    gives("promises: unhandled rejections", "async () => { for (let i = 0; i < 1000; i++) Promise.reject(new Error('x' + i)); await null; return 'fine' }", "fine"),
    gives("promises: a rejection handled late", "async () => { const p = Promise.reject(1); await null; await null; return p.catch((x) => x) }", 1),
    gives("promises: a resolve that comes after the end", "async () => { let r; const p = new Promise((f) => { r = f }); queueMicrotask(() => r(2)); return Promise.race([p, 1]) }", 1),
    fails("promises: any of rejections only", "run_error", "async () => Promise.any([Promise.reject(1), Promise.reject(2)])", says="AggregateError"),
    fails("promises: resolved with itself", "run_error", "async () => { let r; const p = new Promise((f) => { r = f }); r(p); return p }", says="self"),
    fails("promises: a microtask that throws", "run_error", "async () => { queueMicrotask(() => { throw new Error('job') }); await new Promise(() => {}) }", says="job"),
    gives("promises: a microtask that throws after the value", "async () => { Promise.resolve().then(() => { throw 1 }); return 'mine' }", "mine"),
    gives("promises: a subclass with its own then", "async () => { class P extends Promise { then(a, b) { return super.then((x) => a(x + 1), b) } } return P.resolve(1) }", 2),
    fails("promises: a subclass that breaks its construction", "run_error", "async () => { class P extends Promise { constructor() { super(() => {}); throw new Error('made') } } return P.resolve(1) }", says="made"),
    gives("promises: a call that is left open at the end", "async () => { connecta.call('a'); connecta.call('b'); return 1 }", 1),
    gives("promises: async iteration of rejections", "async () => { const seen = []; try { for await (const x of [1, Promise.reject(2)]) seen.push(x) } catch (e) { seen.push(e) } return seen }", [1, 2]),
    gives("promises: a host call's promise settled by nobody else", "async () => { const p = connecta.call('a'); p.resolve?.(1); return (await p).operation }", "call"),
    gives("promises: a settled program is over at once", "async () => { const f = () => queueMicrotask(f); f(); return 1 }", 1),
    gives("promises: a loop of awaits is left behind", "async () => { (async () => { for (;;) await null })(); return 1 }", 1),
    fails("promises: microtasks by the million", "run_cpu", "async () => { let n = 0; const f = () => { n++; queueMicrotask(f) }; f(); f(); await new Promise(() => {}) }"),
)  # fmt: skip
