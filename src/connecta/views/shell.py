"""The Apps shell: one static document that shows a program's view in any MCP Apps host (U5, U6).

It is a constant, so serving it reads no file. It speaks the host's protocol (MCP Apps, 2026-01-26) and passes
nothing on: the payload sits in a frame of its own, without an origin, without a network and without a channel to
the host, and the one thing taken from it is a number. Hosts cache it by its URI: new bytes need a new version, and
a version once released is served for ever.
"""

import json
from typing import Final

from connecta.text import JsonObject
from connecta.views.prelude import PRELUDE, PRELUDE_HASH

SHELL_URI: Final = "ui://connecta/program-ui/v1"
SHELL_MIME: Final = "text/html;profile=mcp-app"

_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; media-src data:; "
    "form-action 'none'; base-uri 'none'; frame-src 'none'"
)


def _script_text(value: str) -> str:
    """``value`` as a JavaScript string that cannot end the script it stands in."""
    return json.dumps(value).replace("</", "<\\/").replace("<!--", "<\\!--")


_SCRIPT: Final = """(() => {
  "use strict";
  const PRELUDE = $PRELUDE, PRELUDE_HASH = $PRELUDE_HASH, POLICY = $POLICY;
  const RETRY_MS = 500, NOTHING_CAME_MS = 30000, MOST_HEIGHT = 4000, DEAD_BAND = 4, GROWTH_STEPS = 8;
  const host = window.parent, line = document.getElementById("line"), waiting = new Map();
  let context = {}, capabilities = {}, lastId = 0, initialized = false, settled = false, closed = false;
  let html = null, frame = null, reported = 0, sent = 0, growth = 0, nothingCame;

  // --- the host's protocol: JSON-RPC over postMessage
  const post = (message) => { if (!closed) host.postMessage({ jsonrpc: "2.0", ...message }, "*"); };
  const request = (method, params) => new Promise((resolve, reject) => {
    waiting.set(++lastId, { resolve, reject });
    post({ id: lastId, method, params });
  });

  addEventListener("message", (event) => {
    // The payload: a height, and nothing else whatever it says.
    if (frame && event.source === frame.contentWindow) return fit(event.data);
    // Only the host may speak the protocol. Its origin is not pinned: hosts use "null" and schemes of their own.
    const message = event.data;
    if (event.source !== host || !message || message.jsonrpc !== "2.0") return;
    if (message.method === undefined) return answered(message);
    if (message.method === "ui/notifications/tool-result") return result(message.params || {});
    if (message.method === "ui/notifications/tool-cancelled") return settle("The call was cancelled.");
    if (message.method === "ui/notifications/host-context-changed") return adopt(message.params || {});
    if (message.id === undefined) return;
    if (message.method === "ping") return post({ id: message.id, result: {} });
    if (message.method === "ui/resource-teardown") {
      post({ id: message.id, result: {} });
      closed = true;
      clearTimeout(nothingCame);
      if (frame) frame.remove();
      return;
    }
    post({ id: message.id, error: { code: -32601, message: "Method not found" } });
  });

  const answered = (message) => {
    const pending = waiting.get(message.id);
    if (!pending) return;
    waiting.delete(message.id);
    if (message.error) pending.reject(message.error); else pending.resolve(message.result || {});
  };

  const initialize = () => {
    if (initialized || closed) return;
    request("ui/initialize", {
      appInfo: { name: "connecta", version: "1" },
      appCapabilities: { availableDisplayModes: ["inline"] },
      protocolVersion: "2026-01-26",
    }).then((answer) => {
      if (initialized) return;
      initialized = true;
      capabilities = answer.hostCapabilities || {};
      adopt(answer.hostContext || {});
      post({ method: "ui/notifications/initialized", params: {} });
      size();
      if (!settled) nothingCame = setTimeout(() => say("Nothing has arrived for this view yet."), NOTHING_CAME_MS);
    }, () => {});
    setTimeout(initialize, RETRY_MS);
  };

  // --- what there is to show: the first result decides
  const result = (given) => {
    if (settled) return;
    const delivered = payload(given);
    if (delivered !== null) return show(delivered);
    const view = viewId(given);
    if (view === null) return vanish();
    settled = true;
    clearTimeout(nothingCame);
    // This host stripped the payload. The answer to a call of our own arrives whole.
    if (!capabilities.serverTools) return say("This app does not pass views on. The answer says the same in words.");
    request("tools/call", { name: "get_result", arguments: { id: view } }).then((kept) => {
      const fetched = payload(kept);
      if (fetched === null) throw kept;
      show(fetched);
    }).catch(() => say("This view is no longer kept. The answer says the same in words."));
  };
  const payload = (given) => {
    const delivered = given && given._meta && given._meta["connecta/ui"];
    return delivered && typeof delivered.html === "string" && delivered.html ? delivered.html : null;
  };
  const viewId = (given) => {
    const envelopes = [given.structuredContent];
    for (const block of Array.isArray(given.content) ? given.content : [])
      if (block && block.type === "text") try { envelopes.push(JSON.parse(block.text)); } catch {}
    for (const envelope of envelopes)
      if (envelope && /^v_[\\w-]{22}$/.test(envelope.view)) return envelope.view;
    return null;
  };
  const settle = (text) => { if (!settled) { settled = true; clearTimeout(nothingCame); say(text); } };
  const say = (text) => { line.textContent = text; line.hidden = false; size(); };
  const vanish = () => {
    settled = true;
    clearTimeout(nothingCame);
    document.documentElement.className = "gone";
    size();
  };
  const show = (given) => { settled = true; clearTimeout(nothingCame); html = given; render(); };

  // --- the payload's frame: sandboxed, offline, without an origin
  const render = () => {
    if (frame) frame.remove();
    const own = frame = document.createElement("iframe");
    own.setAttribute("sandbox", "allow-scripts");
    own.setAttribute("referrerpolicy", "no-referrer");
    own.title = "View";
    reported = growth = 0;
    let loads = 0;
    own.addEventListener("load", () => {
      if (++loads < 2 || own !== frame) return;
      // The document we wrote loads once. A second load is another document.
      own.remove();
      frame = null;
      say("The view tried to leave this page and was closed. The answer says the same in words.");
    });
    own.srcdoc = wrapped(html);
    line.hidden = true;
    document.body.append(own);
  };
  const wrapped = (given) => {
    const scripted = /<script|\\son\\w+\\s*=|javascript:/i.test(given);
    const scripts = scripted
      ? "script-src 'unsafe-inline'; require-trusted-types-for 'script'; trusted-types default"
      : "script-src 'sha256-" + PRELUDE_HASH + "'; require-trusted-types-for 'script'; trusted-types default";
    const inert = given
      .replace(/<(\\/?)(iframe|frameset|frame|object|embed|portal|fencedframe)\\b/gi, "<$1x-$2")
      .replace(/<link\\b/gi, "<x-link");
    return '<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="' + POLICY + "; "
      + scripts + '"><style>' + look() + "</style><script>" + PRELUDE + "<\\/script>" + inert;
  };
  const dark = () => context.theme === "dark"
    || (context.theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  const look = () => {
    const variables = Object.entries((context.styles && context.styles.variables) || {})
      .filter(([name, value]) => /^--[\\w-]+$/.test(name) && typeof value === "string" && !/[<>{};]/.test(value))
      .map(([name, value]) => name + ":" + value + ";").join("");
    return ":root{color-scheme:" + (dark() ? "dark" : "light") + ";" + variables + "}"
      + "body{margin:0;font:14px/1.5 var(--font-sans,system-ui,sans-serif);"
      + "color:var(--color-text-primary,CanvasText);background:transparent}";
  };

  // --- looking at home
  const adopt = (given) => {
    const before = look();
    context = { ...context, ...given };
    const root = document.documentElement.style, inset = context.safeAreaInsets || {};
    root.colorScheme = dark() ? "dark" : "light";
    for (const [name, value] of Object.entries((context.styles && context.styles.variables) || {}))
      if (name.startsWith("--") && typeof value === "string") root.setProperty(name, value);
    document.body.style.padding = ["top", "right", "bottom", "left"]
      .map((side) => Math.max(0, Number(inset[side]) || 0) + "px").join(" ");
    // color-scheme inside the frame is fixed when its document is written.
    if (frame && look() !== before) render();
    size();
  };

  // --- height: follows the content, up to the host's bound, and never in a circle
  const bound = () => {
    const container = context.containerDimensions || {};
    const most = Number(container.height) || Number(container.maxHeight) || MOST_HEIGHT;
    return Math.min(Math.max(most, 1), MOST_HEIGHT);
  };
  const fit = (height) => {
    if (typeof height !== "number" || !Number.isFinite(height) || !frame) return;
    const wanted = Math.min(Math.max(Math.round(height), 1), bound());
    if (Math.abs(wanted - reported) <= DEAD_BAND) return;
    // A payload as tall as its frame plus a margin would grow for ever.
    growth = wanted > reported ? growth + 1 : 0;
    if (growth > GROWTH_STEPS) return;
    reported = wanted;
    frame.style.height = wanted + "px";
    size();
  };
  let queued = false;
  const size = () => {
    if (queued || !initialized) return;
    queued = true;
    setTimeout(() => {
      queued = false;
      const gone = document.documentElement.className === "gone";
      const height = gone ? 1 : Math.ceil(document.body.getBoundingClientRect().height);
      if (height < 1 || Math.abs(height - sent) <= (gone ? 0 : DEAD_BAND)) return;
      sent = height;
      post({ method: "ui/notifications/size-changed", params: { height } });
    }, 16);
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => adopt({}));
  new ResizeObserver(size).observe(document.body);
  initialize();
})();"""

_HTML: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Connecta view</title>
<meta http-equiv="Content-Security-Policy" content="$POLICY; script-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark">
<style>
html, body { margin: 0; background: transparent; }
p { margin: 0; padding: 8px 0; font: 14px/1.5 var(--font-sans, system-ui, sans-serif);
  color: var(--color-text-secondary, GrayText); }
iframe { display: block; width: 100%; height: 0; border: 0; }
.gone body { height: 1px; padding: 0 !important; overflow: hidden; }
.gone p { display: none; }
</style>
</head>
<body>
<p id="line" role="status">Waiting for the view …</p>
<script>
$SCRIPT
</script>
</body>
</html>
"""

SHELL_HTML: Final = _HTML.replace("$POLICY", _POLICY).replace(
    "$SCRIPT",
    _SCRIPT.replace("$PRELUDE_HASH", _script_text(PRELUDE_HASH))
    .replace("$PRELUDE", _script_text(PRELUDE))
    .replace("$POLICY", _script_text(_POLICY)),
)

SHELLS: Final = {SHELL_URI: SHELL_HTML}
"""Every shell ever released, by its URI."""


def tool_meta() -> JsonObject:
    """``_meta`` of the tool whose results the shell shows; the flat key is deprecated and still read by some hosts."""
    return {"ui": {"resourceUri": SHELL_URI, "visibility": ["model"]}, "ui/resourceUri": SHELL_URI}


def shell_contents(uri: str) -> JsonObject | None:
    """One entry of ``resources/read``'s contents, or ``None`` for a URI that is not a shell of ours."""
    html = SHELLS.get(uri)
    if html is None:
        return None
    return {"uri": uri, "mimeType": SHELL_MIME, "text": html, "_meta": {"ui": {"prefersBorder": False}}}
