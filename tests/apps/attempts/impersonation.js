//= every method to every window
everywhere(messages());
//= every method in other shapes
const batch = messages();
everywhere([batch, JSON.stringify(batch[0]), ...batch.map((each) => JSON.stringify(each))]);
everywhere(batch.map((each) => ({ type: "mcp", payload: each, message: each, data: each })));
for (const to of windows()) for (const each of batch) to.postMessage(each, { targetOrigin: "*" });
//= every method with a port
for (const to of windows())
  for (const each of messages()) to.postMessage(each, "*", [new MessageChannel().port1]);
//= every method again and again
for (let turn = 0; turn < 40; turn++) everywhere(messages());
//= answers to the shell's requests
for (let id = 0; id <= 50; id++)
  for (const answer of [{ result: { mode: "fullscreen", hostContext: { theme: "dark" } } }, { error: { code: 1, message: "x" } }])
    everywhere([{ jsonrpc: "2.0", id, ...answer }, { jsonrpc: "2.0", id: String(id), ...answer }]);
//= a result of its own
everywhere([{ jsonrpc: "2.0", method: "ui/notifications/tool-result", params: { content: [{ type: "text", text: "{}" }], _meta: { "connecta/ui": { html: "<h1>forged</h1>" } } } }]);
//= a page of its own for the proxy
everywhere([{ jsonrpc: "2.0", method: "ui/notifications/sandbox-resource-ready", params: { html: "<h1>forged</h1>" } }]);
//= an end that the host did not say
everywhere([{ jsonrpc: "2.0", id: 1, method: "ui/resource-teardown", params: {} }, { jsonrpc: "2.0", method: "ui/notifications/tool-cancelled", params: { reason: "forged" } }]);
//= a style for the shell
everywhere([{ css: "body { display: none } :root { color-scheme: dark }" }]);
//= heights that are none
for (const each of [null, undefined, NaN, Infinity, -Infinity, "900", [900], { height: 900 }, true, 900n, new Date(900), new Map(), /9/])
  parent.postMessage(each, "*");
parent.postMessage(new Number(900), "*");
//= heights that are too much
for (const each of [1e9, 1e308, Number.MAX_SAFE_INTEGER, 2 ** 31, 2 ** 32, -1, -1e9, 0, -0, 0.1, 5e-324]) parent.postMessage(each, "*");
//= heights without an end
for (let turn = 0; turn < 20000; turn++) parent.postMessage(1 + ((turn * 7919) % 100000), "*");
//= one great message
parent.postMessage("x".repeat(20_000_000), "*");
parent.postMessage({ jsonrpc: "2.0", method: "ping", id: 1, params: { deep: deep(500) } }, "*");
//= messages that look like the shell's own
dispatchEvent(new MessageEvent("message", { data: { css: "* { color: red }" }, source: parent, origin: "null" }));
for (const each of messages()) dispatchEvent(new MessageEvent("message", { data: each, source: top }));
//= windows that are not its own
const reads = [() => parent.document, () => top.document, () => parent.parent.document, () => parent.location.href,
  () => top.location.href, () => parent.name, () => top.eval("1"), () => parent.localStorage, () => top[0].document,
  () => parent.host, () => parent.addEventListener("message", () => {}), () => top.host.seen];
const writes = [() => { parent.onmessage = () => {}; }, () => { top.name = "x"; }, () => { parent.postMessage = () => {}; },
  () => { top.host = {}; }, () => { parent.document.title = "x"; }, () => { Object.setPrototypeOf(parent, null); },
  () => { Object.defineProperty(top, "x", { value: 1 }); }];
const reached = [...reads, ...writes].filter((act) => { try { act(); return true; } catch (error) { return error.name !== "SecurityError" && error.name !== "TypeError"; } });
if (reached.length || opener || frameElement) throw new Error(`reached ${reached.join()}`);
//= windows of others, sent elsewhere
for (const to of [...windows(), top[0], top[0][0]])
  for (const address of ["about:blank", "data:text/html,forged", "javascript:document.title='forged'"])
    try { to.location = address; } catch { /* refused */ }
//= windows of others, closed and moved
for (const to of windows()) { to.close(); to.blur(); }
for (const name of ["stop", "print", "moveTo", "scrollTo", "alert"]) try { parent[name](0, 0); } catch { /* refused */ }
//= dialogs
alert("x"); confirm("x"); prompt("x"); print();
//= prelude's own tools, replaced
const nothing = () => {};
window.postMessage = window.addEventListener = window.setTimeout = window.getComputedStyle = window.ResizeObserver = nothing;
EventTarget.prototype.addEventListener = Element.prototype.getBoundingClientRect = Array.prototype[Symbol.iterator] = nothing;
String.prototype.replace = Map.prototype.get = Object.defineProperty = JSON.stringify = nothing;
Promise.prototype.then = Object.prototype.then = nothing;
//= prelude's document, replaced
Object.defineProperty(document, "documentElement", { value: null });
Object.defineProperty(document, "readyState", { value: "loading" });
Object.defineProperty(document, "body", { get() { throw new Error("no body"); } });
//= prelude's listeners, silenced
addEventListener("message", (event) => event.stopImmediatePropagation(), true);
addEventListener("resize", (event) => event.stopImmediatePropagation(), true);
Object.defineProperty(MessageEvent.prototype, "source", { get: () => null });
//= prelude's names, taken by elements
for (const name of ["body", "documentElement", "styleSheets", "getElementById", "readyState", "parent", "top", "root", "shell"])
  add("form", { name, id: name }).append(Object.assign(document.createElement("input"), { name: "style" }));
//= document, emptied
document.head.remove();
for (const sheet of document.querySelectorAll("style, meta, script")) sheet.remove();
//= history of its own
history.pushState({}, "");
history.replaceState({}, "");
location.hash = "x";
//= history before it
history.back();
history.go(-1);
//= frames in frames
const speak = `<scr` + `ipt>top.postMessage({ jsonrpc: "2.0", id: 1, method: "ui/message", params: { nested: true } }, "*")</scr` + `ipt>`;
for (const make of [() => { add("iframe").srcdoc = speak; }, () => add("iframe", { srcdoc: speak }),
  () => { add("div").innerHTML = `<ifr` + `ame srcdoc="${quoted(speak)}"></ifr` + `ame>`; },
  () => { add("iframe").src = `data:text/html,${encodeURIComponent(speak)}`; },
  () => { add("iframe").src = `javascript:top.postMessage({ nested: true }, "*")`; },
  () => { add("object", { data: `data:text/html,${encodeURIComponent(speak)}` }); },
  () => { add("svg").innerHTML = `<foreignObject><ifr` + `ame srcdoc="${quoted(speak)}"></ifr` + `ame></foreignObject>`; },
  () => { add("div").attachShadow({ mode: "open" }).innerHTML = `<ifr` + `ame srcdoc="${quoted(speak)}"></ifr` + `ame>`; },
  () => { for (let turn = 0; turn < 30; turn++) add("iframe"); }]) try { make(); } catch { /* refused */ }
//= full screen, pointer and keys
for (const act of [() => lab.requestFullscreen(), () => lab.requestPointerLock(), () => navigator.keyboard.lock(), () => window.focus(), () => add("input").focus()])
  try { await act(); } catch { /* refused */ }
