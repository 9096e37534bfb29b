"""The script that runs in the program's frame before the program's HTML is parsed.

It shares its window with code it does not trust, so it holds nothing worth taking: no id, no token, no message of
the host. A program that breaks it can lie about its own height, and loses its theme.
"""

from typing import Final

PRELUDE: Final = r"""
"use strict";
(() => {
  const shell = parent;
  const root = document.documentElement;
  const theme = document.currentScript.previousElementSibling;

  // --- What a view must not have

  // As it is now: what is looked up on a prototype later may be the program's.
  const has = Function.prototype.call.bind(RegExp.prototype.exec);
  // Every string that would become markup comes by here. An unnamed sink may be any of them, so it is refused.
  window.trustedTypes?.createPolicy("default", {
    createHTML(html, type, sink) {
      if (!sink || has(/srcdoc|write/i, sink) || has(/srcdoc|<!entity/i, html))
        throw new TypeError("A view makes no nested documents.");
      return html;
    },
    createScript: (script) => script,
  });
  // WebRTC sends packets whatever the policy says, and XSLT makes documents that have no prelude. A library's own
  // Trusted Types policy would be refused; without trustedTypes it works with plain strings.
  for (const name of
    ["RTCPeerConnection", "webkitRTCPeerConnection", "RTCDataChannel", "XSLTProcessor", "trustedTypes"])
    Object.defineProperty(window, name, { value: undefined, writable: false, configurable: false });

  // Following a link would replace the view with nothing. One into the view itself scrolls to its target.
  addEventListener("click", (event) => {
    const link = event.composedPath().find((each) => each.matches?.("a, area"));
    const href = link?.getAttribute("href") ?? link?.getAttribute("xlink:href");
    if (typeof href !== "string") return;
    event.preventDefault();
    if (href.startsWith("#")) document.getElementById(href.slice(1))?.scrollIntoView();
  });

  // --- The host's colour scheme

  // prefers-color-scheme asks the browser. A view shall look like the host it is in, so the question is answered here.
  const scheme = () => getComputedStyle(root).getPropertyValue("--host-scheme");
  const answered = (query) => query.replace(/\(prefers-color-scheme: *(light|dark)\)/g,
    (asked, wanted) => (wanted === scheme() ? "(min-width: 0)" : "(max-width: 0)"));
  const ask = matchMedia.bind(window);
  window.matchMedia = (query) => ask(answered(String(query)));

  // By a style sheet's or a rule's media, as it was written.
  const written = new Map();
  function answerAll(rules) {
    for (const rule of rules) {
      // Nothing that was to be loaded is here.
      if (rule.href) continue;
      const { media, cssRules } = rule;
      if (/prefers-color/.test(media?.mediaText)) written.set(media, media.mediaText);
      if (written.has(media)) media.mediaText = answered(written.get(media));
      if (cssRules) answerAll(cssRules);
    }
  }

  function dress() {
    // A view made for one scheme keeps it; one made for both gets the host's.
    if (/light dark|dark light/.test(getComputedStyle(root).colorScheme)) root.style.colorScheme = "var(--host-scheme)";
    answerAll(document.styleSheets);
  }

  // --- Its height

  function measure() {
    const kept = root.style.height, { body } = document;
    // height: 100% would measure the frame and not what is in it.
    root.style.height = "max-content";
    const natural = Math.max(root.getBoundingClientRect().height, body ? body.offsetTop + body.scrollHeight : 0);
    root.style.height = kept;
    const scrollbar = root.scrollWidth > root.clientWidth ? innerHeight - root.clientHeight : 0;
    return Math.ceil(natural) + scrollbar;
  }

  let queued, later;
  const reportSoon = () => { queued ??= setTimeout(report, 20); };
  function report() {
    queued = clearTimeout(queued);
    // 0 before the document is complete means: not laid out yet.
    const state = document.readyState, height = state === "loading" ? 0 : measure();
    if (height || state === "complete") shell.postMessage(height, "*");
    // What the shell gives no room for scrolls in here. Until that is known a scrollbar would flicker.
    clearTimeout(later);
    later = setTimeout(() => {
      const scrolls = Math.max(measure(), root.scrollHeight) > innerHeight + 4;
      root.style.overflowY = scrolls ? "auto" : "hidden";
      // The arrow keys scroll what the Tab key can reach.
      root.tabIndex = scrolls ? 0 : -1;
    }, 400);
  }

  addEventListener("DOMContentLoaded", () => {
    const { body } = document;
    // Text says its own direction, unless the view has said one.
    if (!root.dir && !body.dir && getComputedStyle(body).direction === "ltr") body.dir = "auto";
    dress();
    report();
    const boxes = new ResizeObserver(reportSoon);
    boxes.observe(root);
    boxes.observe(body);
    new MutationObserver(reportSoon).observe(body, { childList: true, characterData: true, subtree: true });
  });
  // Of the document, and of every image in it.
  addEventListener("load", reportSoon, true);
  addEventListener("resize", reportSoon);
  addEventListener("message", (event) => {
    if (event.source !== shell || typeof event.data?.css !== "string") return;
    theme.textContent = event.data.css;
    dress();
    // This also tells the shell that the document is still the one that was put here.
    report();
  });
})();
"""
