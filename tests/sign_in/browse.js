// node browse.js CHROMIUM AXE: one visit a line of stdin, one report a line of stdout, until stdin ends.
// Two more sites run here: a client whose callback sends the browser on to another origin, and whoever frames or posts.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--no-proxy-server", "--disable-background-networking"];
const WAIT_MS = 30_000;

const [executablePath, axe] = process.argv.slice(2);
let strange = "";
const elsewhere = await listening((_request, response) => {
  response.setHeader("content-type", "text/html");
  response.end(`<!doctype html><html lang="en"><title>Elsewhere</title><p>landed</p>${strange}`);
});
const client = await listening((request, response) => {
  const query = request.url.split("?")[1];
  response.writeHead(302, { location: `http://localhost:${elsewhere}/landed?${query}` }).end();
});
const browser = await chromium.launch({ executablePath, headless: true, args: FLAGS });
const contexts = new Map();
async function listening(answer) {
  const server = createServer(answer);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server.address().port;
}

async function person({ who, scheme, width, scale, scripts }) {
  if (!contexts.has(who)) {
    contexts.set(
      who,
      await browser.newContext({
        ignoreHTTPSErrors: true,
        javaScriptEnabled: scripts,
        colorScheme: scheme,
        viewport: { width, height: 860 },
        deviceScaleFactor: scale,
      }),
    );
  }
  return contexts.get(who);
}

async function visit(wanted) {
  const context = await person(wanted);
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_MS);
  const complaints = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  const statuses = [];
  page.on("response", (response) => response.request().isNavigationRequest() && statuses.push(response.status()));
  const said = [];
  strange = wanted.strange ?? "";
  try {
    for (const [what, ...given] of wanted.steps) said.push((await STEPS[what](page, context, ...given)) ?? null);
    return { url: page.url(), statuses, said, complaints };
  } finally {
    await page.close();
  }
}

const STEPS = {
  goto: async (page, _context, url) => void (await page.goto(url)),
  fill: async (page, _context, label, value) => void (await page.getByLabel(label).fill(value)),
  select: async (page, _context, label, value) => void (await page.getByLabel(label).selectOption(value)),
  // By the keyboard, as everything else: what opens on the page, and what leads to another.
  open: async (page, _context, name) => {
    const summary = page.locator("summary", { hasText: name });
    await summary.focus();
    await page.keyboard.press("Enter");
    await summary.locator("xpath=..").evaluate((details) => details.open || Promise.reject(new Error("not opened")));
  },
  follow: async (page, _context, name) => {
    const link = page.getByRole("link", { name, exact: true });
    await link.focus();
    const arrived = page.waitForEvent("framenavigated");
    await page.keyboard.press("Enter");
    await arrived;
    await page.waitForLoadState();
  },
  press: async (page, _context, name) => {
    const button = page.getByRole("button", { name, exact: true });
    await button.focus();
    const arrived = page.waitForEvent("framenavigated");
    await page.keyboard.press("Enter");
    await arrived;
    await page.waitForLoadState();
  },
  // The provider's own pages: a name and any password, then its consent.
  login: async (page, _context, name) => {
    const own = new URL(page.url()).origin;
    await page.locator("input[name=login]").fill(name);
    await page.locator("input[name=password]").fill("any");
    const before = page.url();
    await page.locator("button[type=submit]").click();
    await page.waitForURL((url) => url.href !== before);
    await page.locator("button[type=submit]").click();
    await page.waitForURL((url) => url.origin !== own);
  },
  until: async (page, _context, url) => void (await page.waitForURL(new RegExp(url))),
  at: (page) => page.url(),
  html: (page) => page.content(),
  text: (page) => page.locator("main").innerText(),
  frames: async (page) => {
    const inside = page.frames().slice(1);
    await Promise.all(inside.map((frame) => frame.waitForLoadState()));
    return inside.map((frame) => frame.url());
  },
  cookies: async (_page, context) => context.cookies(),
  tabs: async (page, _context, most = "8") => {
    const order = [];
    for (let n = 0; n < Number(most); n += 1) {
      order.push(await page.evaluate(() => document.activeElement.id || document.activeElement.innerText.trim()));
      await page.keyboard.press("Tab");
    }
    return order;
  },
  described: (page) =>
    page.locator("#passphrase").evaluate((field) => ({
      autocomplete: field.autocomplete,
      invalid: field.getAttribute("aria-invalid"),
      described: (field.getAttribute("aria-describedby") ?? "").split(" ").map((id) => document.getElementById(id).innerText),
      focused: document.activeElement === field,
    })),
  // The page's policy lets no script in; the driver's own world is not the page's.
  axe: async (page, context) => {
    const session = await context.newCDPSession(page);
    await session.send("Page.setBypassCSP", { enabled: true });
    await page.reload();
    await page.evaluate(readFileSync(axe, "utf8"));
    const { violations } = await page.evaluate(() => window.axe.run(document));
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  },
  wide: (page) => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth),
  shot: async (page, _context, path) => void (await page.screenshot({ path, fullPage: true })),
};

process.stdout.write(`${JSON.stringify({ client, elsewhere })}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  const report = await visit(JSON.parse(line)).catch((error) => ({ error: String(error.stack ?? error) }));
  process.stdout.write(`${JSON.stringify(report)}\n`);
}
await browser.close();
process.exit(0);
