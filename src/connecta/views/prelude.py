"""What runs first inside the payload's frame: it reports one number, the height, and takes network roads away.

Defence in depth, never proof: the frame's sandbox and the two content security policies carry the weight.
"""

import base64
import hashlib
from typing import Final

PRELUDE: Final = """(() => {
  // WebRTC ignores content security policy, and XSLT can load documents.
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "RTCDataChannel", "WebTransport", "XSLTProcessor"])
    try { Object.defineProperty(window, name, { value: undefined, writable: false, configurable: false }); } catch {}
  // A document written or parsed by the payload could carry a frame that escaped the rewriting of its tags.
  const refused = (html, _, sink) => {
    if (/srcdoc|document write/i.test(sink) || /srcdoc/i.test(html)) throw new TypeError("not available in a view");
    return html;
  };
  if (window.trustedTypes)
    trustedTypes.createPolicy("default", { createHTML: refused, createScript: (text) => text });
  const shell = parent;
  const report = () => {
    const root = document.documentElement;
    const before = root.getAttribute("style");
    root.style.setProperty("height", "max-content", "important");
    const height = Math.ceil(root.getBoundingClientRect().height);
    if (before === null) root.removeAttribute("style"); else root.setAttribute("style", before);
    shell.postMessage(height, "*");
  };
  addEventListener("load", report);
  addEventListener("DOMContentLoaded", () => { report(); new ResizeObserver(report).observe(document.body); });
})();"""

PRELUDE_HASH: Final = base64.b64encode(hashlib.sha256(PRELUDE.encode()).digest()).decode()
"""For the policy of a payload without scripts: the prelude runs, and nothing else does."""
