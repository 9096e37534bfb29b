// The page: its controls, one run at a time, and the view of the last run in the host that is imitated.
import { connect, execute, wantsToken } from "/preview/endpoint.js";
import { EXAMPLES } from "/preview/examples.js";
import { ViewHost } from "/preview/host.js";
import * as panels from "/preview/panels.js";
import { tabs } from "/preview/tabs.js";

const KEPT = "connecta-preview-code";
const VIOLATIONS_MS = 1000;
const COVERED = "header, .write, #view-title, #look, #caption, .panels";
const ONE_COLUMN = matchMedia("(max-width: 1179px)");

const $ = (id) => document.getElementById(id);
const code = $("code"), stage = $("stage"), token = $("token"), look = $("look"), imitation = $("host");

let about, endpoint, endpointToken;
let lastRun, host, shows = 0, running = false, displayed = "inline";

// --- Saying how things are

function say(text, kind = "") {
  $("status").textContent = text;
  $("status").className = kind;
}

function caption(capabilities) {
  const modes = capabilities.availableDisplayModes ?? ["inline"];
  const fullscreen = modes.includes("fullscreen") ? "offers fullscreen" : "does not say that it can be fullscreen";
  $("caption").textContent = `The view ${fullscreen}.`;
}

// --- Running

async function connected() {
  if (endpoint && endpointToken === token.value) return endpoint;
  await endpoint?.client.close();
  endpoint = undefined;
  endpoint = await connect(token.value);
  endpointToken = token.value;
  return endpoint;
}

async function run() {
  if (running) return;
  running = true;
  $("run").setAttribute("aria-disabled", "true");
  say("Running …");
  try {
    const served = await connected();
    lastRun = await execute(served, code.value);
    const failed = lastRun.result.isError;
    say(failed ? `Failed after ${lastRun.ms} ms` : `Ran in ${lastRun.ms} ms`, failed ? "bad" : "good");
    panels.showModel(lastRun);
    await panels.showPayload(lastRun.result);
    if (ONE_COLUMN.matches) $("view-title").scrollIntoView();
    show();
  } catch (error) {
    if (wantsToken(error)) return refuseToken();
    say("There was no answer", "bad");
    panels.showFailure(String(error?.message ?? error));
  } finally {
    running = false;
    $("run").removeAttribute("aria-disabled");
  }
}

function refuseToken() {
  say("The server does not accept this token", "bad");
  token.focus();
}

// --- Showing

const looks = () => Object.fromEntries(new FormData(look));
function imitated() {
  const { strips, toolless, inlineOnly, ...chosen } = Object.fromEntries(new FormData(imitation));
  return { ...chosen, strips: Boolean(strips), toolless: Boolean(toolless), inlineOnly: Boolean(inlineOnly) };
}

/** The last run again, in a new frame. Whoever calls this meanwhile wins. */
async function show() {
  if (!lastRun || !endpoint) return;
  const mine = ++shows;
  setDisplay("inline");
  await host?.close();
  if (mine !== shows) return;
  const chosen = imitated();
  panels.clearMessages();
  panels.clearSizes();
  panels.showViolations([], chosen.policy);
  $("caption").textContent = "Waiting for the view …";
  const name = randomName();
  const shown = (host = new ViewHost($("room"), {
    message: panels.addMessage,
    size: panels.addSize,
    wants: (mode) => mine === shows && setDisplay(mode),
    ready: caption,
  }));
  allowFullscreen();
  watchViolations(name, chosen.policy, () => mine === shows);
  const given = { endpoint, run: lastRun, imitation: chosen, look: looks(), sandbox: sandboxUrl(chosen.policy, name) };
  await shown.show(given).catch((error) => mine === shows && say(String(error?.message ?? error), "bad"));
}

function randomName() {
  const bits = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bits, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Another host name beside another port: the sandbox is another site than this page.
function sandboxUrl(policy, run) {
  const name = location.hostname === "localhost" ? "127.0.0.1" : "localhost";
  return `http://${name}:${about.sandboxPort}/sandbox.html?policy=${policy}&run=${run}`;
}

async function watchViolations(name, policy, current) {
  let known = 0;
  while (current()) {
    const violations = document.hidden ? undefined : await reported(name);
    if (violations === null) return;
    if (violations && current() && violations.length !== known) {
      known = violations.length;
      panels.showViolations(violations, policy);
    }
    await new Promise((resolve) => setTimeout(resolve, VIOLATIONS_MS));
  }
}

/** The violations of the view named so, `null` once the server has gone. */
async function reported(name) {
  try {
    return await (await fetch(`/preview/violations.json?run=${name}`)).json();
  } catch {
    say("The server has stopped", "bad");
    return null;
  }
}

function dress() {
  const chosen = looks();
  stage.className = `${chosen.theme} ${chosen.width} ${chosen.display}`;
  if (chosen.display !== displayed) turn(chosen.display);
  host?.dress(chosen);
}

// What a fullscreen view covers cannot be reached, and the keyboard is where the way back is.
function turn(display) {
  displayed = display;
  const full = display === "fullscreen";
  $("bar").hidden = !full;
  for (const covered of document.querySelectorAll(COVERED)) covered.inert = full;
  (full ? $("leave") : look.querySelector("[name=display]:checked")).focus({ preventScroll: true });
}

function setDisplay(mode) {
  const { display } = look.elements;
  if (display.value === mode) return;
  display.value = mode;
  dress();
}

function allowFullscreen() {
  look.querySelector("[value=fullscreen]").disabled = !host || imitated().inlineOnly;
}

// --- Controls

function chooseExample() {
  code.value = EXAMPLES[$("example").value];
  keep();
}

// A private window may refuse storage; the text is then simply not there after a reload.
function keep() {
  try {
    sessionStorage.setItem(KEPT, code.value);
  } catch {
    return;
  }
}

function kept() {
  try {
    return sessionStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

function wire() {
  tabs(document.querySelector("[role=tablist]"));
  $("example").append(...Object.keys(EXAMPLES).map((title) => new Option(title)));
  code.value = kept() ?? EXAMPLES[$("example").value];
  $("example").addEventListener("change", chooseExample);
  code.addEventListener("input", keep);
  $("run").addEventListener("click", run);
  look.addEventListener("change", dress);
  look.addEventListener("submit", (event) => event.preventDefault());
  imitation.addEventListener("change", show);
  imitation.addEventListener("submit", (event) => event.preventDefault());
  $("leave").addEventListener("click", () => setDisplay("inline"));
  new ResizeObserver(() => displayed === "fullscreen" && dress()).observe(stage);
  addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      run();
    } else if (event.key === "Escape" && displayed === "fullscreen") setDisplay("inline");
  });
}

async function start() {
  wire();
  allowFullscreen();
  panels.clearMessages();
  panels.clearSizes();
  panels.showViolations([], imitated().policy);
  await panels.showPayload(undefined);
  $("panel-model").textContent = "Run a program to see what the model is told.";
  about = await (await fetch("/preview/about.json")).json();
  $("deployment").textContent = about.deployment;
  $("token-field").hidden = !about.token;
  if (about.token) return say("Give the token, then run a program");
  const { client } = await connected();
  const server = client.getServerVersion();
  return say(`Connected to ${server.name} ${server.version}`, "good");
}

start().catch((error) => say(String(error?.message ?? error), "bad"));
