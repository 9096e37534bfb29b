//= nowhere
location.href = "about:blank";
//= to itself
location.reload();
//= to data
location.href = "data:text/html,<h1>forged</h1>";
//= to a page of its own that speaks
location.href = `data:text/html,<scr` + `ipt>top.postMessage({ jsonrpc: "2.0", id: 1, method: "ui/message", params: {} }, "*")</scr` + `ipt>`;
//= by a refresh
const refresh = document.createElement("meta");
refresh.httpEquiv = "refresh";
refresh.content = "0;url=about:blank";
document.head.append(refresh);
//= by a link
const link = add("a", { href: "about:blank" });
link.addEventListener("click", (event) => event.stopPropagation());
link.click();
//= by a window of its own name
open("about:blank", "_self");
//= through a history of its own
history.pushState({}, "");
history.replaceState({}, "");
location.hash = "x";
history.back();
history.go(-1);
