// A row of tabs with one panel each, as the ARIA practices describe it: arrows move, and moving shows.

export function tabs(list) {
  const all = [...list.querySelectorAll("[role=tab]")];

  function choose(tab) {
    for (const each of all) {
      const chosen = each === tab;
      each.setAttribute("aria-selected", String(chosen));
      each.tabIndex = chosen ? 0 : -1;
      document.getElementById(each.getAttribute("aria-controls")).hidden = !chosen;
    }
  }

  function move({ key }) {
    const at = all.indexOf(document.activeElement);
    const places = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 };
    if (!(key in places)) return false;
    const tab = all.at(places[key] % all.length);
    choose(tab);
    tab.focus();
    return true;
  }

  list.addEventListener("click", ({ target }) => {
    const tab = target.closest("[role=tab]");
    if (tab) choose(tab);
  });
  list.addEventListener("keydown", (event) => move(event) && event.preventDefault());
  choose(all[0]);
}
