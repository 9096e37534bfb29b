"""The ``usage`` guide: what a model needs to write a program that works the first time."""

from typing import Final

USAGE: Final = """# Writing programs for execute_code

A program is one async arrow function expression in plain JavaScript. What it returns is the answer.

```js
async () => {
  const { tools } = await connecta.search({ query: "list orders", includeSchemas: "compact" });
  const [orders, docs] = await Promise.all([
    connecta.call("shop.list_orders", { status: "open" }),
    connecta.call("docs.search", { query: "refund policy" }),
  ]);
  return { open: orders.length, policy: docs[0]?.title };
}
```

## Finding tools
- `connecta.search({ query?, connector?, safety?, limit?, offset?, fullDescriptions?, includeSchemas? })` returns one
  flat page: `{ tools: [{ address, name, description, inputSchema, … }], total, hasMore, nextOffset? }`.
  `safety: "readOnly"` lists exactly what a program may call.
- `connecta.describe({ addresses: […], format: "compact" | "json" })` returns `{ tools }` in the order asked.

## Calling tools
- `connecta.call("connector.tool", { … })` resolves to the tool's value, unwrapped. `connector.tool({ … })` is the same.
- `connecta.batch([{ address, args }, …])` makes 1 to 10 calls at once and never rejects for one of them: each outcome
  is `{ address, ok: true, data }` or `{ address, ok: false, error, errorDetails }`.
- Only tools marked read-only can be called here. Everything else fails with `destructive_tool_requires_approval`:
  make that call yourself with `call_destructive_tool`, so that the person can see it.

## When a call fails
It throws an Error with `code`, `retryable` and `details`. Repair what the code says (`invalid_args` lists findings,
`unknown_tool` suggests addresses); retry only what is `retryable`; an `auth_required` leads to `authorize_connector`.

## Output
- Return the smallest answer that is enough: 24,000 characters at most.
- `connecta.emit({ type: "image", data, mimeType })` (or audio, or `{ type: "text", text }`) adds a block to the answer.
- `connecta.ui(html)` shows the person one self-contained HTML view, once a run: no network, images as `data:` URLs.
  You do not see it, so return the summary it shows.
- `console.log(…)` is returned as `logs`, at most 4,000 characters.

## Limits
50 host calls, 10 calls a batch, 15 s each, 25 s and 1 s of CPU in all, 64 MiB. No fetch, timers, require, import,
process; no state between runs.
"""
