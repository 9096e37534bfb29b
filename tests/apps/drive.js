// node drive.js CHROMIUM BUNDLE: one scenario a line of stdin, one report a line of stdout, until stdin ends.
import { answerLines, launched } from "./browser.js";
import { plain, sendLast } from "./plain.js";
import { openServers } from "./servers.js";

const WAIT_MS = 20_000;
const QUIET_MS = 250;
const DEPTHS = ["host", "proxy", "view", "payload"];

const [executablePath, bundle] = process.argv.slice(2);
const browser = await launched(executablePath);
await answerLines(({ plain: alone, ...scenario }) => (alone ? plain(browser, alone) : play(scenario)));
await browser.close();

async function play(scenario) {
  const servers = await openServers({ bundle, live: scenario.live, policy: scenario.policy });
  const page = await browser.newPage({
    colorScheme: scenario.browserScheme,
    viewport: { width: scenario.width + 32, height: 900 },
    deviceScaleFactor: scenario.scale,
  });
  try {
    const noticed = notice(page, servers);
    if (scenario.updates.some(({ forwardMs }) => forwardMs)) await page.clock.install();
    if (scenario.media) await page.emulateMedia(scenario.media);
    await page.goto(servers.pageUrl);
    const started = page.evaluate((given) => window.host.start(given), { ...scenario, sandboxUrl: servers.sandboxUrl });
    const result = await within(started, "the view did not initialize");
    await settled(page, scenario.until).catch((error) => {
      throw new Error(`${error.message}; the call's result was ${JSON.stringify(result)?.slice(0, 2000)}`);
    });
    for (const { context, press, place, forwardMs, says, until } of scenario.updates) {
      if (context) await page.evaluate((change) => window.host.update(change), context);
      if (press) await pressButton(page, press, place);
      await page.evaluate((messages) => window.host.say(messages), says);
      if (forwardMs) await page.clock.fastForward(forwardMs);
      await settled(page, until);
    }
    await page.evaluate((messages) => window.host.postPastProxy(messages), scenario.strange);
    await settled(page, scenario.updates.at(-1)?.until ?? scenario.until);
    if (scenario.last) await sendLast(browser, scenario.last);
    const frames = await readFrames(page);
    const picture = (scenario.screenshot || scenario.painted) && (await photograph(page, scenario.screenshot));
    const paint = scenario.painted ? await page.evaluate(countColours, picture.toString("base64")) : {};
    const seen = await page.evaluate(() => window.host.seen);
    const height = await page.evaluate(() => document.getElementById("app").getBoundingClientRect().height);
    const teardown = await page.evaluate(() => window.host.teardown()).catch(() => null);
    return { result, frames, height, paint, teardown, ...seen, ...noticed, violations: servers.violations };
  } finally {
    await page.close();
    await servers.close();
  }
}

// A button of the shell or of the payload, found and used as a person without a mouse does.
async function pressButton(page, name, place) {
  const holder = page.frames().find((frame) => DEPTHS[depth(frame)] === place);
  const button = holder.getByRole("button", { name });
  await button.focus();
  await page.keyboard.press("Enter");
}

// The view with as much of the host around it on every side.
async function photograph(page, path) {
  const { x, y, width, height } = await page.locator("#app").boundingBox();
  return page.screenshot({ path, clip: { x: 0, y: 0, width: width + 2 * x, height: height + 2 * y } });
}

/** The commonest colours of a picture, most pixels first: `{ "20 20 19": 1234 }`. */
async function countColours(base64) {
  const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
  canvas.drawImage(bitmap, 0, 0);
  const { data } = canvas.getImageData(0, 0, bitmap.width, bitmap.height);
  const counts = new Map();
  for (let at = 0; at < data.length; at += 4) {
    const colour = `${data[at]} ${data[at + 1]} ${data[at + 2]}`;
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  return Object.fromEntries([...counts].sort(([, a], [, b]) => b - a).slice(0, 40));
}

function notice(page, servers) {
  const noticed = { consoleErrors: [], pageErrors: [], proxyRefused: [], requests: [], popups: [] };
  page.on("console", (message) => {
    const text = message.text();
    if (text.startsWith("proxy refused ")) noticed.proxyRefused.push(JSON.parse(text.slice("proxy refused ".length)));
    else if (message.type() === "error" || /Content Security Policy/.test(text)) noticed.consoleErrors.push(text);
  });
  page.on("pageerror", (error) => noticed.pageErrors.push(String(error)));
  page.on("popup", (popup) => noticed.popups.push(popup.url()));
  const ours = [new URL(servers.pageUrl).origin, new URL(servers.sandboxUrl).origin, "null"];
  page.on("request", (request) => {
    if (!ours.includes(new URL(request.url()).origin)) noticed.requests.push(request.url());
  });
  return noticed;
}

// Waits for what the scenario names, then until the view has had nothing to say for a moment.
async function settled(page, until) {
  const deadline = Date.now() + WAIT_MS;
  while (!(await holds(page, until))) {
    if (Date.now() > deadline)
      throw new Error(`waited in vain for ${JSON.stringify(until)}: ${JSON.stringify(await readFrames(page))}`);
    await page.waitForTimeout(25);
  }
  const quiet = (ms) => performance.now() - window.host.seen.lastMessage > ms;
  await page.waitForFunction(quiet, QUIET_MS, { timeout: WAIT_MS });
}

async function holds(page, { frame, text, height, colorScheme }) {
  if (height !== undefined)
    return page.evaluate((wanted) => window.host.seen.sizes.at(-1) === wanted, height);
  const read = (await readFrames(page))[frame];
  if (colorScheme !== undefined) return read?.colorScheme === colorScheme;
  return [text].flat().some((each) => read?.text.includes(each));
}

/** By its place, what `look` sees there. */
async function readFrames(page) {
  const read = {};
  for (const frame of page.frames()) {
    const place = DEPTHS[depth(frame)];
    if (place === "host" || place === undefined) continue;
    // A frame that is being replaced has nothing to read.
    read[place] = await within(frame.evaluate(look), "a frame does not answer").catch(() => undefined);
  }
  return read;
}

function look() {
  const root = document.documentElement;
  return {
    origin: self.origin,
    text: document.body?.innerText ?? "",
    colorScheme: getComputedStyle(root).colorScheme,
    color: getComputedStyle(document.body ?? root).color,
    width: innerWidth,
    height: innerHeight,
    content: root.scrollHeight,
    beyond: root.scrollWidth - root.clientWidth,
  };
}

function depth(frame) {
  const parent = frame.parentFrame();
  return parent ? 1 + depth(parent) : 0;
}

async function within(promise, complaint) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(complaint)), WAIT_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
