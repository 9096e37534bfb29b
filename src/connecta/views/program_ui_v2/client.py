"""The shell's script: the host's protocol, the program's frame, and how tall it is."""

from typing import Final

CLIENT: Final = r"""
"use strict";
(() => {
  const host = parent;
  const root = document.documentElement;
  const element = (id) => document.getElementById(id);
  const note = element("note"), waiting = element("waiting"), bar = element("bar");
  const WAIT_MS = 10000, FETCH_MS = 15000, ALIVE_MS = 5000;
  const MOST_HEIGHT = 4000, SAME_PX = 4, BURST_MS = 500;
  const QUICK_MS = 30, SLOW_MS = 1000;
  const INSTEAD = "The answer says the same in words.";

  // The host's, as far as it has said.
  let context = {}, capabilities = {};
  // The host has answered ui/initialize.
  let greeted = false;
  // A result came: the first one counts, whatever comes after it.
  let settled = false;
  // The host has torn this view down.
  let ended = false;
  let frame = null;

  // --- JSON-RPC with the host

  const post = (message) => host.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const unanswered = new Map();
  let lastId = 0;

  // Comes to the host's answer, which has a result or an error.
  const request = (method, params) => new Promise((resolve) => {
    unanswered.set(++lastId, resolve);
    post({ id: lastId, method, params });
  });

  // A host may begin to listen after this runs, so the greeting is repeated until it is answered.
  function greet(pause) {
    if (greeted || ended) return;
    request("ui/initialize", {
      appInfo: { name: "connecta-program-ui", version: "2" },
      appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
      protocolVersion: "2026-01-26",
    }).then(({ result, error }) => error || welcome(result));
    setTimeout(greet, pause, Math.min(pause * 2, 4000));
  }

  let welcomed;
  const greeting = new Promise((resolve) => { welcomed = resolve; });

  // Every greeting may be answered; the first answer counts, so the host hears that this view is ready once.
  function welcome(answer) {
    if (greeted || ended) return;
    greeted = true;
    capabilities = answer?.hostCapabilities ?? {};
    takeContext(answer?.hostContext);
    post({ method: "ui/notifications/initialized", params: {} });
    reportSize();
    new ResizeObserver(reportSize).observe(root);
    bePatient();
    welcomed();
  }

  let patience;
  function bePatient() {
    clearTimeout(patience);
    patience = setTimeout(() => settled || waiting.hidden || say("Nothing has arrived for this view yet."), WAIT_MS);
  }

  const handlers = {
    __proto__: null,
    "ping": () => {},
    "ui/resource-teardown": () => { ended = true; dropFrame(); },
    "ui/notifications/host-context-changed": takeContext,
    "ui/notifications/tool-input-partial": bePatient,
    "ui/notifications/tool-input": takeInput,
    "ui/notifications/tool-result": takeResult,
    "ui/notifications/tool-cancelled": () => settled || say("The call was cancelled."),
  };

  addEventListener("message", (event) => {
    // The one thing that is ever taken from the program's frame.
    if (frame && event.source === frame.contentWindow) return takeHeight(event.data);
    // By source, never by origin: hosts live at "null" and under schemes of their own.
    if (event.source !== host || event.data?.jsonrpc !== "2.0") return;
    const { id, method, params } = event.data;
    if (typeof method !== "string") return unanswered.get(id)?.(event.data);
    const handle = handlers[method];
    if (!ended) handle?.(params ?? {});
    if (id === undefined) return;
    post(handle ? { id, result: {} } : { id, error: { code: -32601, message: "Method not found" } });
  });

  // --- What the host says

  function takeContext(changed) {
    const filled = fills();
    context = { ...context, ...changed };
    element("theme").textContent = themeCss();
    const insets = context.safeAreaInsets ?? {};
    document.body.style.padding =
      ["top", "right", "bottom", "left"].map((side) => positive(insets[side]) + "px").join(" ");
    passTheme();
    if (filled !== fills()) changeMode();
    showBar();
    // The host may give more room now, or less.
    if (asked && !testing) applyHeight();
  }

  // Any number a host may have said, and 0 for everything else it may have said instead.
  const positive = (said) => Math.max(0, Number(said)) || 0;

  // To the view as it stands: rendering it again would lose what a person did in it.
  const passTheme = () => frame?.contentWindow.postMessage({ css: viewCss() }, "*");
  // A view that follows its frame always overflows it by one step, in which there is nothing to scroll to.
  const viewCss = () => themeCss() + (echo && asked < room() ? " html { overflow-y: hidden !important; }" : "");

  // prefers-color-scheme follows the browser and not the host, so the scheme is always said. A host that says none is
  // taken to follow the browser.
  function themeCss() {
    const said = ["light", "dark"].includes(context.theme);
    const browser = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    const scheme = said ? context.theme : browser;
    const plain = ([name, value]) => /^--[\w-]{1,80}$/.test(name) && /^[^;{}<>\\]{1,300}$/.test(value);
    const variables = Object.entries(context.styles?.variables ?? {}).filter(plain);
    const set = variables.map((pair) => pair.join(":")).join(";");
    return `:root { --host-scheme: ${scheme}; color-scheme: ${scheme}; ${set} }`;
  }

  // Code that never says "ui" shows nothing: nothing is there to wait for.
  function takeInput({ arguments: input }) {
    bePatient();
    if (!settled && typeof input?.code === "string" && !/\bui\b/.test(input.code)) showNothing();
  }

  async function takeResult(result) {
    if (settled) return;
    settled = true;
    let html = payload(result);
    if (html === undefined) {
      const { ui, view } = envelope(result);
      if (ui === undefined && view === undefined) return showNothing();
      // This host keeps _meta from its views, or put something else in its place.
      html = await fetchView(view);
    }
    if (ended) return;
    if (html === undefined) say(`The view could not be loaded. ${INSTEAD}`);
    else render(html);
  }

  function payload(result) {
    const html = result?._meta?.["connecta/ui"]?.html;
    return html && typeof html === "string" ? html : undefined;
  }

  // The envelope is the first text; texts after it are the program's own and are not believed.
  function envelope(result) {
    try {
      return JSON.parse(result.content.find((block) => typeof block?.text === "string").text) ?? {};
    } catch {
      return {};
    }
  }

  // Through the host, as the person who may read it. What comes back arrives whole, even where results do not.
  async function fetchView(id) {
    const late = new Promise((resolve) => setTimeout(resolve, FETCH_MS));
    await Promise.race([greeting, late]);
    if (typeof id !== "string" || !capabilities.serverTools) return;
    const answer = await Promise.race([request("tools/call", { name: "get_result", arguments: { id } }), late]);
    return payload(answer?.result);
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
    showBar();
  }

  // Nothing but the HTML and the host's colours goes in: no id, no result, no token, no message of the host.
  function render(html) {
    // A document inside the view would have what the prelude took away. A tag's name ends at a space, / or > and
    // nowhere else, so a script may compare its i with links.length.
    const nested = /<(\/?)(i?frame|frameset|object|embed|portal|fencedframe)(?=[\s/>])/gi;
    // No refresh, no policy and no prefetching of its own. Where a tag ends cannot be told without parsing it, so the
    // attribute is looked for everywhere: only one that an = follows has a value.
    const tame = html.replace(/http-equiv(?=\s*=)/gi, "data-was").replace(nested, "<$1x-$2")
      .replace(/<link(?=[\s/>])/gi, "<meta data-was=link");
    const mine = frame = document.createElement("iframe");
    mine.setAttribute("sandbox", "allow-scripts");
    mine.referrerPolicy = "no-referrer";
    mine.title = "Program view";
    mine.srcdoc = innerHead(/<script/i.test(html)) + tame;
    let loads = 0, alive;
    const gone = () => mine === frame && say(`The view left its page and was removed. ${INSTEAD}`);
    mine.addEventListener("load", () => {
      // It is never given a second page, so it went there itself.
      if (++loads > 1) return gone();
      // A view that left before it had loaded loads once, too. But then nothing of ours is in there to answer.
      alive = setTimeout(gone, ALIVE_MS);
      stillThere = () => clearTimeout(alive);
      passTheme();
    });
    placed = false;
    bar.before(mine);
  }

  // HTML without a script needs none, and gets a policy under which nothing but the prelude runs.
  function innerHead(scripted) {
    const policy = element("policy").content;
    const strict = policy.replace("script-src 'unsafe-inline'", "script-src 'sha256-PRELUDE_HASH'");
    const types = "require-trusted-types-for 'script'; trusted-types default";
    return `<!doctype html><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${scripted ? policy : strict}; ${types}">
<meta http-equiv="x-dns-prefetch-control" content="off">
<style>${element("base-style").textContent}</style><style>${themeCss()}</style>
<script>${element("prelude").textContent}<\/script>`;
  }

  // --- Full screen: offered where the host offers it. Leaving it is the host's.

  const fills = () => context.displayMode === "fullscreen";

  function showBar() {
    const offered = [context.availableDisplayModes].flat().includes("fullscreen");
    bar.hidden = !(frame && placed && offered && !fills());
  }

  bar.addEventListener("click", () => {
    request("ui/request-display-mode", { mode: "fullscreen" }).then(({ result }) => {
      if (typeof result?.mode === "string") takeContext({ displayMode: result.mode });
      frame?.focus();
    });
  });

  // Back from the full screen a view gets the height it had. What it measured there may still be under way, so it is
  // heard again a little later, and asked anew.
  let inlineHeight = 1, returning;
  function changeMode() {
    if (!frame) return;
    steps = 0;
    testing = false;
    if (fills()) return inlineHeight = frame.offsetHeight;
    frame.style.height = `${inlineHeight}px`;
    asked = 0;
    pending = clearTimeout(pending);
    returning = setTimeout(() => { returning = 0; passTheme(); }, 200);
  }

  // --- Heights. A view that sizes itself by its frame grows with every answer: that has to end.

  let stillThere = () => {};
  // What the view asked for last, and whether it has been given any height yet.
  let asked = 0, placed = false, pending, moves = 0;
  let last = {}, steps = 0, grownAt = 0, mostSteps = 3, testing = false, echo = 0;

  function takeHeight(height) {
    if (!Number.isFinite(height)) return;
    stillThere();
    if (returning) return;
    asked = Math.max(Math.ceil(height), 1);
    if (!placed) applyHeight();
    // What a test is waiting for may come behind what the view said before it.
    else pending ??= setTimeout(applyHeight, testing ? 200 : moves < 40 ? QUICK_MS : SLOW_MS);
  }

  function applyHeight() {
    pending = clearTimeout(pending);
    if (!frame) return;
    const height = frame.offsetHeight;
    const first = !placed;
    if (first) {
      placed = waiting.hidden = note.hidden = true;
      showBar();
    }
    let wanted = Math.min(asked, room());
    if (fills()) wanted = room();
    else if (first) echo = 0;
    else if (testing) { if (onlyEcho(wanted, height)) return; }
    else if (wanted < height - SAME_PX) echo = 0;
    else if (wanted <= height + SAME_PX || Math.abs(wanted - height - echo) <= 1) return;
    else if (tooManySteps()) wanted = last.height;
    else last = { height, wanted };
    // A view may move 40 times in ten seconds. One that goes on moves once a second.
    if (!moves++) setTimeout(() => { moves = 0; }, 10000);
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

  // How tall the frame may be beside the insets and the bar: beyond it the view scrolls in its own frame. In the full
  // screen a host may still say the bound of before; what it gave this document is at least as true.
  function room() {
    const { height, maxHeight } = context.containerDimensions ?? {};
    const bound = positive(height) || (fills() ? Math.max(positive(maxHeight), innerHeight) : positive(maxHeight));
    const around = root.getBoundingClientRect().height - (frame?.offsetHeight ?? 0);
    return Math.max(1, Math.floor(Math.min(bound || MOST_HEIGHT, MOST_HEIGHT) - around));
  }

  addEventListener("resize", () => {
    if (fills() && placed) pending ??= setTimeout(applyHeight, QUICK_MS);
    reportSize();
  });

  let reported = 0, scrolling;
  function reportSize() {
    if (!greeted || ended) return;
    // Only a host that gives less than it said makes the shell scroll, and any host needs a moment to give more.
    clearTimeout(scrolling);
    scrolling = setTimeout(() => {
      root.style.overflowY = root.scrollHeight > innerHeight + SAME_PX ? "auto" : "hidden";
    }, 400);
    const height = Math.max(1, Math.ceil(root.getBoundingClientRect().height));
    if (height === reported || (height > 1 && Math.abs(height - reported) <= SAME_PX)) return;
    reported = height;
    post({ method: "ui/notifications/size-changed", params: { height } });
  }

  bePatient();
  greet(500);
})();
"""
