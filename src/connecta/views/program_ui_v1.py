"""The Apps shell, version 1, as released: hosts cache it by its URI, so its bytes never change again.

The shell is the one party that speaks to the host. The program's HTML stands in a frame inside it that can reach
neither the host nor the network. An improvement is a new module and a new version segment (U5); this one stays.

What keeps the inner frame in, beside its sandbox: a policy in both documents (the frame inherits the shell's), a
prelude that runs before the first byte of the program's HTML, and HTML without static nested frames and links.
WebRTC obeys no policy, so the prelude removes it; a nested document would bring it back, so nothing may make one.
That is defence in depth, never proof.
"""

import base64
import hashlib
from typing import Final

_POLICY: Final = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; media-src data:; "
    "font-src data:; frame-src 'none'; form-action 'none'; base-uri 'none'"
)

_PRELUDE: Final = r"""
"use strict";
(() => {
  const shell = parent;
  const root = document.documentElement;
  const theme = document.currentScript.previousElementSibling;
  const gone = { value: undefined, writable: false, configurable: false };
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "RTCDataChannel", "XSLTProcessor"])
    Object.defineProperty(window, name, gone);
  // Every string that would become markup comes by here. An unnamed sink may be any, so it is refused.
  window.trustedTypes?.createPolicy("default", {
    createHTML(html, type, sink) {
      if (!sink || /srcdoc|write/i.test(sink) || /srcdoc|<!entity/i.test(html))
        throw new TypeError("A view makes no nested documents.");
      return html;
    },
    createScript: (script) => script,
  });
  // A library's own policy would be refused; without trustedTypes it works with plain strings.
  Object.defineProperty(window, "trustedTypes", gone);

  function measure() {
    const kept = root.style.height, { body } = document;
    root.style.height = "max-content"; // height: 100% would measure the frame, not what is in it
    const natural = Math.max(root.getBoundingClientRect().height, body.offsetTop + body.scrollHeight);
    root.style.height = kept;
    const scrollbar = root.scrollWidth > root.clientWidth ? innerHeight - root.clientHeight : 0;
    return Math.ceil(natural) + scrollbar;
  }
  let later;
  function report() {
    const state = document.readyState, height = state === "loading" ? 0 : measure();
    if (height || state === "complete") shell.postMessage(height, "*"); // 0 before that: not laid out yet
    // What the shell gives no room for scrolls in here; until that is known a scrollbar would flicker.
    clearTimeout(later);
    later = setTimeout(() => (root.style.overflowY = measure() > innerHeight + 4 ? "auto" : "hidden"), 400);
  }
  addEventListener("DOMContentLoaded", () => {
    report();
    const boxes = new ResizeObserver(report);
    boxes.observe(root);
    boxes.observe(document.body);
    new MutationObserver(report).observe(document.body, { childList: true, characterData: true, subtree: true });
  });
  addEventListener("load", report, true);
  addEventListener("resize", report);
  addEventListener("message", (event) => {
    if (event.source !== shell || typeof event.data?.css !== "string") return;
    theme.textContent = event.data.css;
    report(); // this also says that the document is still the one that was put here
  });
  // Following a link would replace the view with nothing.
  addEventListener("click", (event) => {
    const href = event.target.closest?.("a[href], area[href]")?.getAttribute("href");
    if (href === undefined) return;
    event.preventDefault();
    if (href.startsWith("#")) document.getElementById(href.slice(1))?.scrollIntoView();
  });
})();
"""

_BASE_STYLE: Final = r"""
:where(html) { overflow-y: hidden; background: transparent; color: var(--color-text-primary, CanvasText);
  font: 14px/1.5 var(--font-sans, system-ui, sans-serif); overflow-wrap: break-word; }
:where(body) { margin: 0; padding: 4px; }
:where(h1, h2, h3, h4) { margin: 0 0 .5em; line-height: 1.25; font-weight: 600; }
:where(h1) { font-size: 1.4em; } :where(h2) { font-size: 1.2em; } :where(h3, h4) { font-size: 1em; }
:where(p, ul, ol, dl, table, figure, pre, blockquote) { margin: 0 0 .75em; }
:where(body > :last-child) { margin-bottom: 0; }
:where(table) { border-collapse: collapse; font-variant-numeric: tabular-nums; }
:where(th, td) { padding: .35em .7em .35em 0; text-align: start; vertical-align: top;
  border-bottom: 1px solid var(--color-border-primary, color-mix(in srgb, CanvasText 18%, transparent)); }
:where(th) { font-weight: 600; } :where(th, td):where(:last-child) { padding-inline-end: 0; }
:where(img, svg, video, canvas) { max-width: 100%; } :where(img, video) { height: auto; }
:where(code, pre, kbd) { font-family: var(--font-mono, ui-monospace, monospace); font-size: .93em; }
:where(pre) { overflow-x: auto; } :where(button, input, select, textarea) { font: inherit; }
"""

_DOCUMENT: Final = r"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta id="policy" http-equiv="Content-Security-Policy" content="POLICY_TEXT">
<meta name="color-scheme" content="light dark">
<meta name="viewport" content="width=device-width">
<title>View</title>
<style id="theme"></style>
<style>
html { background: transparent; font: 14px/1.5 var(--font-sans, system-ui, sans-serif);
  color: var(--color-text-secondary, color-mix(in srgb, CanvasText 65%, transparent)); }
body { margin: 0; min-height: 1px; }
iframe { display: block; width: 100%; height: 1px; border: 0; }
[hidden] { display: none !important; }
#note { margin: 0; padding: 4px; }
#waiting { padding: 10px 4px; display: grid; gap: 10px; }
#waiting i { width: 78%; height: 10px; border-radius: 5px; background: currentColor; opacity: .14; }
#waiting i:first-child { width: 32%; } #waiting i:last-child { width: 64%; }
@media (prefers-reduced-motion: no-preference) {
  #waiting { animation: breathe 1.6s ease-in-out infinite alternate; }
  @keyframes breathe { to { opacity: .5; } }
}
</style>
</head>
<body>
<div id="waiting" role="status" aria-label="Waiting for the view"><i></i><i></i><i></i></div>
<p id="note" role="status" hidden></p>
<script type="text/plain" id="prelude">PRELUDE_TEXT</script>
<script type="text/plain" id="base-style">BASE_STYLE</script>
<script>
"use strict";
(() => {
  const host = window.parent;
  const root = document.documentElement;
  const element = (id) => document.getElementById(id);
  const note = element("note"), waiting = element("waiting");
  const WAIT_MS = 30000, FETCH_MS = 15000, ALIVE_MS = 5000;
  const MOST_HEIGHT = 4000, SAME_PX = 4, BURST_MS = 250, BURST_STEPS = 3;

  let context = {};         // the host's, as far as it has said
  let capabilities = {};
  let greeted = false;      // the host has answered ui/initialize
  let settled = false;      // a result came: the first one counts
  let ended = false;        // the host has torn this view down
  let frame = null;

  const INSTEAD = "The answer says the same in words.";

  // --- JSON-RPC with the host

  const post = (message) => host.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const unanswered = new Map();
  let lastId = 0;

  const request = (method, params) => new Promise((resolve, reject) => {
    unanswered.set(++lastId, { resolve, reject });
    post({ id: lastId, method, params });
  });

  // A host may begin to listen after this runs, so the greeting is repeated until it is answered.
  function greet(pause) {
    if (greeted || ended) return;
    request("ui/initialize", {
      appInfo: { name: "connecta-program-ui", version: "1" },
      appCapabilities: { availableDisplayModes: ["inline"] },
      protocolVersion: "2026-01-26",
    }).then(welcome, () => {});
    setTimeout(greet, pause, Math.min(pause * 2, 4000));
  }

  let patience;
  function welcome(answer) {
    if (greeted || ended) return;
    greeted = true;
    capabilities = answer?.hostCapabilities ?? {};
    takeContext(answer?.hostContext);
    post({ method: "ui/notifications/initialized", params: {} });
    reportSize();
    new ResizeObserver(reportSize).observe(root);
    patience = setTimeout(() => settled || waiting.hidden || say("Nothing has arrived for this view yet."), WAIT_MS);
  }

  const handlers = {
    "ping": () => ({}),
    "ui/resource-teardown": () => { ended = true; clearTimeout(patience); dropFrame(); return {}; },
    "ui/notifications/host-context-changed": takeContext,
    "ui/notifications/tool-input": takeInput,
    "ui/notifications/tool-result": takeResult,
    "ui/notifications/tool-cancelled": () => settled || say("The call was cancelled."),
  };

  addEventListener("message", (event) => {
    if (frame && event.source === frame.contentWindow) return takeHeight(event.data);
    // By source, never by origin: hosts live at "null" and under schemes of their own.
    if (event.source !== host || event.data?.jsonrpc !== "2.0") return;
    const { id, method, params, result, error } = event.data;
    if (method === undefined) {
      const waiter = unanswered.get(id);
      unanswered.delete(id);
      return error ? waiter?.reject(error) : waiter?.resolve(result);
    }
    const handle = Object.hasOwn(handlers, method) ? handlers[method] : undefined;
    const answer = ended && method.startsWith("ui/notifications/") ? undefined : handle?.(params ?? {});
    if (id === undefined) return;
    post(handle ? { id, result: answer ?? {} } : { id, error: { code: -32601, message: "Method not found" } });
  });

  // --- What the host says

  function takeContext(changed) {
    context = { ...context, ...changed };
    element("theme").textContent = themeCss();
    const insets = context.safeAreaInsets ?? {};
    const sides = ["top", "right", "bottom", "left"].map((side) => `${Math.max(0, Number(insets[side]) || 0)}px`);
    document.body.style.padding = sides.join(" ");
    passTheme();
    if (asked) pending ??= setTimeout(applyHeight, 30); // the host may give more room now, or less
  }

  // To the view as it stands: rendering it again would lose what a person did in it.
  const passTheme = () => frame?.contentWindow.postMessage({ css: viewCss() }, "*");
  // A view that follows its frame always overflows it by one step, in which there is nothing to scroll to.
  const viewCss = () => themeCss() + (echo && asked < mostHeight() ? " html { overflow-y: hidden !important; }" : "");

  // prefers-color-scheme follows the browser, not the host: the scheme is always said.
  function themeCss() {
    const scheme = ["light", "dark"].includes(context.theme) ? context.theme : "light dark";
    const plain = ([name, value]) => /^--[\w-]{1,80}$/.test(name) && /^[^;{}<>\\]{1,300}$/.test(value);
    const variables = Object.entries(context.styles?.variables ?? {}).filter(plain);
    return `:root { color-scheme: ${scheme}; ${variables.map(([name, value]) => `${name}: ${value};`).join(" ")} }`;
  }

  // Code that never says "ui" shows nothing: nothing is there to wait for.
  function takeInput({ arguments: input }) {
    if (!settled && typeof input?.code === "string" && !/\bui\b/.test(input.code)) showNothing();
  }

  async function takeResult(result) {
    if (settled) return;
    settled = true;
    clearTimeout(patience);
    const view = viewId(result);
    let html = payload(result);
    if (html === undefined) {
      if (view === undefined) return showNothing();
      html = await fetchView(view); // this host keeps _meta from its views
    }
    if (ended) return;
    if (html === undefined) say(`The view could not be loaded. ${INSTEAD}`);
    else render(html);
  }

  function payload(result) {
    const html = result?._meta?.["connecta/ui"]?.html;
    return typeof html === "string" ? html : undefined;
  }

  // The envelope is the first block; blocks after it are the program's own and are not believed.
  function viewId(result) {
    try {
      const { view } = JSON.parse(result.content[0].text);
      return typeof view === "string" ? view : undefined;
    } catch {
      return undefined;
    }
  }

  async function fetchView(id) {
    if (!capabilities.serverTools) return undefined;
    const late = new Promise((resolve) => setTimeout(resolve, FETCH_MS));
    try {
      return payload(await Promise.race([request("tools/call", { name: "get_result", arguments: { id } }), late]));
    } catch {
      return undefined;
    }
  }

  // --- What stands here: the waiting bars, one line, nothing, or the program's view

  function say(line) {
    dropFrame();
    waiting.hidden = true;
    note.hidden = false;
    note.textContent = line;
    reportSize();
  }

  function showNothing() {
    dropFrame();
    waiting.hidden = note.hidden = true;
    reportSize();
  }

  function dropFrame() {
    frame?.remove();
    frame = null;
  }

  // Nothing but the HTML and the host's colours goes in: no id, no result, no token.
  function render(html) {
    const nested = /<(\/?)(i?frame|frameset|object|embed|portal|fencedframe)/gi;
    const still = html.replace(/http-equiv/gi, "data-was"); // no refresh, no policy and no prefetching of its own
    const tame = still.replace(nested, "<$1x-$2").replace(/<link/gi, "<meta data-was=link");
    const mine = frame = document.createElement("iframe");
    mine.setAttribute("sandbox", "allow-scripts");
    mine.setAttribute("referrerpolicy", "no-referrer");
    mine.title = "View";
    mine.srcdoc = innerHead(/<script/i.test(html)) + tame;
    let loads = 0, alive;
    const gone = () => mine === frame && say(`The view left its page and was removed. ${INSTEAD}`);
    mine.addEventListener("load", () => {
      if (++loads > 1) return gone();
      // A view that left before it had loaded loads once, too. But then nothing of ours is in there to answer.
      alive = setTimeout(gone, ALIVE_MS);
      stillThere = () => clearTimeout(alive);
      passTheme();
    });
    document.body.append(mine);
  }

  // HTML without a script needs none, and gets a policy under which nothing but the prelude runs.
  function innerHead(scripted) {
    const policy = element("policy").content;
    const strict = policy.replace("script-src 'unsafe-inline'", "script-src 'sha256-PRELUDE_HASH'");
    const types = "require-trusted-types-for 'script'; trusted-types default";
    return `<!doctype html><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${scripted ? policy : strict}; ${types}">
<meta http-equiv="x-dns-prefetch-control" content="off"><meta name="viewport" content="width=device-width">
<style>${element("base-style").textContent}</style><style>${themeCss()}</style>
<script>${element("prelude").textContent}<\/script>`;
  }

  // --- Heights. A view that sizes itself by its frame grows with every answer: that has to end.

  let stillThere = () => {};
  let asked = 0, pending;
  let last = {}, steps = 0, grownAt = 0, mostSteps = BURST_STEPS, testing = false, echo = 0;

  function takeHeight(height) {
    if (typeof height !== "number" || !Number.isFinite(height)) return;
    stillThere();
    asked = Math.max(Math.ceil(height), 1);
    pending ??= setTimeout(applyHeight, 30);
  }

  function applyHeight() {
    pending = undefined;
    if (!frame) return;
    const height = frame.offsetHeight;
    let wanted = Math.min(asked, mostHeight());
    if (!waiting.hidden || !note.hidden) waiting.hidden = note.hidden = true;
    else if (testing) { if (onlyEcho(wanted, height)) return; }
    else if (wanted < height - SAME_PX) echo = 0;
    else if (wanted <= height + SAME_PX || Math.abs(wanted - height - echo) <= 1) return;
    else if (tooManySteps()) wanted = last.height;
    else last = { height, wanted };
    frame.style.height = `${wanted}px`;
    reportSize();
  }

  // After a few steps in a row the last one is taken back. Does the view then want what it wanted there before, it only
  // follows its own frame, and that step is refused from now on. Otherwise it really grew.
  function tooManySteps() {
    const now = performance.now();
    steps = now - grownAt > BURST_MS ? 1 : steps + 1;
    grownAt = now;
    return testing = steps > mostSteps;
  }

  function onlyEcho(wanted, height) {
    testing = false;
    steps = 0;
    if (Math.abs(wanted - last.wanted) > 1) {
      mostSteps *= 2;
      return false;
    }
    echo = wanted - height;
    passTheme();
    return true;
  }

  // What the host shows of this document at most: beyond it the view scrolls in its own frame.
  function mostHeight() {
    const { height, maxHeight } = context.containerDimensions ?? {};
    const room = Number(height) || Number(maxHeight) || MOST_HEIGHT;
    return Math.min(Math.max(room, 1), MOST_HEIGHT);
  }

  let reported = 0;
  function reportSize() {
    if (!greeted || ended) return;
    const height = Math.max(1, Math.ceil(root.getBoundingClientRect().height));
    if (height === reported || (height > 1 && Math.abs(height - reported) <= SAME_PX)) return;
    reported = height;
    post({ method: "ui/notifications/size-changed", params: { height } });
  }

  greet(250);
})();
</script>
</body>
</html>
"""


def _hash(script: str) -> str:
    """The CSP source of an inline script, without its quotes and its ``sha256-``."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


PROGRAM_UI_V1: Final = (
    _DOCUMENT.replace("POLICY_TEXT", _POLICY)
    .replace("PRELUDE_TEXT", _PRELUDE)
    .replace("BASE_STYLE", _BASE_STYLE)
    .replace("PRELUDE_HASH", _hash(_PRELUDE))
)
