"""Programs, complete, as the server's own guides show them to models.

All read what is behind ``examples/``. Models read them, so they are as short as they can be and still right: values
escaped, listeners added by the script, the host's colours, and a summary returned that says what the view shows.
"""

from typing import Final

JOINED: Final = """async () => {
  const { tools } = await connecta.search({ connector: "shop", query: "list orders", includeSchemaKeys: true });
  const list = tools.find((tool) => tool.inputKeys?.includes("status")).address;
  const read = (id) => connecta.call("documents.read", { id }).catch(async (error) => {
    if (error.code !== "connector_call_failed") throw error;
    const { documents: [found] } = await connecta.call("documents.search", { query: id });
    return found && connecta.call("documents.read", { id: found.id });
  });
  const [{ orders }, { customers }, policy] = await Promise.all([
    connecta.call(list, { status: "delivered" }), shop.list_customers(), read("refund policy")]);
  const spent = {};
  for (const { customer_id, total } of orders) spent[customer_id] = (spent[customer_id] ?? 0) + total;
  const best = customers.filter(({ id }) => spent[id]).sort((a, b) => spent[b.id] - spent[a.id]).slice(0, 2);
  return { best: best.map(({ id, name }) => ({ name, spent: +spent[id].toFixed(2) })), policy: policy?.title };
}
"""

LISTED: Final = """async () => {
  const { orders } = await shop.list_orders({ status: "paid" });
  const safe = (value) => String(value).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt()};`);
  const rows = orders.map(({ id, total }) => `<tr><td>${safe(id)}<td>${safe(total)}`).join("");
  await connecta.ui(`<h2>Not sent yet</h2><table>${rows}</table>`);
  return { notSent: orders.length };
}
"""

TABLE: Final = """async () => {
  const [{ orders }, { customers }] = await Promise.all([shop.list_orders(), shop.list_customers()]);
  const names = Object.fromEntries(customers.map(({ id, name }) => [id, name]));
  const why = { paid: "not sent yet", shipped: "on its way", returned: "came back" };
  const open = orders.filter(({ status }) => status in why);
  const safe = (value) => String(value).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt()};`);
  const line = (tag, values) => `<tr>${values.map((value) => `<${tag}>${value}</${tag}>`).join("")}</tr>`;
  const heads = ["Order", "Customer", "Placed", "Total", "Why"].map((title) => `<button>${title}</button>`);
  const rows = open.map(({ id, customer_id, placed, total, status }) =>
    line("td", [id, names[customer_id], placed, total.toFixed(2), why[status]].map(safe)));
  await connecta.ui(`<h2>Open orders</h2>
    <style>
      table { width: 100%; }
      tr > :nth-child(4) { text-align: end; }
      th button { border: 0; padding: 0; background: none; color: inherit; cursor: pointer; }
      [aria-sort=ascending] button::after { content: " ↑"; }
      [aria-sort=descending] button::after { content: " ↓"; }
    </style>
    <table><thead>${line("th", heads)}</thead><tbody>${rows.join("")}</tbody></table>
    <script>
      const body = document.querySelector("tbody"), heads = [...document.querySelectorAll("th")];
      heads.forEach((head, at) => head.addEventListener("click", () => {
        const turn = head.ariaSort === "ascending" ? -1 : 1;
        for (const each of heads) each.ariaSort = each !== head ? null : turn > 0 ? "ascending" : "descending";
        const cell = (row) => row.cells[at].textContent;
        body.append(...[...body.rows].sort((a, b) => turn * (cell(a) - cell(b) || cell(a).localeCompare(cell(b)))));
      }));
    </script>`);
  return { open: open.length, total: +open.reduce((sum, { total }) => sum + total, 0).toFixed(2) };
}
"""

CHART: Final = """async () => {
  const [{ months }, picture] = await Promise.all([shop.revenue_by_month(), shop.revenue_chart()]);
  const { type, data, mimeType } = picture.content.find((block) => block.type === "image");
  await connecta.emit({ type, data, mimeType });
  const safe = (value) => String(value).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt()};`);
  const best = months.reduce((a, b) => (b.revenue > a.revenue ? b : a));
  const bars = months.map(({ month, revenue }, at) => {
    const width = (200 * revenue) / best.revenue, y = 28 * at;
    return `<text y="${y + 17}">${safe(month)}</text><rect x="66" y="${y + 2}" width="${width}" height="20" rx="3"/>
      <text x="${width + 74}" y="${y + 17}">${safe(revenue.toFixed(2))}</text>`;
  });
  await connecta.ui(`<h2>Revenue by month, €</h2>
    <style>
      svg { display: block; max-width: 480px; font-size: 13px; fill: currentColor; }
      rect { fill: var(--color-text-info, light-dark(#2f6bc4, #82b1ff)); }
    </style>
    <svg viewBox="0 0 340 ${28 * months.length}" role="img" aria-label="Revenue by month">${bars.join("")}</svg>`);
  return { months: months.length, best };
}
"""
