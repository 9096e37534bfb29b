"""Programs that say, ask or emit more than anybody reads. The bounds they meet are the parent's (L4, L8, R5, M5)."""
# ruff: noqa: E501 - a program is one line of its table

from tests.sandbox.hostile.model import Hostile, fails, gives

CUT = "… [logs cut at 4,000 characters]"


def _cut(text: str) -> str:
    return text[: 4_000 - len(CUT) - 1] + "\n" + CUT


LINES = "\n".join(["x" * 99] * 50)
CODES = "const codes = {}; const note = (k) => { codes[k] = (codes[k] ?? 0) + 1 };"
CALLS = f"{CODES} const one = async () => {{ try {{ await ASK; note('ok') }} catch (e) {{ note(e.code) }} }};"


def _calls(ask: str, count: int, *, at_once: bool) -> str:
    how = f"await Promise.all(Array.from({{ length: {count} }}, one))"
    if not at_once:
        how = f"for (let i = 0; i < {count}; i++) await one()"
    return f"async () => {{ {CALLS.replace('ASK', ask)} {how}; return codes }}"


NOTE = "connecta.call('desk.read_note', { id: 'a' })"
PROGRAMS: tuple[Hostile, ...] = (
    gives("logs: many lines", "async () => { for (let i = 0; i < 9999; i++) console.log('x'.repeat(99)) }", None, logs=_cut(LINES)),
    gives("logs: one endless line", "async () => { console.log('x'.repeat(2 ** 22)) }", None, logs=_cut("x" * 4_000)),
    gives("logs: many endless lines", "async () => { for (let i = 0; i < 9; i++) console.log('x'.repeat(1e6)) }", None, logs=_cut("x" * 4_000)),
    gives("logs: exactly the bound", "async () => { console.log('x'.repeat(4000)) }", None, logs="x" * 4_000),
    gives("logs: one more than the bound", "async () => { console.log('x'.repeat(4001)) }", None, logs=_cut("x" * 4_001)),
    gives("logs: empty lines", "async () => { for (let i = 0; i < 5000; i++) console.log() }", None, logs=_cut("\n" * 4_001)),
    gives("logs: many arguments", "async () => { console.log(...Array(5000).fill('ab')) }", None, logs=_cut("ab " * 2_000)),
    gives("logs: NUL and lone surrogates", "async () => { console.log('\\0', 'a\\0b', '\\ud800') }", None, logs="\0 a\0b \ufffd"),
    gives("logs: characters of four bytes", "async () => { for (let i = 0; i < 5000; i++) console.log('😀') }", None, logs=_cut("😀\n" * 2_001)),
    gives("logs: every level floods alike", "async () => { for (let i = 0; i < 3000; i++) for (const l of ['warn', 'error', 'info']) console[l](i) }", None),
    gives("logs: after what cannot be shown", "async () => { console.log({ toJSON() { throw 1 }, toString() { throw 2 } }); console.log('next') }", None, logs="[a value that cannot be shown]\nnext"),
    gives("logs: of a cycle", "async () => { const a = {}; a.a = a; console.log(a) }", None, logs="[object Object]"),
    gives("logs: of a revoked proxy", "async () => { const r = Proxy.revocable({}, {}); r.revoke(); console.log(r.proxy) }", None, logs="[a value that cannot be shown]"),
    gives("logs: what looks like a frame", "async () => { console.log('D0 {\"result\":1}\\nE crash') }", None, logs='D0 {"result":1}\nE crash'),
    fails("logs: endlessly", "run_cpu", "async () => { for (;;) console.log('x') }", logs=_cut("x\n" * 2_001)),
    fails("logs: then memory", "run_memory", "async () => { console.log('so far'); const a = []; for (;;) a.push('x'.repeat(1e5) + a.length) }", logs="so far"),
    fails("logs: then a throw of nothing", "run_error", "async () => { console.log('so far'); throw null }", logs="so far"),
    fails("logs: from a microtask, then a stall", "run_stalled", "async () => { queueMicrotask(() => console.log('late')); await new Promise(() => {}) }", logs="late"),
    fails("logs: then a result that is none", "run_result", "async () => { console.log('so far'); return 1n }", logs="so far"),
    gives("calls: fifty are made and the others refused", _calls(NOTE, 60, at_once=False), {"ok": 50, "budget_exceeded": 10}, host="desk"),
    gives("calls: refused as well when all are made at once", _calls(NOTE, 60, at_once=True), {"ok": 50, "budget_exceeded": 10}, host="desk"),
    gives("calls: failures count", _calls("desk.nothing()", 60, at_once=False), {"unknown_tool": 50, "budget_exceeded": 10}, host="desk"),
    gives("calls: discovery counts", _calls("connecta.search({ query: 'note' })", 55, at_once=False), {"ok": 50, "budget_exceeded": 5}, host="desk"),
    gives("calls: a thousand in all", _calls("connecta.call('a.b')", 1_100, at_once=True), {"ok": 1_000, "budget_exceeded": 100}),
    fails("calls: three thousand at once", "budget_exceeded", "async () => { await Promise.all(Array.from({ length: 3000 }, () => connecta.search())) }"),
    fails("calls: without waiting for any", "budget_exceeded", "async () => { for (let i = 0; i < 5000; i++) connecta.search(); await connecta.search() }"),
    fails("calls: a loop that asks and never waits", "run_cpu", "async () => { for (;;) connecta.call('a.b') }"),
    fails("calls: asked with all the heap", "run_memory", "async () => { const s = 'x'.repeat(1e6), kept = []; for (;;) { connecta.call('a.b', s); kept.push(new Uint8Array(4e6)) } }"),
    gives("calls: batches too long", _calls("connecta.batch(Array(11).fill({ address: 'desk.flaky' }))", 3, at_once=True), {"invalid_args": 3}, host="desk"),
    gives("calls: a batch of nothing", _calls("connecta.batch([])", 1, at_once=True), {"invalid_args": 1}, host="desk"),
    gives("emit: thirty-two are taken", _calls("connecta.emit({ type: 'text', text: 'x' })", 40, at_once=True), {"ok": 32, "budget_exceeded": 8}, host="desk"),
    gives("emit: four megabytes are taken", _calls("connecta.emit({ type: 'text', text: 'x'.repeat(1.9e6) })", 4, at_once=False), {"ok": 2, "budget_exceeded": 2}, host="desk"),
    gives("emit: control characters cost what they weigh", _calls("connecta.emit({ type: 'text', text: '\\u0001'.repeat(4e5) })", 3, at_once=False), {"ok": 1, "budget_exceeded": 2}, host="desk"),
    gives("emit: spends no call", f"async () => {{ for (let i = 0; i < 32; i++) await connecta.emit({{ type: 'text', text: 'x' }}); let n = 0; for (; n < 50; n++) await {NOTE}; return n }}", 50, host="desk"),
    gives("emit: refused a thousand times", _calls("connecta.emit(1)", 990, at_once=True), {"invalid_args": 990}, host="desk"),
    gives("ui: one view stands", _calls("connecta.ui('<p>')", 3, at_once=True), {"ok": 1, "invalid_args": 2}, host="desk"),
    gives("ui: too large a view", _calls("connecta.ui('x'.repeat(3999999))", 2, at_once=False), {"result_too_large": 2}, host="desk"),
)  # fmt: skip
