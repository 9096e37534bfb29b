// node preview.js CHROMIUM: one walk through the preview's page a line of stdin, one report a line of stdout.
//
// A walk is { url, width, height, scheme, steps }; a step is [name, ...arguments] with a name of STEPS.
import { answerLines, launched } from "./browser.js";

const WAIT_MS = 20_000;
const FRAMES = ["page", "proxy", "view", "payload"];
const AREAS = { status: "#status", caption: "#caption", panel: "[role=tabpanel]:visible" };

const inGroup = (page, group, label) => page.getByRole("group", { name: group }).getByLabel(label);

/** What a step comes to is kept in the report. A place is a frame or an area of the page. */
const STEPS = {
  fill: (page, label, text) => page.getByLabel(label).fill(text),
  choose: (page, label, option) => page.getByLabel(label).selectOption(option).then(() => null),
  check: (page, group, label) => inGroup(page, group, label).check(),
  uncheck: (page, group, label) => inGroup(page, group, label).uncheck(),
  enabled: (page, group, label) => inGroup(page, group, label).isEnabled(),
  click: (page, role, name) => page.getByRole(role, { name }).click(),
  focus: (page, role, name) => page.getByRole(role, { name }).focus(),
  focused: (page) => page.evaluate(() => document.activeElement.id || document.activeElement.value),
  press: (page, keys) => page.keyboard.press(keys),
  sees: (page, place, text) => until(page, `"${text}" in ${place}`, async () => (await read(page, place))?.includes(text)),
  reads: (page, place) => read(page, place),
  gone: (page, place) => until(page, `no ${place}`, () => frameAt(page, place) === undefined),
  runs: (page, place, script) => frameAt(page, place).evaluate(script),
  holds: (page, place, script) => until(page, script, () => frameAt(page, place)?.evaluate(script).catch(() => false)),
  screenshot: (page, path) => page.screenshot({ path }).then(() => null),
};

const [executablePath] = process.argv.slice(2);
const browser = await launched(executablePath);
await answerLines(walk);
await browser.close();

async function walk({ url, width, height, scheme, steps }) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_MS);
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    const text = message.text();
    if (message.type() === "error" || /Content Security Policy/.test(text)) complaints.push(text);
  });
  try {
    await page.goto(url);
    const kept = [];
    for (const [name, ...given] of steps) kept.push((await STEPS[name](page, ...given)) ?? null);
    return { kept, complaints };
  } finally {
    await context.close();
  }
}

async function read(page, place) {
  if (place in AREAS) return page.locator(AREAS[place]).innerText();
  return frameAt(page, place)?.evaluate(() => document.body?.innerText ?? "").catch(() => undefined);
}

function frameAt(page, place) {
  return page.frames().find((frame) => depth(frame) === FRAMES.indexOf(place));
}

function depth(frame) {
  const parent = frame.parentFrame();
  return parent ? 1 + depth(parent) : 0;
}

async function until(page, what, holds) {
  const deadline = Date.now() + WAIT_MS;
  while (!(await holds())) {
    if (Date.now() > deadline) {
      const there = await Promise.all(["status", "panel", "view", "payload"].map((place) => read(page, place)));
      throw new Error(`waited in vain for ${what}: ${JSON.stringify(there)}`);
    }
    await page.waitForTimeout(25);
  }
}
