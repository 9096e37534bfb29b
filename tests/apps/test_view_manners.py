"""How a view lives in its frame: it keeps its place, its state and its height, whatever a program's HTML does."""

from dataclasses import replace

import pytest

from connecta.views.shell import SHELL_HTML
from tests.apps.driver import NONE, Driver, Scenario, Until, Update
from tests.apps.payloads import payload

GROWING = """<h1>List</h1><div id="list"></div><script>
  let rows = 0;
  const timer = setInterval(() => {
    const row = Object.assign(document.createElement("div"), { textContent: `row ${++rows}` });
    row.style.height = "100px";
    document.getElementById("list").append(row);
    if (rows === 12) clearInterval(timer);
  }, 100);
</script>"""
CLICKED = """<a id="link" href="$HREF">go</a><p id="out"></p><script>
  addEventListener("load", () => {
    document.getElementById("link").click();
    setTimeout(() => { document.getElementById("out").textContent = "still here"; }, 200);
  });
</script>"""
RENDERED = """<p id="out"></p><script>
  document.getElementById("out").textContent = `rendered ${getComputedStyle(document.documentElement).colorScheme}`;
</script>"""
LIBRARY = """<p id="out"></p><script>
  const policy = window.trustedTypes?.createPolicy("library", { createHTML: (html) => html });
  const html = "<b>made</b>";
  document.getElementById("out").innerHTML = policy ? policy.createHTML(html) : html;
</script>"""
HANDLER = """<h1>Plain</h1><img alt="" src="data:," onerror="document.body.append('handler ran')">"""


def scenario(html: str, until: str) -> Scenario:
    return Scenario(until=Until(text=until), shell=SHELL_HTML, result=payload(html))


@pytest.mark.parametrize(
    "style",
    ["body { min-height: 100vh; padding: 20px; }", "h1 { min-height: 110vh; }", "html, body { height: 100%; }"],
)
def test_a_view_that_follows_its_frame_settles_near_what_it_needs(host: Driver, style: str) -> None:
    report = host.play(scenario(f"<style>{style}</style><h1>Short</h1>", "Short"))
    assert report.complaints == NONE
    assert report.height <= 150
    assert len(report.sizes) <= 8


def test_a_view_that_really_grows_is_given_its_height(host: Driver) -> None:
    report = host.play(scenario(GROWING, "row 12"))
    assert report.complaints == NONE
    assert report.height == report.payload.height == report.payload.content > 1200


@pytest.mark.parametrize("href", ["https://example.com/", "#out"])
def test_following_a_link_leaves_the_view_where_it_is(host: Driver, href: str) -> None:
    report = host.play(scenario(CLICKED.replace("$HREF", href), "still here"))
    assert report.complaints == NONE


def test_a_theme_that_changes_does_not_render_the_view_again(host: Driver) -> None:
    shown = scenario(RENDERED, "rendered light")
    report = host.play(replace(shown, updates=[Update({"theme": "dark"}, Until(color_scheme="dark"))]))
    assert report.complaints == NONE
    assert (report.payload.text, report.payload.colorScheme) == ("rendered light", "dark")


def test_a_library_with_a_trusted_types_policy_works_in_a_view(host: Driver) -> None:
    assert host.play(scenario(LIBRARY, "made")).complaints == NONE


def test_html_without_a_script_runs_no_inline_handler(host: Driver) -> None:
    report = host.play(scenario(HANDLER, "Plain"))
    assert report.payload.text == "Plain"
