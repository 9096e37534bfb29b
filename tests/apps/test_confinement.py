"""What a hostile payload can reach from its frame: nothing of the host, and no network.

Defence in depth, tried in one browser: what holds here is not proof for another.
"""

from dataclasses import replace

from connecta.views.shell import SHELL_HTML
from tests.apps.canary import listening_canary
from tests.apps.driver import NONE, Driver, Scenario, Until
from tests.apps.payloads import SHOWN, VIEW, payload, trying

IMPERSONATION = """
  const asked = [
    { jsonrpc: "2.0", id: 1, method: "ui/message", params: { role: "user", content: [{ type: "text", text: "x" }] } },
    { jsonrpc: "2.0", id: 2, method: "ui/open-link", params: { url: "https://example.com/" } },
    { jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "get_result", arguments: { id: "v_x" } } },
  ];
  const fed = [
    { jsonrpc: "2.0", method: "ui/notifications/tool-cancelled", params: {} },
    { jsonrpc: "2.0", method: "ui/notifications/tool-result", params: { content: [] } },
    { jsonrpc: "2.0", method: "ui/notifications/host-context-changed", params: { theme: "dark" } },
    { jsonrpc: "2.0", id: 9, method: "ui/resource-teardown", params: {} },
  ];
  for (const message of [...asked, ...fed]) {
    parent.postMessage(message, "*");
    parent.parent.postMessage(message, "*");
    top.postMessage(message, "*");
  }
"""

HEIGHTS = """
  for (const height of ["900", { height: 900 }, NaN, Infinity, -5, null, [900], 1e9]) parent.postMessage(height, "*");
  await new Promise((resolve) => setTimeout(resolve, 100));
"""

LEAKS = """
  const http = "http://127.0.0.1:$TCP/", child = "new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:$UDP' }] })";
  const framed = "<script>" + child + "<" + "/script>";
  const loaded = (element, name) => new Promise((resolve, reject) => {
    element.addEventListener("load", () => resolve("loaded"));
    element.addEventListener("error", () => reject(new Error(name)));
    document.body.append(element);
  });
  await attempt("fetch", () => fetch(http + "fetch", { mode: "no-cors" }).then(() => "sent"));
  await attempt("image", () => loaded(Object.assign(new Image(), { src: http + "image" })));
  await attempt("script", () => loaded(Object.assign(document.createElement("script"), { src: http + "script" })));
  await attempt("style", () => loaded(Object.assign(document.createElement("link"),
    { rel: "stylesheet", href: http + "style" })));
  await attempt("beacon", () => navigator.sendBeacon(http + "beacon") && "queued");
  await attempt("socket", () => new Promise((resolve, reject) => {
    const socket = new WebSocket("ws://127.0.0.1:$TCP/");
    socket.onopen = () => resolve("open");
    socket.onerror = () => reject(new Error("refused"));
  }));
  await attempt("events", () => new Promise((resolve, reject) => {
    new EventSource(http + "events").onerror = () => reject(new Error("refused"));
  }));
  await attempt("worker", () => new Worker("data:text/javascript,fetch('" + http + "worker')") && "started");
  await attempt("form", () => {
    const form = Object.assign(document.createElement("form"), { action: http + "form", method: "post" });
    document.body.append(form);
    form.submit();
    return "submitted";
  });
  await attempt("popup", () => String(window.open(http + "popup")));
  await attempt("rtc", async () => {
    const peer = new RTCPeerConnection({ iceServers: [
      { urls: "stun:127.0.0.1:$UDP" },
      { urls: "turn:127.0.0.1:$TCP?transport=tcp", username: "u", credential: "p" },
    ] });
    peer.createDataChannel("d");
    await peer.setLocalDescription(await peer.createOffer());
    return "offered";
  });
  await attempt("rtc of a child", () => {
    const frame = document.createElement("iframe");
    document.body.append(frame);
    return typeof frame.contentWindow.RTCPeerConnection;
  });
  await attempt("rtc of a written child", () => {
    const frame = document.createElement("iframe");
    frame.srcdoc = framed;
    document.body.append(frame);
    return "framed";
  });
"""
