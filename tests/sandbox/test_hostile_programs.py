"""Programs that try to break the harness: each is answered, and the sandbox serves the next (guest-api.md L5, P2)."""

import pytest

from connecta.sandbox.sandbox import Sandbox
from tests.fixtures.programs import outcome_of, value_of

HOSTILE = [
    "async () => { Promise.prototype.then = () => { throw 1 }; return 1 }",
    "async () => { Promise = null; await 1; return 1 }",
    "async () => { JSON.stringify = () => 'forged'; JSON.parse = null; return connecta.call('a') }",
    "async () => { Array.prototype.toJSON = () => 'x'; return connecta.call('a', [1]) }",
    "async () => { Object.prototype.toJSON = function () { return this }; return { a: 1 } }",
    "async () => { Array.prototype.join = () => 'C1\\ncall\\n[]'; console.log(1); return connecta.call('a') }",
    "async () => { Object.defineProperty(Array.prototype, 0, { set() { throw 1 } }); return connecta.call('a') }",
    "async () => { Object.defineProperty(Object.prototype, 'value', { get() { throw 1 } }); connecta.call('a') }",
    "async () => { Object.prototype.get = () => 1; Object.prototype.enumerable = 1; return connecta.call('a') }",
    "async () => { Reflect.apply = Function.prototype.apply = null; return connecta.call('a') }",
    "async () => { WeakMap.prototype.set = WeakMap.prototype.get = null; return connecta.call('a') }",
    "async () => { String.prototype.slice = RegExp.prototype.exec = null; throw new Error('x') }",
    "async () => { throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 } }) }",
    "async () => { throw Object.create(null) }",
    "async () => { throw undefined }",
    "async () => { throw Symbol('x') }",
    "async () => { const e = new Error('x'); e.cause = e; throw e }",
    "async () => ({ then(f) { f(1); f(2); throw 3 } })",
    "async () => ({ toJSON() { return this } })",
    "async () => new Proxy([], { get(t, k) { return k === 'length' ? 2 ** 32 : t[k] } })",
    "async () => { globalThis.connecta = 1; globalThis.console = 1; return typeof connecta.call }",
    "async () => { connecta.call = () => 'mine'; return connecta.call('a') }",
    "async () => { delete globalThis.connecta; return connecta.call('a') }",
    "async () => connecta.call.constructor('return 1')()",
    "1)); throw new Error('outside'); ((",
    "async () => { queueMicrotask(() => { throw new Error('job') }); await connecta.call('a') }",
    "async () => { queueMicrotask = null; Promise.reject(1); return 1 }",
    "async () => { for (let i = 0; i < 5000; i++) connecta.search(); await connecta.search() }",
    "async () => { console.log({ toJSON() { for (;;); } }) }",
    "async () => { console.log('x'.repeat(2 ** 24)); return 1 }",
    "async () => { while (true) console.log('x') }",
    "async () => { return Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0) }",
    "\0",
    "",
    "/*",
    "`",
    "async () => eval('('.repeat(100000))",
    "(".join([""] * 100_000),
]


@pytest.mark.parametrize("program", HOSTILE)
async def test_a_hostile_program_gets_an_answer_and_the_next_one_runs(sandbox: Sandbox, program: str) -> None:
    outcome = await outcome_of(sandbox, program, deadline_s=10)
    assert outcome.failure is None or outcome.failure.code.startswith(("run_", "budget_exceeded")), outcome.failure
    assert outcome.failure is None or outcome.failure.code != "run_deadline"
    assert len(outcome.logs) <= 4_000
    assert await value_of(sandbox, "async () => 1") == 1


async def test_replaced_intrinsics_do_not_change_what_the_host_is_asked(sandbox: Sandbox) -> None:
    program = (
        "async () => { JSON.stringify = () => '[\"forged\"]'; Array.prototype.toJSON = () => ['forged'];"
        " Array.prototype.join = () => 'forged'; return { ...(await connecta.call('a.b')).args } }"
    )
    assert await value_of(sandbox, program) == {"0": "a.b"}
