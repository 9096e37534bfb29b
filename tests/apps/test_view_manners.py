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
    """On a slow machine after a few more steps; unbounded it would be past 1600 in the same time."""
    report = host.play(scenario(f"<style>{style}</style><h1>Short</h1>", "Short"))
    assert report.complaints == NONE
    assert report.height < 1000
    assert len(report.sizes) <= 60


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


def direction(html: str) -> str:
    return (
        f"{html}<p id='out'>waits</p><script>addEventListener('load', () => "
        "{ out.textContent = `direction ${getComputedStyle(document.body).direction}`; });</script>"
    )


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ("<h1>שלום עולם</h1>", "rtl"),
        ("<h1>مرحبا</h1>", "rtl"),
        ("<h1>Hello שלום</h1>", "ltr"),
        ("<h1>こんにちは</h1>", "ltr"),
        ("<!doctype html><html dir='rtl' lang='he'><body><h1>Hello</h1>", "rtl"),
        ("<html><body dir='ltr'><h1>שלום</h1>", "ltr"),
        ("<style>body { direction: rtl; }</style><h1>Hello</h1>", "rtl"),
    ],
)
def test_text_runs_in_its_own_direction_unless_the_view_says_one(host: Driver, html: str, found: str) -> None:
    report = host.play(scenario(direction(html), f"direction {found}"))
    assert report.complaints == NONE


SCHEMES = """<style>
  :root { color-scheme: light dark; }
  #out::after { content: "light rule"; }
  @media (prefers-color-scheme: dark) { @supports (color: red) { #out::after { content: "dark rule"; } } }
</style>
<style media="(prefers-color-scheme: dark)">#out { outline: 1px solid; }</style>
<p id="out"></p><p id="says"></p><script>
  const says = () => {
    const { content } = getComputedStyle(document.getElementById("out"), "::after");
    const { outlineStyle } = getComputedStyle(document.getElementById("out"));
    const asked = matchMedia("(prefers-color-scheme: dark)").matches;
    document.getElementById("says").textContent = `${content}, ${outlineStyle}, ${asked}`;
    setTimeout(says, 50);
  };
  addEventListener("load", says);
</script>"""


@pytest.mark.parametrize("browser", ["light", "dark"])
def test_a_view_that_asks_for_the_colour_scheme_hears_the_hosts(host: Driver, browser: str) -> None:
    """And hears it again when it changes, without being rendered again."""
    light, dark = '"light rule", none, false', '"dark rule", solid, true'
    shown = replace(scenario(SCHEMES, light), browser_scheme=browser)
    there = Update({"theme": "dark"}, Until(text=dark))
    back = Update({"theme": "light"}, Until(text=light))
    report = host.play(replace(shown, updates=[there, back]))
    assert report.complaints == NONE
    assert report.payload.colorScheme == "light"


def test_a_view_made_for_one_scheme_keeps_it(host: Driver) -> None:
    html = "<style>:root { color-scheme: light; background: #fff; }</style><p>white</p>"
    report = host.play(replace(scenario(html, "white"), theme="dark"))
    assert (report.payload.colorScheme, report.complaints) == ("light", NONE)


def test_a_host_that_says_no_theme_is_taken_to_follow_the_browser(host: Driver) -> None:
    report = host.play(replace(scenario(SCHEMES, '"dark rule", solid, true'), theme=None, browser_scheme="dark"))
    assert (report.payload.colorScheme, report.complaints) == ("dark", NONE)


def test_a_view_that_never_rests_is_slowed_down(host: Driver) -> None:
    """Hundreds of different heights are asked for; a few dozen are passed on to the host."""
    restless = """<p id="out">moving</p><script>
      let turn = 0;
      const post = () => {
        parent.postMessage(turn++ % 2 ? 100 : 300, "*");
        if (turn < 400) requestAnimationFrame(post);
        else document.getElementById("out").textContent = "moved";
      };
      addEventListener("load", post);
    </script>"""
    report = host.play(scenario(restless, "moved"))
    assert report.complaints == NONE
    assert 3 <= len(report.sizes) <= 60


def test_what_stands_outside_the_flow_can_be_scrolled_to(host: Driver) -> None:
    """Its height is not asked for, but nothing is cut off."""
    html = """<p>short</p><div style="position: absolute; top: 0; height: 900px">tall</div><p id="says"></p><script>
      const { style } = document.documentElement;
      const says = () => { document.getElementById("says").textContent = style.overflowY; setTimeout(says, 50); };
      says();
    </script>"""
    report = host.play(scenario(html, "auto"))
    assert (report.complaints, report.height < 200) == (NONE, True)
