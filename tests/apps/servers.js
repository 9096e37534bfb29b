// The two origins of a host: its page (with a road to the server under test), and the sandbox proxy.
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

const SANDBOX_CSP =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "media-src 'self' data:; connect-src 'none'; frame-src 'none'; object-src 'none'; base-uri 'self'";
const PASSED_ON = ["content-type", "mcp-session-id", "www-authenticate"];

const file = (name) => readFileSync(new URL(`host/${name}`, import.meta.url));

/** Both servers on free ports; `violations` fills with the browser's reports against the sandbox's policy, `policy`. */
export async function openServers({ bundle, live, policy = SANDBOX_CSP }) {
  const violations = [];
  const page = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://host");
    if (pathname === "/mcp" && live) return forward(live, request, response);
    if (pathname === "/host.js") return send(response, "text/javascript", readFileSync(bundle));
    if (pathname === "/") return send(response, "text/html", file("page.html"), { "referrer-policy": "origin" });
    return response.writeHead(204).end();
  });
  const sandbox = createServer(async (request, response) => {
    if (request.url !== "/csp-report")
      return send(response, "text/html", file("sandbox.html"), {
        "content-security-policy": `${policy}; report-uri /csp-report`,
      });
    const report = JSON.parse(await text(request))["csp-report"];
    violations.push(`${report["effective-directive"]} ${report["blocked-uri"]}`);
    return response.writeHead(204).end();
  });
  const [pagePort, sandboxPort] = await Promise.all([page, sandbox].map(listen));
  return {
    violations,
    // Another host name and not only another port: the two are different sites to the browser.
    pageUrl: `http://localhost:${pagePort}/`,
    sandboxUrl: `http://127.0.0.1:${sandboxPort}/sandbox.html`,
    close: () => Promise.all([page, sandbox].map(close)),
  };
}

// The client in the page stays on its own origin, so the server under test needs no CORS.
async function forward({ url, headers }, request, response) {
  const given = Object.entries(request.headers).filter(
    ([name]) => name === "accept" || name === "content-type" || name.startsWith("mcp-"),
  );
  const body = request.method === "POST" ? await text(request) : undefined;
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  try {
    const answer = await fetch(url, {
      method: request.method,
      headers: { ...Object.fromEntries(given), ...headers },
      body,
      signal: gone.signal,
    });
    response.writeHead(answer.status, Object.fromEntries([...answer.headers].filter(([name]) => PASSED_ON.includes(name))));
    if (answer.body) await pipeline(Readable.fromWeb(answer.body), response);
    else response.end();
  } catch (error) {
    if (!response.headersSent) response.writeHead(502);
    response.end(String(error));
  }
}

function send(response, type, body, headers = {}) {
  response.writeHead(200, { "content-type": `${type}; charset=utf-8`, "cache-control": "no-store", ...headers });
  response.end(body);
}

async function text(stream) {
  return Buffer.concat(await stream.toArray()).toString();
}

function listen(server) {
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server.address().port)));
}

function close(server) {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
}
