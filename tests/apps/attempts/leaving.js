//= address
location.href = "$URL?secret";
//= address, assigned
location.assign("$URL?secret");
//= address, replaced
location.replace("$URL?secret");
//= address by the navigation object
navigation.navigate("$URL?secret");
//= own window, opened again
open("$URL?secret", "_self");
//= link whose click the prelude does not see
const link = add("a", { href: "$URL?secret" });
link.addEventListener("click", (event) => event.stopPropagation());
link.click();
//= link in a closed shadow tree
const shadow = add("div").attachShadow({ mode: "closed" });
const inner = document.createElement("a");
inner.href = "$URL?secret";
shadow.append(inner);
inner.click();
//= link in a drawing
const drawing = document.createElementNS("http://www.w3.org/2000/svg", "a");
drawing.setAttribute("href", "$URL?secret");
drawing.addEventListener("click", (event) => event.stopPropagation());
add("div").append(drawing);
drawing.dispatchEvent(new MouseEvent("click"));
//= download
const file = add("a", { href: "$URL?secret", download: "x" });
file.addEventListener("click", (event) => event.stopPropagation());
file.click();
//= form
const form = add("form", { action: "$URL", method: "post" });
form.append(Object.assign(document.createElement("input"), { name: "secret", value: "x" }));
form.submit();
//= form by a request to submit
add("form", { action: "$URL" }).requestSubmit();
//= refresh
const refresh = document.createElement("meta");
refresh.httpEquiv = "refresh";
refresh.content = "0;url=$URL?secret";
document.head.append(refresh);
//= refresh in the body
lab.innerHTML = '<meta ' + 'http-eq' + 'uiv="refresh" content="0;url=$URL?secret">';
//= page of its own code
location.href = `javascript:${JSON.stringify(page($PORT))}`;
//= page of its own code, by a link
const coded = add("a", { href: `javascript:${JSON.stringify(page($PORT))}` });
coded.addEventListener("click", (event) => event.stopPropagation());
coded.click();
//= page of its own code, opened
open(`javascript:${JSON.stringify(page($PORT))}`, "_self");
//= page of data | browsers show no data to a whole window
location.href = `data:text/html,${encodeURIComponent(page($PORT))}`;
//= page of a blob
location.href = blob(page($PORT), "text/html");
//= page written anew
document.open();
document.write(page($PORT));
document.close();
//= page written without a word
document.write(page($PORT));
//= page opened anew, then filled
document.open();
document.append(document.createElement("html"));
const filling = document.createElement("iframe");
document.documentElement.append(filling);
filling.srcdoc = page($PORT);
//= window of the host
top.location.href = "$URL?secret";
//= window of the host, by a link
const above = add("a", { href: "$URL?secret", target: "_top" });
above.addEventListener("click", (event) => event.stopPropagation());
above.click();
//= window of the shell
parent.location.href = "$URL?secret";
//= window of the shell, by a form
add("form", { action: "$URL", target: "_parent" }).submit();
