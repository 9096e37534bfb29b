// The host: the AppBridge of ext-apps, unmodified, in front of the sandbox on its own origin.
import { AppBridge, PostMessageTransport } from "/preview/apps-host.js";
import { INFO } from "/preview/endpoint.js";

const LATE_MS = 3000;
const TEARDOWN_MS = 500;
const WIDTHS = { phone: 360, desktop: 720 };
/** Claude gives an inline view this much height and no more. */
const INLINE_HEIGHT = 500;
/** Round a phone's notch and its home bar. */
const PHONE_INSETS = { top: 28, right: 12, bottom: 24, left: 12 };
const NO_INSETS = { top: 0, right: 0, bottom: 0, left: 0 };
const STYLE_VARIABLES = {
  "--color-background-primary": "light-dark(#ffffff, #262624)",
  "--color-background-secondary": "light-dark(#f5f4ed, #30302e)",
  "--color-text-primary": "light-dark(#141413, #faf9f5)",
  "--color-text-secondary": "light-dark(#3d3d3a, #c2c0b6)",
  "--color-border-primary": "light-dark(rgba(31, 30, 29, 0.4), rgba(222, 220, 209, 0.4))",
  "--font-sans": "system-ui, 'DejaVu Sans', sans-serif",
  "--font-mono": "ui-monospace, 'DejaVu Sans Mono', monospace",
  "--border-radius-md": "8px",
};

class LoggedTransport extends PostMessageTransport {
  constructor(target, log) {
    super(target, target);
    this.log = log;
  }

  send(message, options) {
    this.log("to view", message);
    return super.send(message, options);
  }
}

/**
 * One view in one frame. `seen` hears of everything as it happens: `message(direction, data)`, `size(asked, given)`,
 * `wants(mode)` for a display mode and `ready(capabilities)`.
 */
export class ViewHost {
  constructor(room, seen) {
    this.seen = seen;
    this.height = 1;
    this.frame = document.createElement("iframe");
    this.frame.title = "The program's view";
    this.frame.referrerPolicy = "origin";
    this.frame.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms");
    this.gone = new AbortController();
    room.replaceChildren(this.frame);
  }

  /** Shows `run` as the host of `imitation` would: `{ result, strips, toolless, inlineOnly, policy }`. */
  async show({ endpoint, run, imitation, look, sandbox }) {
    this.look = look;
    this.tool = endpoint.tool;
    this.modes = imitation.inlineOnly ? ["inline"] : ["inline", "fullscreen"];
    addEventListener("message", (event) => this.#overhear(event), { signal: this.gone.signal });
    await this.#open(sandbox);
    const bridge = new AppBridge(endpoint.client, INFO, capabilities(imitation), { hostContext: this.#context() });
    this.bridge = bridge;
    this.#listen();
    const initialized = new Promise((resolve) => bridge.addEventListener("initialized", resolve));
    await bridge.connect(new LoggedTransport(this.frame.contentWindow, (...told) => this.seen.message(...told)));
    this.#guardTools(endpoint, imitation);
    await bridge.sendSandboxResourceReady({ html: endpoint.shell });
    await initialized;
    this.initialized = true;
    this.seen.ready(bridge.getAppCapabilities() ?? {});
    await bridge.sendToolInput({ arguments: { code: run.code } });
    await this.#deliver(run.result, imitation);
  }

  /** Another theme, width or display mode for the view that stands. */
  dress(look) {
    this.look = look;
    this.#size();
    if (this.initialized) this.bridge.setHostContext(this.#context());
  }

  /** Ends the view as hosts do, and the listening for it. */
  async close() {
    if (this.gone.signal.aborted) return;
    if (this.initialized) await this.bridge.teardownResource({}, { timeout: TEARDOWN_MS }).catch(() => undefined);
    this.gone.abort();
    await this.bridge?.close();
  }

  #overhear({ source, data }) {
    this.seen.message(source === this.frame.contentWindow ? "from view" : "refused", data);
  }

  async #open(url) {
    const { promise, resolve } = Promise.withResolvers();
    const listen = ({ source, data }) => {
      if (source === this.frame.contentWindow && data?.method === "ui/notifications/sandbox-proxy-ready") resolve();
    };
    addEventListener("message", listen, { signal: this.gone.signal });
    this.frame.src = url;
    await promise;
    removeEventListener("message", listen);
  }

  // A bridge that has connected forwards every call: which tools a view may call is the host's to enforce.
  #guardTools({ tools }, imitation) {
    const { bridge } = this;
    const forward = bridge.oncalltool;
    bridge.oncalltool = async (params, extra) => {
      const tool = tools.find(({ name }) => name === params.name);
      if (imitation.toolless) throw new Error("This host has no server tools.");
      if (!tool?._meta?.ui?.visibility?.includes("app")) throw new Error(`${params.name} is not for views.`);
      return forward(params, extra);
    };
  }

  #listen() {
    const { bridge } = this;
    bridge.onrequestdisplaymode = async ({ mode }) => {
      if (this.modes.includes(mode)) this.seen.wants(mode);
      return { mode: this.look.display };
    };
    bridge.addEventListener("sizechange", ({ width, height }) => {
      if (height !== undefined) this.height = height;
      this.#size();
      this.seen.size({ width, height }, this.frame.getBoundingClientRect());
    });
  }

  async #deliver(result, imitation) {
    if (imitation.result === "never") return;
    if (imitation.result === "cancelled") return this.bridge.sendToolCancelled({ reason: "The person stopped it." });
    if (imitation.result === "late") await new Promise((resolve) => setTimeout(resolve, LATE_MS));
    if (this.gone.signal.aborted) return;
    const { _meta, structuredContent, ...kept } = result;
    await this.bridge.sendToolResult(imitation.strips ? kept : result);
  }

  #size() {
    const inline = this.look.display === "inline";
    // In fullscreen the style sheet says how large it is.
    this.frame.style.height = inline ? `${Math.min(this.height, INLINE_HEIGHT)}px` : "";
  }

  #context() {
    const { theme, width, display } = this.look;
    const { clientWidth, clientHeight } = this.frame;
    const phone = width === "phone";
    return {
      theme,
      displayMode: display,
      availableDisplayModes: this.modes,
      containerDimensions:
        display === "inline"
          ? { width: WIDTHS[width], maxHeight: INLINE_HEIGHT }
          : { width: clientWidth, height: clientHeight },
      platform: phone ? "mobile" : "web",
      deviceCapabilities: { touch: phone, hover: !phone },
      safeAreaInsets: phone && display === "fullscreen" ? PHONE_INSETS : NO_INSETS,
      locale: navigator.language,
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      styles: { variables: STYLE_VARIABLES },
      toolInfo: { tool: this.tool },
    };
  }
}

function capabilities({ toolless }) {
  const always = { openLinks: {}, logging: {} };
  return toolless ? always : { ...always, serverTools: {} };
}
