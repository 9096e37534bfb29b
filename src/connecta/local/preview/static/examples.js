// Programs to start from. Each returns the summary its view shows: the model reads that, not the view.

const table = `async () => {
  const orders = [
    { id: "o-2001", customer: "Ada Lovelace", day: "2026-09-02", total: 129.5 },
    { id: "o-2002", customer: "Grace Hopper", day: "2026-09-05", total: 48 },
    { id: "o-2003", customer: "Katherine Johnson", day: "2026-09-11", total: 312.2 },
    { id: "o-2004", customer: "Mary Jackson", day: "2026-09-17", total: 75.9 },
  ];
  const heads = [["id", "Order"], ["customer", "Customer"], ["day", "Day"], ["total", "Total"]];
  await connecta.ui(\`
    <style>
      th button { all: unset; cursor: pointer; font-weight: 600; }
      th button:focus-visible { outline: 2px solid; outline-offset: 3px; border-radius: 2px; }
      th[aria-sort=ascending] button::after { content: " ↑"; }
      th[aria-sort=descending] button::after { content: " ↓"; }
      td:last-child, th:last-child { text-align: end; }
      td:not(:nth-child(2)) { white-space: nowrap; }
      table { width: 100%; }
    </style>
    <table>
      <thead><tr>\${heads.map(([, title]) => \`<th><button>\${title}</button></th>\`).join("")}</tr></thead>
      <tbody></tbody>
    </table>
    <script>
      const rows = \${JSON.stringify(orders)}, keys = \${JSON.stringify(heads.map(([key]) => key))};
      const cells = [...document.querySelectorAll("th")], body = document.querySelector("tbody");
      let sorted, direction = 1;
      function sort(at) {
        direction = sorted === at ? -direction : 1;
        sorted = at;
        const by = keys[at];
        rows.sort((a, b) => (a[by] > b[by] ? direction : -direction));
        cells.forEach((cell, i) => cell.setAttribute("aria-sort", i !== at ? "none" : direction > 0 ? "ascending" : "descending"));
        body.replaceChildren(...rows.map((row) => {
          const line = document.createElement("tr");
          line.append(...keys.map((key) => {
            const cell = document.createElement("td");
            cell.textContent = key === "total" ? row[key].toFixed(2) + " €" : row[key];
            return cell;
          }));
          return line;
        }));
      }
      cells.forEach((cell, at) => cell.firstChild.addEventListener("click", () => sort(at)));
      sort(2);
    </script>\`);
  return { orders: orders.length, total: orders.reduce((sum, { total }) => sum + total, 0) };
}`;

const chart = `async () => {
  const revenue = [["May", 8200], ["Jun", 9400], ["Jul", 7100], ["Aug", 11800], ["Sep", 10300], ["Oct", 12900]];
  const most = Math.max(...revenue.map(([, value]) => value));
  const bars = revenue.map(([month, value], i) => {
    const height = Math.round((value / most) * 150), x = 12 + i * 58;
    return \`<rect x="\${x}" y="\${176 - height}" width="38" height="\${height}" rx="4" fill="#4d6bdd"/>
      <text x="\${x + 19}" y="\${168 - height}">\${(value / 1000).toFixed(1)}</text>
      <text x="\${x + 19}" y="195">\${month}</text>\`;
  });
  await connecta.ui(\`
    <h2>Revenue, thousand euro</h2>
    <svg viewBox="0 0 360 204" width="100%" role="img" aria-label="Revenue by month"
      style="max-width: 560px; display: block" font-size="12" text-anchor="middle" fill="currentColor">\${bars.join("")}</svg>\`);
  return Object.fromEntries(revenue);
}`;

const tools = `async () => {
  const { tools } = await connecta.search({ safety: "readOnly" });
  const escaped = (text) => text.replace(/[&<]/g, (c) => (c === "&" ? "&amp;" : "&lt;"));
  await connecta.ui(
    "<h2>Tools a program can call</h2><ul>" +
      tools.map(({ address }) => "<li><code>" + escaped(address) + "</code></li>").join("") + "</ul>");
  return tools.map(({ address }) => address);
}`;

const long = `async () => {
  const sections = Array.from({ length: 24 }, (_, i) => i + 1);
  await connecta.ui("<h1>A long document</h1>" + sections.map((n) =>
    "<h2>Section " + n + "</h2><p>Taller than a host gives room for: it scrolls in its own frame.</p>").join(""));
  return { sections: sections.length };
}`;

const words = `async () => {
  return "Plain words need no view.";
}`;

const failing = `async () => {
  await connecta.ui("<p>Nobody sees this: the run fails afterwards.</p>");
  return missing.value;
}`;

const reaching = `async () => {
  await connecta.ui(\`<p>This view asks for a picture from elsewhere.</p>
    <p id="said">Waiting …</p>
    <script>
      const picture = new Image();
      const say = (text) => (document.getElementById("said").textContent = text);
      picture.addEventListener("error", () => say("It was stopped."));
      picture.src = "https://example.com/picture.png";
    </script>\`);
  return "The picture was stopped by the policy.";
}`;

/** By the title a person chooses. */
export const EXAMPLES = {
  "A table that sorts": table,
  "A chart": chart,
  "The tools of this deployment": tools,
  "A long document": long,
  "No view, only words": words,
  "A run that fails": failing,
  "A view that reaches for the network": reaching,
};
