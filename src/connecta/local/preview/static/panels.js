// What stands beside the view: what the model reads, the messages, the sizes, what policies stopped, the payload.

const MOST_MESSAGES = 500;
const MOST_CHARS = 20_000;

const utf8 = new TextEncoder();
const panel = (name) => document.getElementById(`panel-${name}`);

/** An element with text and children, and nothing parsed as markup. */
function element(tag, { text, ...attributes } = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  made.append(...children);
  return made;
}

export function bytes(count) {
  return count < 1024 ? `${count} B` : `${(count / 1024).toFixed(count < 10_240 ? 1 : 0)} KB`;
}

const size = (text) => utf8.encode(text).length;
const clipped = (text) =>
  text.length <= MOST_CHARS ? text : `${text.slice(0, MOST_CHARS)}\n… ${text.length - MOST_CHARS} more characters`;

function count(name, text, { bad = false } = {}) {
  const badge = document.querySelector(`#tab-${name} b`);
  badge.textContent = text;
  badge.className = bad ? "bad" : "";
}

function fill(name, ...children) {
  panel(name).replaceChildren(...children);
}

const nothing = (text) => element("p", { class: "none", text });

// --- What the model reads

export function showModel({ result, ms }) {
  const characters = result.content.reduce((sum, { text = "" }) => sum + text.length, 0);
  const told = `${characters.toLocaleString("en")} characters of text, after ${ms} ms`;
  const failed = result.isError ? [element("p", { class: "failed", text: "The call failed. This is the error:" })] : [];
  fill("model", ...failed, ...result.content.map(block), element("p", { class: "none", text: told }));
}

export function showFailure(message) {
  fill("model", element("p", { class: "failed", text: "There was no answer." }), element("pre", { text: message }));
}

function block({ type, text, data, mimeType }) {
  if (type === "text") return element("pre", { text: clipped(text) });
  const label = element("p", { class: "none", text: `${type} ${mimeType ?? ""}, ${bytes(size(data ?? ""))} in base64` });
  const picture = type === "image" ? [element("img", { alt: "", src: `data:${mimeType};base64,${data}` })] : [];
  return element("div", { class: "block" }, label, ...picture);
}

// --- Messages

let messages = 0;
let began = 0;

export function clearMessages() {
  messages = 0;
  began = performance.now();
  count("messages", "");
  fill("messages", nothing("No message yet."));
}

/** `direction` is "to view", "from view" or "refused": from another window than the view's. */
export function addMessage(direction, data) {
  if (messages === 0) fill("messages");
  count("messages", String(++messages));
  if (messages > MOST_MESSAGES) return;
  const json = JSON.stringify(data) ?? String(data);
  const name = data?.method ?? (data?.error ? `error, answer to ${data.id}` : `answer to ${data?.id}`);
  const summary = element(
    "summary",
    {},
    element("span", { text: `${Math.round(performance.now() - began)} ms` }),
    element("span", { text: { "to view": "→ to view", "from view": "← from view", refused: "✕ refused" }[direction] }),
    element("code", { text: name }),
    element("span", { text: bytes(size(json)) }),
  );
  const details = element("details", { class: direction === "refused" ? "refused" : "" }, summary);
  const open = () => details.append(element("pre", { text: clipped(JSON.stringify(data, null, 2) ?? json) }));
  details.addEventListener("toggle", open, { once: true });
  panel("messages").append(details);
}

// --- Sizes

let sizes = 0;

export function clearSizes() {
  sizes = 0;
  count("sizes", "");
  fill("sizes", nothing("The view has not said how tall it is."));
}

export function addSize(asked, given) {
  if (sizes === 0) fill("sizes", table("When", "Asked for", "Given"));
  count("sizes", String(++sizes));
  if (sizes > MOST_MESSAGES) return;
  const px = (value) => (value === undefined ? "any" : Math.round(value));
  panel("sizes")
    .querySelector("tbody")
    .append(
      row(
        `${Math.round(performance.now() - began)} ms`,
        `${px(asked.width)} × ${px(asked.height)}`,
        `${px(given.width)} × ${px(given.height)}`,
      ),
    );
}

function table(...heads) {
  const head = element("tr", {}, ...heads.map((text) => element("th", { scope: "col", text })));
  return element("table", {}, element("thead", {}, head), element("tbody"));
}

const row = (...cells) => element("tr", {}, ...cells.map((text) => element("td", { text: String(text) })));

// --- Policy violations

/** `policy` is the name of the policy the host sets; without one the browser reports nothing to it. */
export function showViolations(violations, policy) {
  count("violations", String(violations.length), { bad: violations.length > 0 });
  if (violations.length === 0) {
    const none = policy === "none" ? "This host sets no policy, so none can be violated." : "The view kept to the policy.";
    return fill("violations", nothing(none));
  }
  const shown = table("Directive", "Blocked", "Sample");
  shown.querySelector("tbody").append(...violations.map((each) => row(each.directive, each.blocked, each.sample)));
  return fill("violations", shown);
}

// --- Payload

export async function showPayload(result) {
  const html = result?._meta?.["connecta/ui"]?.html;
  count("payload", html === undefined ? "" : bytes(size(html)));
  if (html === undefined) return fill("payload", nothing("This run showed no view."));
  const zipped = new Response(new Blob([html]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer();
  const told = `${size(html).toLocaleString("en")} bytes, ${(await zipped).byteLength.toLocaleString("en")} gzipped`;
  return fill("payload", element("p", { text: told }), element("pre", { text: clipped(html) }));
}
