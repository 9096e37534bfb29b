// The same HTML without a host, a shell or a policy: what a browser does with it on its own.
import { createServer } from "node:http";

const WAIT_MS = 20_000;

let kept, beside;

/** Opens `html` as a page of its own, or `framed` as a `srcdoc` in one; comes to `{ text, height }` once `until` is there. */
export async function plain(browser, { html, framed, until, width, permissions }) {
  await closeKept();
  const server = createServer((request, response) => {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
    response.end(request.url === "/" ? html : "");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const context = await browser.newContext({ viewport: { width, height: 900 }, permissions: permissions ?? [] });
  kept = { context, server };
  const page = await context.newPage();
  page.on("dialog", (dialog) => dialog.dismiss());
  await page.goto(`http://127.0.0.1:${server.address().port}/`, { waitUntil: "commit" });
  if (framed !== undefined) await page.evaluate(put, { framed, width });
  if (until === undefined) return { text: "", height: 0 };
  const frame = framed === undefined ? page.mainFrame() : page.frames()[1];
  const there = ({ text, whole }) =>
    document.body?.innerText.includes(text) && (!whole || document.readyState === "complete");
  await frame.waitForFunction(there, { text: until, whole: framed !== undefined }, { timeout: WAIT_MS });
  return frame.evaluate(() => ({
    text: document.body?.innerText ?? "",
    height: document.documentElement.scrollHeight,
  }));
}

/** What was opened last stays open until here, so that what it sends has the time it takes. */
async function closeKept() {
  const { context, server } = kept ?? {};
  kept = undefined;
  await context?.close();
  server?.closeAllConnections();
  await new Promise((resolve) => (server ? server.close(resolve) : resolve()));
}

function put({ framed, width }) {
  const frame = document.createElement("iframe");
  frame.style.cssText = `display: block; border: 0; width: ${width}px; height: 1px`;
  frame.srcdoc = framed;
  document.body.replaceChildren(frame);
}

/** From a page beside all others: whatever another page sent before this is heard no later. It too stays open. */
export async function sendLast(browser, ports) {
  await beside?.close();
  beside = await browser.newPage();
  await beside.evaluate(async (to) => {
    const peer = new RTCPeerConnection({ iceServers: [{ urls: `stun:127.0.0.1:${to.packet}` }] });
    peer.createDataChannel("last");
    const found = new Promise((resolve) => peer.addEventListener("icecandidate", resolve));
    await peer.setLocalDescription();
    await found;
    await fetch(`http://127.0.0.1:${to.request}/`, { mode: "no-cors" });
  }, ports);
}
