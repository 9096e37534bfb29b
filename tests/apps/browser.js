// The browser that the scripts here drive, and the lines of JSON they are driven by.
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--no-proxy-server",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const launched = (executablePath) => chromium.launch({ executablePath, headless: true, args: FLAGS });

/** One answer of `answer` a line of stdin, until stdin ends; where it failed, `{ error }`. */
export async function answerLines(answer) {
  for await (const line of createInterface({ input: process.stdin })) {
    const report = await answer(JSON.parse(line)).catch((error) => ({ error: String(error.stack ?? error) }));
    process.stdout.write(`${JSON.stringify(report)}\n`);
  }
}
