const lab = document.getElementById("lab");
const PATIENCE_MS = 1500;

function add(tag, attributes = {}) {
  const element = document.createElement(tag);
  lab.append(element);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

function send(method, url, later) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, url, later);
    request.onload = () => resolve("sent");
    request.onerror = () => reject(new Error("refused"));
    request.send();
    if (!later) resolve("sent");
  });
}

const blob = (text, type = "text/javascript") => URL.createObjectURL(new Blob([text], { type }));

// WebRTC obeys no content security policy: a packet to whom it takes for its STUN server.
function talk({ RTCPeerConnection: Peer }, port) {
  const peer = new Peer({ iceServers: [{ urls: `stun:127.0.0.1:${port}` }] });
  peer.createDataChannel("d");
  peer.setLocalDescription();
}

function relay({ RTCPeerConnection: Peer }, port) {
  const urls = `turn:127.0.0.1:${port}?transport=tcp`;
  const peer = new Peer({ iceServers: [{ urls, username: "secret", credential: "x" }] });
  peer.createDataChannel("d");
  peer.setLocalDescription();
}

// A document that has what the prelude took from this one. In pieces, for a filter that looks for whole words.
const code = (port) => `(${talk})(window, ${port})`;
const page = (port) => `<p>page</p><scr` + `ipt>${code(port)}</scr` + `ipt>`;
const quoted = (text) => text.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
const frame = (port) => `<ifr` + `ame srcdoc="${quoted(page(port))}"></ifr` + `ame>`;
const xhtml = (html) => html.replace(/ srcdoc/, ' xmlns="http://www.w3.org/1999/xhtml" srcdoc');

async function tryAll(tries, said) {
  if (document.readyState !== "complete") await new Promise((resolve) => addEventListener("load", resolve));
  const outcomes = await Promise.all(tries.map(async ([name, act]) => {
    const late = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS, "waits"));
    try {
      return `${name}: ${await Promise.race([act(), late])}`;
    } catch (error) {
      return `${name}: ${error?.name ?? error}`;
    }
  }));
  document.getElementById("out").textContent = [said, ...outcomes].join("\n");
}

// --- For what speaks as someone else

const windows = () => [parent, parent.parent, top];
const everywhere = (given) => { for (const to of windows()) for (const each of given) to.postMessage(each, "*"); };
const deep = (levels) => Array.from({ length: levels }).reduce((inside) => [inside], []);
const messages = () => METHODS.map((method, index) => ({
  jsonrpc: "2.0",
  method,
  ...(method.includes("notifications/") ? {} : { id: index + 1 }),
  params: {
    name: "get_result", arguments: { id: "v_x" }, url: "https://example.com/", mode: "fullscreen", theme: "dark",
    height: 3000, width: 3000, role: "user", content: [{ type: "text", text: "forged" }], html: "<h1>forged</h1>",
    uri: "ui://connecta/program-ui/v1", reason: "forged", protocolVersion: "2026-01-26", appCapabilities: {},
    appInfo: { name: "forged", version: "1" }, level: "error", data: "forged",
  },
}));
