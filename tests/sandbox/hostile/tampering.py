"""Programs that replace what the harness might rely on, or reach for what is behind it."""
# ruff: noqa: E501 - a program is one line of its table

from connecta.text import Json
from tests.sandbox.hostile.model import Hostile, fails, gives

CALL = "return (await connecta.call('a.b', [1])).args"
ARGS: list[Json] = ["a.b", [1]]

_REPLACED = (
    ("Promise.prototype.then", "Promise.prototype.then = () => { throw 1 };"),
    ("Promise and its functions", "Promise.resolve = Promise.all = null; Promise = null;"),
    ("Promise's species", "Object.defineProperty(Promise, Symbol.species, { get() { throw 1 } });"),
    ("JSON", "JSON.stringify = () => '[\"forged\"]'; JSON.parse = null; JSON = null;"),
    ("Reflect", "Reflect.apply = Reflect.get = null; Reflect = null;"),
    ("Function.prototype.apply and call", "Function.prototype.apply = Function.prototype.call = Function.prototype.bind = null;"),
    ("WeakMap's methods", "WeakMap.prototype.get = WeakMap.prototype.set = null;"),
    ("toJSON of every object", "Object.prototype.toJSON = Array.prototype.toJSON = function () { return this };"),
    ("toJSON of primitives", "String.prototype.toJSON = Number.prototype.toJSON = function () { return this.valueOf() };"),
    ("Array.prototype.join", "Array.prototype.join = () => 'C1\\ncall\\n[]';"),
    ("array iteration", "Array.prototype[Symbol.iterator] = () => { throw 1 };"),
    ("the prototype of iterators", "Object.getPrototypeOf([][Symbol.iterator]()).next = () => ({ done: true });"),
    ("reading index 0 of every array", "Object.defineProperty(Array.prototype, 0, { set() {}, get() { return 'forged' } });"),
    ("descriptor fields", "Object.prototype.get = () => 1; Object.prototype.enumerable = true; Object.prototype.value = 1;"),
    ("members of answers", "Object.defineProperty(Object.prototype, 'resolve', { get() { throw 1 } });"),
    ("then of every object", "Object.prototype.call = Object.prototype.reject = () => 'forged';"),
    ("String's methods", "String.prototype.slice = String.prototype.toWellFormed = String.prototype.replace = null;"),
    ("RegExp's methods", "RegExp.prototype.exec = RegExp.prototype.test = null; RegExp.prototype[Symbol.replace] = null;"),
    ("the flags of RegExp", "Object.defineProperty(RegExp.prototype, 'flags', { get() { throw 1 } });"),
    ("Object's functions", "for (const k of Object.getOwnPropertyNames(Object)) try { Object[k] = null } catch {}"),
    ("Symbol.iterator of strings", "String.prototype[Symbol.iterator] = null; Symbol = null;"),
    ("Error and its capture", "Error.captureStackTrace = null; Error.stackTraceLimit = 0; Error = null;"),
    ("eval", "globalThis.eval = () => { throw 1 };"),
    ("queueMicrotask", "globalThis.queueMicrotask = null;"),
    ("console's names", "globalThis.console = { log() { throw 1 } };"),
    ("a connector's global", "globalThis.docs = null;"),
    ("members of connecta", "try { connecta.call = () => 'forged' } catch {} try { delete connecta.call } catch {}"),
    ("the prototype of connecta", "try { Object.setPrototypeOf(connecta, { call: 1 }) } catch {} try { connecta.__proto__ = {} } catch {}"),
    ("properties of a function of connecta", "try { connecta.call.apply = null; connecta.call.x = 1 } catch {}"),
    ("the frozen Object.prototype", "Object.freeze(Object.prototype); Object.freeze(Array.prototype); Object.freeze(Promise.prototype);"),
    ("prototypes by null", "try { Object.setPrototypeOf(Array.prototype, null); Object.setPrototypeOf(Function.prototype, null) } catch {}"),
    ("every global's value", "for (const k of Object.getOwnPropertyNames(globalThis)) if (k !== 'connecta') try { globalThis[k] = null } catch {}"),
)  # fmt: skip

DELETING = "for (const k of Reflect.ownKeys(globalThis)) if (KEEP) try { delete globalThis[k] } catch {}"
METHODS = (
    "const all = [Object, Array, Function, Promise, String, RegExp, WeakMap, Error, Number], keys = Reflect.ownKeys;"
    "for (let i = 0; i < all.length; i++) { const o = all[i].prototype, k = keys(o);"
    " for (let j = 0; j < k.length; j++) try { delete o[k[j]] } catch {} }"
)

_SEEN: tuple[tuple[str, str, Json], ...] = (
    ("no harness function is among the globals", "async () => Object.keys(globalThis).sort()", ["connecta", "docs"]),
    (
        "a function of connecta has no source",
        "async () => /native|\\.\\.\\.args/.test(connecta.call + '') && !/waiting|queue|post/.test(connecta.call + '')",
        True,
    ),
    ("caller is not to be had", "async () => { const f = function () { return f.caller ?? null }; try { return f() } catch { return null } }", None),
    (
        "the function constructor reaches only globals",
        "async () => { try { return connecta.call.constructor('return typeof waiting + typeof post + typeof state')() } catch (e) { return e.name } }",
        "undefinedundefinedundefined",
    ),
    (
        "prepareStackTrace is not called",
        "async () => { let n = 0; Error.prepareStackTrace = (e, s) => { n++; return s }; try { connecta.nothing() } catch (e) { e.stack } return n }",
        0,
    ),
    (
        "prepareStackTrace defined anew is not called",
        "async () => { let n = 0; try { Object.defineProperty(Error, 'prepareStackTrace', { value: () => { n++ } }) } catch {}"
        " try { connecta.call(1n) } catch (e) { e.stack } return n }",
        0,
    ),
    ("a stack trace holds text only", "async () => typeof new Error('x').stack", "string"),
    ("performance is gone", "async () => [typeof performance, typeof std, typeof os, typeof bjson, typeof print]", [*["undefined"] * 5]),
    ("import.meta is no way out", "async () => { try { return eval('import.meta') } catch (e) { return e.name } }", "SyntaxError"),
    ("the global this of a plain function", "async () => (function () { return this === globalThis })()", True),
    ("a proxy of globalThis as its prototype", "async () => { try { Object.setPrototypeOf(globalThis, new Proxy({}, { get() { return 1 } })) } catch {} return typeof connecta }", "object"),
)  # fmt: skip

PROGRAMS: tuple[Hostile, ...] = (
    *(gives(f"replaced: {name}", f"async () => {{ {how} {CALL} }}", ARGS) for name, how in _REPLACED),
    gives(
        "deleted: every global but connecta",
        f"async () => {{ {DELETING.replace('KEEP', 'k !== `connecta`')} {CALL} }}",
        ARGS,
    ),
    gives("deleted: every global", f"async () => {{ const keep = connecta; {DELETING.replace('KEEP', 'true')} return typeof keep.call }}", "function"),
    gives("deleted: every method of the intrinsics", f"async () => {{ {METHODS} return 'still here' }}", "still here"),
    fails("deleted: every global, then a throw", "run_error", f"async () => {{ {DELETING.replace('KEEP', 'true')} throw {{ message: 'bare' }} }}", says="bare"),
    fails("deleted: every method, then a throw", "run_error", f"async () => {{ {METHODS} throw {{ message: 'bare' }} }}", says="bare"),
    gives("replaced: Promise.prototype.constructor", "async () => { Promise.prototype.constructor = null; return 1 }", 1),
    fails("replaced: Promise.prototype.constructor, then an await", "run_error", f"async () => {{ Promise.prototype.constructor = null; {CALL} }}", says="not an object"),
    fails("replaced: what errors are made with", "run_error", "async () => { String.prototype.slice = RegExp.prototype.exec = null; throw new Error('plain') }", says="plain"),
    fails("replaced: the name of errors", "run_error", "async () => { Object.defineProperty(TypeError.prototype, 'name', { get() { throw 1 } }); null.x }", says="cannot be shown"),
    gives(
        "replaced: toJSON of every array forges the program's own arrays only",
        f"async () => {{ Array.prototype.toJSON = () => 'forged'; {CALL} }}",
        "forged",
    ),
    fails(
        "replaced: the setter of index 0",
        "run_error",
        f"async () => {{ Object.defineProperty(Array.prototype, 0, {{ set() {{ throw 1 }} }}); {CALL} }}",
    ),
    fails(
        "replaced: the setter of index 0, with a result to write",
        "run_result",
        "async () => { Object.defineProperty(Array.prototype, 0, { set() { throw 1 } }); return { a: 1 } }",
    ),
    *(gives(f"seen: {name}", program, value) for name, program, value in _SEEN),
)  # fmt: skip
