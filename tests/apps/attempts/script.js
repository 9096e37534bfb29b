//= fetch
return fetch("$URL", { mode: "no-cors" });
//= fetch kept alive
return fetch("$URL", { mode: "no-cors", method: "POST", body: "x", keepalive: true });
//= fetch later
return fetchLater("$URL", { activateAfter: 0 });
//= request
return send("GET", "$URL", true);
//= request that blocks
return send("POST", "$URL", false);
//= beacon
return navigator.sendBeacon("$URL", "x");
//= socket
return new WebSocket("ws://127.0.0.1:$PORT/");
//= socket stream
return new WebSocketStream("ws://127.0.0.1:$PORT/").opened;
//= event source
return new EventSource("$URL");
//= web transport
return new WebTransport("https://127.0.0.1:$PORT/").ready;
//= image object
new Image().src = "$URL";
//= audio object
new Audio("$URL").load();
//= image element
add("img", { src: "$URL" });
//= image by markup
lab.insertAdjacentHTML("beforeend", "<img src='$URL'>");
//= script element
add("script", { src: "$URL" });
//= stylesheet element
add("link", { rel: "stylesheet", href: "$URL" });
//= preload element
add("link", { rel: "preload", as: "image", href: "$URL" });
//= preconnect element | driven browsers predict nothing
add("link", { rel: "preconnect", href: "$URL" });
//= prefetch element
add("link", { rel: "prefetch", href: "$URL" });
//= imported module
return import("$URL");
//= import of a style
return import("$URL", { with: { type: "css" } });
//= import in data
return import("data:text/javascript,import '$URL'");
//= import in a blob
return import(blob(`import "$URL"`));
//= code from text
return new Function(`return fetch("$URL", { mode: "no-cors" })`)();
//= timer with text
setTimeout(`fetch("$URL", { mode: "no-cors" })`, 0);
//= worker from data
return new Worker(`data:text/javascript,fetch("$URL", { mode: "no-cors" })`);
//= worker from a blob
return new Worker(blob(`fetch("$URL", { mode: "no-cors" })`));
//= worker that imports
return new Worker(blob(`importScripts("$URL")`));
//= module worker
return new Worker(blob(`import "$URL"`), { type: "module" });
//= shared worker
return new SharedWorker(blob(`fetch("$URL", { mode: "no-cors" })`));
//= service worker | registers files of its own origin alone
return navigator.serviceWorker.register("$URL");
//= audio worklet
return new AudioContext().audioWorklet.addModule("$URL");
//= paint worklet
return CSS.paintWorklet.addModule("$URL");
//= storage worklet | the browser has retired shared storage
return sharedStorage.createWorklet("$URL");
//= font object
return new FontFace("f", "url($URL)").load();
//= constructed sheet
const sheet = new CSSStyleSheet();
sheet.replaceSync("#lab { background: url($URL) }");
document.adoptedStyleSheets.push(sheet);
//= inserted rule
add("style").sheet.insertRule("#lab { border: 1px solid; border-image: url($URL) 1 }");
//= imported rule
add("style").sheet.insertRule("@import url($URL)");
//= style property
add("p").style.backgroundImage = "url($URL)";
//= animation
add("p").animate({ backgroundImage: ["url($URL)", "url($URL)"] }, 9000);
//= inserted image
const edited = add("div", { contenteditable: "" });
getSelection().selectAllChildren(edited);
document.execCommand("insertImage", false, "$URL");
//= picture of the playing media | headless, so nothing shows it
navigator.mediaSession.metadata = new MediaMetadata({ artwork: [{ src: "$URL" }] });
//= cache
return caches.open("c").then((cache) => cache.add("$URL"));
//= payment method
return new PaymentRequest([{ supportedMethods: "$URL" }], { total: { label: "x", amount: { currency: "EUR", value: "1" } } }).canMakePayment();
//= sign-in by a provider
return navigator.credentials.get({ identity: { providers: [{ configURL: "$URL", clientId: "x" }] } });
//= advertising group | the browser has retired it
return navigator.joinAdInterestGroup({ owner: "$URL", name: "x", updateURL: "$URL" }, 60);
//= ping of a link
add("a", { href: "#lab", ping: "$URL" }).click();
//= window
return String(open("$URL"));
//= window by a link
add("a", { href: "$URL", target: "_blank" }).click();
//= window by a form
add("form", { action: "$URL", target: "_blank" }).submit();
//= window by a button
const inside = add("form", { target: "_blank" });
const button = document.createElement("button");
button.setAttribute("formaction", "$URL");
inside.append(button);
button.click();
//= frame element
add("iframe", { src: "$URL" });
//= frame element, then sent
add("iframe").contentWindow.location = "$URL";
//= frame element in a shadow tree
const shadow = add("div").attachShadow({ mode: "closed" });
shadow.append(Object.assign(document.createElement("iframe"), { src: "$URL" }));
//= form into a frame
add("iframe", { name: "into" });
add("form", { action: "$URL", target: "into" }).submit();
//= object element
add("object", { data: "$URL" });
//= embed element
add("embed", { src: "$URL" });
//= drawing by namespace
const drawing = document.createElementNS("http://www.w3.org/2000/svg", "svg");
const picture = document.createElementNS("http://www.w3.org/2000/svg", "image");
picture.setAttribute("href", "$URL");
drawing.append(picture);
lab.append(drawing);
//= style sheet that transforms | refused between origins
const xsl = `<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/">
  <xsl:copy-of select="document('$URL')"/></xsl:template></xsl:stylesheet>`;
const processor = new XSLTProcessor();
processor.importStylesheet(new DOMParser().parseFromString(xsl, "text/xml"));
processor.transformToFragment(document.implementation.createDocument("", "r"), document);
//= peer
talk(window, $PORT);
//= peer by its old name
talk({ RTCPeerConnection: webkitRTCPeerConnection }, $PORT);
//= peer under any name
for (const name of Object.getOwnPropertyNames(window))
  if (/PeerConnection$/.test(name)) talk({ RTCPeerConnection: window[name] }, $PORT);
//= peer after the prelude is undone
try { Object.defineProperty(window, "RTCPeerConnection", { writable: true, configurable: true }); } catch { /* stays */ }
talk(window, $PORT);
//= peer by relay
relay(window, $PORT);
//= peer of a frame
talk(add("iframe").contentWindow, $PORT);
//= peer of a frame, found by number
add("iframe");
talk(frames[frames.length - 1], $PORT);
//= peer of a written frame
const written = add("iframe").contentDocument;
written.write(page($PORT));
written.close();
//= frame page by property
add("iframe").srcdoc = page($PORT);
//= frame page by attribute
add("iframe", { srcdoc: page($PORT) });
//= frame page by namespaced attribute
add("iframe").setAttributeNS(null, "srcdoc", page($PORT));
//= frame page by attribute node
const node = document.createAttribute("srcdoc");
node.value = page($PORT);
add("iframe").setAttributeNode(node);
//= frame page by attribute node, filled late
const empty = document.createAttribute("srcdoc");
add("iframe").setAttributeNode(empty);
empty.value = page($PORT);
//= frame page by attribute text
const flagged = add("iframe");
flagged.toggleAttribute("srcdoc");
flagged.attributes[0].textContent = page($PORT);
//= frame page by attribute node value
const marked = add("iframe");
marked.toggleAttribute("srcdoc");
marked.attributes[0].nodeValue = page($PORT);
//= frame page by named item
const item = document.createAttribute("srcdoc");
item.value = page($PORT);
add("iframe").attributes.setNamedItem(item);
//= frame page by a borrowed attribute
const lender = document.createElement("div");
lender.setAttribute("srcdoc", page($PORT));
add("iframe").setAttributeNode(lender.removeAttributeNode(lender.getAttributeNode("srcdoc")));
//= frame page by a borrowed setter
Reflect.set(HTMLIFrameElement.prototype, "srcdoc", page($PORT), add("iframe"));
//= frame page by markup
add("div").innerHTML = frame($PORT);
//= frame page by outer markup
add("div").outerHTML = frame($PORT);
//= frame page by adjacent markup
lab.insertAdjacentHTML("beforeend", frame($PORT));
//= frame page by markup in capitals
add("div").innerHTML = frame($PORT).toUpperCase().replace(/SRCDOC="[^"]*"/, (text) => frame($PORT).match(/srcdoc="[^"]*"/)[0].replace("srcdoc", "SRCDOC"));
//= frame page by a fragment
lab.append(document.createRange().createContextualFragment(frame($PORT)));
//= frame page by a parser
lab.append(document.adoptNode(new DOMParser().parseFromString(frame($PORT), "text/html").body.firstChild));
//= frame page by a parser of XML
lab.append(document.adoptNode(new DOMParser().parseFromString(xhtml(frame($PORT)), "application/xhtml+xml").documentElement));
//= frame page by a parser of entities
const entity = `<!DOCTYPE div [<!ENTITY e '${frame($PORT).replace("srcdoc", "&#115;rcdoc").replace(/'/g, "&#39;")}'>]>`;
const told = `${entity}<div xmlns="http://www.w3.org/1999/xhtml">&e;</div>`;
lab.append(document.adoptNode(new DOMParser().parseFromString(told, "application/xhtml+xml").documentElement));
//= frame page by unsafe markup
add("div").setHTMLUnsafe(frame($PORT));
//= frame page by an unsafe document
lab.append(document.adoptNode(Document.parseHTMLUnsafe(frame($PORT)).body.firstChild));
//= frame page in unsafe shadow markup
add("div").setHTMLUnsafe(`<div><template shadowrootmode="open">${frame($PORT)}</template></div>`);
//= frame page in shadow markup
add("div").attachShadow({ mode: "open" }).innerHTML = frame($PORT);
//= frame page from a template
const template = document.createElement("template");
template.innerHTML = frame($PORT);
lab.append(template.content.cloneNode(true));
//= frame page from a template, changed inside
const filled = document.createElement("template");
filled.innerHTML = "<ifr" + "ame></ifr" + "ame>";
filled.content.firstChild.setAttribute("srcdoc", page($PORT));
lab.append(document.importNode(filled.content, true));
//= frame page from another document
const other = document.implementation.createHTMLDocument("");
const made = other.createElement("iframe");
made.setAttribute("srcdoc", page($PORT));
lab.append(document.adoptNode(made));
//= frame page from another document's markup
const second = document.implementation.createHTMLDocument("");
second.body.innerHTML = frame($PORT);
lab.append(document.adoptNode(second.body.firstChild));
//= frame page from another document, written
const third = document.implementation.createHTMLDocument("");
third.write(frame($PORT));
lab.append(document.adoptNode(third.body.firstChild));
//= frame page from an XML document
const xml = document.implementation.createDocument("http://www.w3.org/1999/xhtml", "iframe");
xml.documentElement.setAttribute("srcdoc", page($PORT));
lab.append(document.adoptNode(xml.documentElement));
//= frame page by a transformation
const source = document.implementation.createDocument("", "r");
source.documentElement.textContent = page($PORT);
const transformer = new XSLTProcessor();
transformer.importStylesheet(new DOMParser().parseFromString(`<xsl:stylesheet version="1.0"
  xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:output method="html"/><xsl:template match="/">
  <xsl:element name="{concat('ifr', 'ame')}"><xsl:attribute name="{concat('src', 'doc')}"><xsl:value-of select="."/>
  </xsl:attribute></xsl:element></xsl:template></xsl:stylesheet>`, "text/xml"));
lab.append(transformer.transformToFragment(source, document));
//= frame page by editing
const editable = add("div", { contenteditable: "" });
editable.focus();
getSelection().selectAllChildren(editable);
document.execCommand("insertHTML", false, frame($PORT));
//= frame page by a custom element
customElements.define("x-maker", class extends HTMLElement {
  connectedCallback() { this.innerHTML = frame($PORT); }
});
add("x-maker");
//= frame page past the policy's patterns
const { test, exec } = RegExp.prototype;
RegExp.prototype.test = () => false;
RegExp.prototype.exec = () => null;
try { add("iframe").srcdoc = page($PORT); } finally { Object.assign(RegExp.prototype, { test, exec }); }
//= frame page past the policy's errors
const kept = window.TypeError;
window.TypeError = function () { return page($PORT); };
try { add("iframe").srcdoc = page($PORT); } finally { window.TypeError = kept; }
//= frame page past the policy's text
const hidden = { toString: (() => { let turn = 0; return () => (turn++ ? page($PORT) : "x"); })() };
const { includes, toLowerCase, indexOf, match } = String.prototype;
Object.assign(String.prototype, { includes: () => false, toLowerCase: () => "", indexOf: () => -1, match: () => null });
try { add("iframe").srcdoc = hidden; } finally { Object.assign(String.prototype, { includes, toLowerCase, indexOf, match }); }
add("iframe").srcdoc = page($PORT);
//= frame page under a policy of its own
const policy = (window.trustedTypes ?? { createPolicy: (name, rules) => rules }).createPolicy("own", { createHTML: (html) => html });
add("iframe").srcdoc = policy.createHTML(page($PORT));
//= frame with a script address by property
add("iframe").src = `javascript:${code($PORT)}`;
//= frame with a script address that makes a page
add("iframe").src = `javascript:${JSON.stringify(page($PORT))}`;
//= frame sent its own code
add("iframe").contentWindow.location = `javascript:${code($PORT)}`;
//= frame sent its own code by a link
add("iframe", { name: "linked" });
add("a", { target: "linked", href: `javascript:${code($PORT)}` }).click();
//= frame sent its own code by its name
add("iframe", { name: "named" });
open(`javascript:${code($PORT)}`, "named");
//= frame with data by property
add("iframe").src = `data:text/html,${encodeURIComponent(page($PORT))}`;
//= frame with a blob
add("iframe").src = blob(page($PORT), "text/html");
//= object with data
add("object", { type: "text/html", data: `data:text/html,${encodeURIComponent(page($PORT))}` });
//= embedded drawing with a script
add("embed", { type: "image/svg+xml", src: `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg"><scr${"ipt"}>${code($PORT)}</scr${"ipt"}></svg>`)}` });
//= drawing as an image with a picture | such an image loads nothing, anywhere
add("img", { src: `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg"><image href="$URL"/></svg>')}` });
//= speech to text | asks for a microphone first
return new SpeechRecognition().start();
