// The host in the browser: the AppBridge of ext-apps, unmodified, and for a live server the official client.
import {
  AppBridge,
  PostMessageTransport,
  RESOURCE_MIME_TYPE,
  getToolUiResourceUri,
} from "@modelcontextprotocol/ext-apps/app-bridge";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const INFO = { name: "connecta-test-host", version: "1.0.0" };
const STYLE_VARIABLES = {
  "--color-text-primary": "light-dark(#141413, #faf9f5)",
  "--color-text-secondary": "light-dark(#3d3d3a, #c2c0b6)",
  "--font-sans": "DejaVu Sans, sans-serif",
};

// What happened so far, read by the driver. `executed` is what this host did because a message asked for it.
const seen = { initialized: false, appInfo: null, sizes: [], messages: [], refused: [], executed: [], lastMessage: 0 };
const frame = document.getElementById("app");
let bridge, context, inline;

window.host = { seen, start, say, update, postPastProxy, teardown };

// Every message that reaches this window, before AppBridge looks at it.
addEventListener("message", ({ source, data }) => {
  seen.lastMessage = performance.now();
  if (source === frame.contentWindow) seen.messages.push(data?.method ?? "answer");
  else seen.refused.push(data);
});

async function start(scenario) {
  const live = scenario.live && (await liveTool(scenario.live));
  context = {
    displayMode: "inline",
    availableDisplayModes: scenario.displayModes,
    platform: "web",
    containerDimensions: { width: scenario.width, maxHeight: scenario.maxHeight },
    styles: { variables: STYLE_VARIABLES },
    ...(scenario.theme ? { theme: scenario.theme } : {}),
    ...scenario.context,
  };
  inline = { width: scenario.width, maxHeight: scenario.maxHeight };
  dress();
  bridge = new AppBridge(live?.client ?? null, INFO, capabilities(scenario), { hostContext: context });
  observe(bridge);
  await openSandbox(scenario.sandboxUrl);
  const initialized = new Promise((resolve) => bridge.addEventListener("initialized", resolve));
  const html = live?.html ?? scenario.shell;
  say([{ jsonrpc: "2.0", method: "ui/notifications/sandbox-resource-ready", params: { html } }, ...scenario.before]);
  await refuse(scenario.refusals);
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  answerToolCalls(bridge, live?.tools, scenario.toolResults);
  await initialized;
  seen.initialized = true;
  seen.appInfo = bridge.getAppVersion();
  await bridge.sendToolInput({ arguments: scenario.live?.arguments ?? {} });
  await deliver(scenario, live?.result ?? scenario.result);
  say(scenario.after);
  return live?.result ?? null;
}

async function deliver(scenario, result) {
  if (scenario.cancelled) return bridge.sendToolCancelled({ reason: scenario.cancelled });
  if (!result) return undefined;
  if (!scenario.strips) return bridge.sendToolResult(result);
  const { _meta, structuredContent, ...kept } = result;
  return bridge.sendToolResult(kept);
}

// As a host does it: the tool's shell is read by its URI, and the call's result is what the server answered.
async function liveTool({ name, arguments: given }) {
  const client = new Client(INFO, {
    capabilities: { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [RESOURCE_MIME_TYPE] } } },
    versionNegotiation: { mode: "auto" },
  });
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", location.href)));
  const { tools } = await client.listTools();
  const tool = tools.find((each) => each.name === name);
  const { contents } = await client.readResource({ uri: getToolUiResourceUri(tool) });
  if (contents[0].mimeType !== RESOURCE_MIME_TYPE) throw new Error(`the shell is ${contents[0].mimeType}`);
  const result = await client.callTool({ name, arguments: given });
  return { client, tools, html: contents[0].text, result };
}

function capabilities({ live, toolResults }) {
  const always = { openLinks: {}, logging: {}, updateModelContext: { text: {} }, message: { text: {} } };
  return live || toolResults ? { ...always, serverTools: {} } : always;
}

function observe(bridge) {
  const doing = (name) => async (params) => {
    seen.executed.push({ name, params });
    return {};
  };
  bridge.onmessage = doing("ui/message");
  bridge.onopenlink = doing("ui/open-link");
  bridge.ondownloadfile = doing("ui/download-file");
  bridge.onupdatemodelcontext = doing("ui/update-model-context");
  bridge.onrequestdisplaymode = async (params) => {
    seen.executed.push({ name: "ui/request-display-mode", params });
    if (!context.availableDisplayModes.includes(params.mode)) return { mode: context.displayMode };
    await update({ displayMode: params.mode });
    return { mode: params.mode };
  };
  bridge.addEventListener("sizechange", ({ height }) => {
    seen.sizes.push(height);
    const { displayMode, containerDimensions } = context;
    if (displayMode === "inline" && height !== undefined)
      frame.style.height = `${Math.min(height, containerDimensions.maxHeight ?? containerDimensions.height)}px`;
  });
}

// What a host says in no order that AppBridge knows: raw messages, from this window.
function say(messages) {
  for (const message of messages) frame.contentWindow.postMessage(message, "*");
}

// A host that is not ready at first: so many greetings are answered with an error before AppBridge listens.
async function refuse(count) {
  await new Promise((resolve) => {
    let left = count;
    const listen = ({ source, data }) => {
      if (source !== frame.contentWindow || data?.method !== "ui/initialize") return;
      say([{ jsonrpc: "2.0", id: data.id, error: { code: -32601, message: "not yet" } }]);
      left -= 1;
      if (!left) done();
    };
    const done = () => {
      removeEventListener("message", listen);
      resolve();
    };
    addEventListener("message", listen);
    if (!left) done();
  });
}

// AppBridge forwards every call; which tools a view may call is the host's to enforce.
function answerToolCalls(bridge, tools, canned) {
  const forward = bridge.oncalltool;
  bridge.oncalltool = async (params, extra) => {
    seen.executed.push({ name: "tools/call", params: { name: params.name, arguments: params.arguments } });
    if (canned) return canned[params.name];
    const { visibility } = tools.find((each) => each.name === params.name)._meta.ui;
    if (!visibility.includes("app")) throw new Error(`${params.name} is not for views`);
    return forward(params, extra);
  };
}

async function openSandbox(url) {
  const ready = new Promise((resolve) => {
    addEventListener("message", function listen({ source, data }) {
      if (source !== frame.contentWindow || data?.method !== "ui/notifications/sandbox-proxy-ready") return;
      removeEventListener("message", listen);
      resolve();
    });
  });
  frame.src = url;
  await ready;
}

// Frames are transparent only on a page of their own colour scheme. The full screen is this page.
function dress() {
  document.documentElement.className = `${context.theme ?? ""} ${context.displayMode}`;
  frame.style.width = context.displayMode === "inline" ? `${inline.width}px` : "";
  if (context.displayMode !== "inline") frame.style.height = "";
}

async function update(change) {
  const room = { inline, fullscreen: { width: innerWidth, height: innerHeight } }[change.displayMode];
  context = { ...context, ...(room && { containerDimensions: room }), ...change };
  dress();
  bridge.setHostContext(context);
}

// Straight to the view, from a window that is not its parent.
function postPastProxy(messages) {
  seen.lastMessage = performance.now();
  for (const message of messages) frame.contentWindow.frames[0].postMessage(message, "*");
}

async function teardown() {
  return bridge.teardownResource({}, { timeout: 3000 });
}
