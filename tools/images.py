"""Takes the pictures in ``docs/images``: four views, each by a program at the real endpoint in a real Apps host, and
the operator's pages of a deployment that has been used for a while.

    python -m tools.images          write them again

Views are at the width of a conversation, in light and in dark, with half as many pixels again for sharp screens; pages
at the width of a desk, which is shown smaller, and of a telephone.
"""

import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from connecta.auth.sign_in.hashes import hashed
from connecta.auth.sign_in.secret import secret_text
from connecta.tools.examples import CHART, TABLE
from tests.apps.driver import NONE, Driver, Live, Scenario, Until, running_driver
from tests.fixtures.chromium import find_chromium
from tests.fixtures.dynamodb import running_moto
from tests.fixtures.keyed_mcp import keyed_mcp
from tests.fixtures.local_server import ROOT, running_local_server
from tests.fixtures.node import installed_project
from tests.fixtures.operated import KEY, operated
from tests.operator_pages.busy import furnish_house
from tests.operator_pages.conftest import PASSPHRASE, House, running_house
from tests.sign_in.browser import Browser, running_browser

FOLDER: Final = ROOT / "docs" / "images"
WIDTH: Final = 560
THEMES: Final = ("light", "dark")
DEVICES: Final = {"wide": 1280, "narrow": 390}
"""How wide pages are shown, in CSS pixels."""
PAGES: Final = {
    ("wide", "light"): ("", "tokens"),
    ("wide", "dark"): ("credentials", "activity"),
    ("narrow", "light"): ("",),
    ("narrow", "dark"): ("",),
}
"""Which, by device and theme."""

FORM: Final = """async () => {
  const { orders } = await shop.list_orders({ status: "delivered" });
  const { id, total } = orders.at(-1);
  const { text } = await documents.read({ id: "refund-policy" });
  const safe = (value) => String(value).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt()};`);
  await connecta.ui(`<h2>What could be refunded</h2>
    <style>
      form { display: grid; gap: .8em; }
      label { display: grid; gap: .25em; color: var(--color-text-secondary, GrayText); }
      input, select { padding: .45em .6em; border: 1px solid var(--color-border-primary, #8886); border-radius: 6px;
        background: none; color: var(--color-text-primary, CanvasText); width: 100%; box-sizing: border-box; }
      .two { display: grid; grid-template-columns: 1fr 1fr; gap: .8em; }
      label.line { display: flex; gap: .5em; align-items: center; }
      label.line input { width: auto; }
      output { font-weight: 600; }
    </style>
    <form>
      <div class="two"><label>Order <input value="${safe(id)}" readonly></label>
      <label>Reason <select><option>Damaged on arrival<option>Changed mind<option>Wrong item</select></label></div>
      <label>Share of ${safe(total.toFixed(2))} € <input id="share" type="range" min="0" max="100" value="50"></label>
      <label class="line"><input type="checkbox" checked> Shipping, too</label>
      <p>To refund: <output id="sum"></output></p>
    </form>
    <p><small>${safe(text)}</small></p>
    <script>
      const share = document.getElementById("share"), sum = document.getElementById("sum");
      const show = () => { sum.textContent = (${Number(total)} * share.value / 100).toFixed(2) + " €"; };
      share.addEventListener("input", show);
      show();
    </script>`);
  return { order: id, total, half: total / 2 };
}"""

DOCUMENT: Final = """async () => {
  const { documents: found } = await documents.search({ query: "a" });
  const safe = (value) => String(value).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt()};`);
  const whole = await Promise.all(found.map(({ id }) => documents.read({ id })));
  const line = ({ id, title }) => `<li><a href="#${safe(id)}">${safe(title)}</a></li>`;
  const section = ({ id, title, tags, text }) =>
    `<h2 id="${safe(id)}">${safe(title)}</h2><p>${safe(text)}</p><p><small>${safe(tags.join(", "))}</small></p>`;
  await connecta.ui(`<h1>What the shop has written down</h1>
    <style>a { color: var(--color-text-info, light-dark(#2f6bc4, #82b1ff)); } h2 { margin-top: 1.2em; }
      small { color: var(--color-text-secondary, GrayText); }</style>
    <ol>${whole.map(line).join("")}</ol>${whole.map(section).join("")}`);
  return { documents: whole.length };
}"""

PICTURES: Final = {
    "table": (TABLE, "Open orders"),
    "chart": (CHART, "Revenue by month"),
    "form": (FORM, "To refund"),
    "document": (DOCUMENT, "written down"),
}
"""By the file's name: the program, and a text to wait for."""


def take(host: Driver, endpoint: str, name: str, theme: str) -> Path:
    """One picture. Raises ``AssertionError`` when anything about the view is not as it should be."""
    program, text = PICTURES[name]
    picture = FOLDER / f"{name}-{theme}.png"
    report = host.play(
        Scenario(
            until=Until(text=text),
            live=Live(endpoint, {"code": program}),
            theme=theme,
            browser_scheme=theme,
            width=WIDTH,
            max_height=420,
            screenshot=picture,
            scale=1.5,
        )
    )
    assert report.complaints == NONE, report.complaints
    assert report.payload.beyond == 0
    return picture


def take_pages(browser: Browser, origin: str, theme: str, device: str) -> Sequence[Path]:
    """Pictures of the operator's pages. Raises ``AssertionError`` when something sticks out."""
    pages = PAGES[device, theme]
    pictures = [FOLDER / f"pages-{page or 'connectors'}-{device}-{theme}.png" for page in pages]
    steps: list[Sequence[str]] = [("goto", origin), ("fill", "Passphrase", PASSPHRASE), ("press", "Sign in")]
    for page, picture in zip(pages, pictures, strict=True):
        steps += [("goto", f"{origin}/{page}"), ("wide",), ("shot", str(picture))]
    said = browser.visit(f"{theme} {device}", *steps, scheme=theme, width=DEVICES[device], scale=1).said
    assert said[4::3] == [0] * len(pictures)
    return pictures


@contextmanager
def furnished_house(folder: Path) -> Generator[House]:
    """A deployment whose owner has pages full of something."""
    calendar_url = "http://127.0.0.1:9/mcp"
    kept = secret_text("k" * 64, hashed(PASSPHRASE))
    with (
        running_moto() as table_url,
        keyed_mcp(f"Bearer {KEY}") as shelf,
        running_house(folder, kept, table_url, "house", shelf.url, calendar_url) as house,
    ):
        furnish_house(house, operated(shelf.url, name=house.name, calendar_url=calendar_url))
        yield house


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        pages = installed_project(ROOT / "tests" / "sign_in")
        with (
            furnished_house(Path(folder)) as house,
            running_browser(pages, find_chromium(), Path(folder)) as browser,
        ):
            for device, theme in PAGES:
                for picture in take_pages(browser, house.origin, theme, device):
                    _say(picture)
    take_views()


def take_views() -> None:
    project = installed_project(ROOT / "tests" / "apps")
    with (
        tempfile.TemporaryDirectory() as folder,
        running_local_server(Path(folder) / "state") as server,
        running_driver(project, find_chromium(), Path(folder)) as host,
    ):
        for name in PICTURES:
            for theme in THEMES:
                picture = take(host, server.url, name, theme)
                _say(picture)


def _say(picture: Path) -> None:
    print(f"{picture.relative_to(ROOT)}: {picture.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
