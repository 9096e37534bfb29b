// node paint.js CHROMIUM BUNDLE RUNS: reads { shell, html } from stdin and prints { shell_ms, bare_ms }: how long the
// HTML takes to its first paint in the shell, from the result on, and in a frame with nothing around it.
// The HTML tells that it was painted by posting "painted" to the top.
import { text } from "node:stream/consumers";
import { chromium } from "playwright-core";
import { openServers } from "./servers.js";

const WARM_UP = 3;
const [executablePath, bundle, runs] = process.argv.slice(2);
const { shell, html } = JSON.parse(await text(process.stdin));
const browser = await chromium.launch({ executablePath, headless: true, args: ["--no-sandbox", "--disable-gpu"] });
const servers = await openServers({ bundle });
const times = { shell_ms: [], bare_ms: [] };
for (let run = 0; run < WARM_UP + Number(runs); run++) {
  const page = await browser.newPage({ viewport: { width: 752, height: 900 } });
  await page.goto(servers.pageUrl);
  await page.evaluate((given) => window.host.start(given), {
    shell,
    sandboxUrl: servers.sandboxUrl,
    theme: "light",
    width: 720,
    maxHeight: 800,
    displayModes: ["inline"],
    context: {},
    before: [],
    after: [],
    refusals: 0,
  });
  // Who comes first alternates, so that what the other warmed falls on both.
  const measures = [["shell_ms", inShell], ["bare_ms", inBareFrame]];
  if (run % 2) measures.reverse();
  for (const [name, measure] of measures) {
    const taken = await page.evaluate(measure, html);
    if (run >= WARM_UP) times[name].push(taken);
  }
  await page.close();
}
await browser.close();
await servers.close();
process.stdout.write(JSON.stringify(times));

function inShell(given) {
  return new Promise((resolve) => {
    const started = performance.now();
    addEventListener("message", function listen({ data }) {
      if (data !== "painted") return;
      removeEventListener("message", listen);
      resolve(performance.now() - started);
    });
    const result = { content: [], _meta: { "connecta/ui": { html: given } } };
    window.host.say([{ jsonrpc: "2.0", method: "ui/notifications/tool-result", params: result }]);
  });
}

function inBareFrame(given) {
  return new Promise((resolve) => {
    const started = performance.now();
    const frame = document.createElement("iframe");
    addEventListener("message", function listen({ data }) {
      if (data !== "painted") return;
      removeEventListener("message", listen);
      frame.remove();
      resolve(performance.now() - started);
    });
    frame.setAttribute("sandbox", "allow-scripts");
    frame.style.cssText = "width: 720px; height: 800px";
    frame.srcdoc = given;
    document.body.prepend(frame);
  });
}
