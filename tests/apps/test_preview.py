"""The preview's page in Chromium: what a person who builds views does there, and what each of its switches changes."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.apps.walks import Step, Walker, running_walker
from tests.fixtures.local_server import LocalServer, running_local_server
from tests.fixtures.node import NodeProject

TOKEN = "a-token-only-the-page-has"

VIEW: Any = '<p id="hello">Hello from the view</p>'
EDITOR = "Code for execute_code"


def program(html: str, returned: str = '"said in words"') -> str:
    return f"async () => {{ await connecta.ui({json.dumps(html)}); return {returned}; }}"


def run(code: str) -> list[Step]:
    """Connect, write ``code`` and run it from the keyboard."""
    return [("sees", "status", "Connected"), ("fill", EDITOR, code), ("press", "Control+Enter")]


SHOWN: list[Step] = [*run(program(VIEW)), ("sees", "payload", "Hello from the view")]


def panel(name: str, text: str) -> list[Step]:
    """Open a panel, and read it once ``text`` is there."""
    return [("click", "tab", name), ("sees", "panel", text), ("reads", "panel")]


@pytest.fixture(scope="module")
def walker(node_project: NodeProject, chromium: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walker]:
    with running_walker(node_project, chromium, tmp_path_factory.mktemp("walks")) as walker:
        yield walker


@pytest.fixture(scope="module")
def page(shop_server: LocalServer) -> str:
    return f"{shop_server.origin}/preview"


def test_a_program_runs_and_its_view_stands_beside_what_the_model_reads(walker: Walker, page: str) -> None:
    """The figures beside it are the run's own: the payload's bytes, a height, the protocol's messages."""
    steps = [
        *SHOWN,
        ("reads", "panel"),
        *panel("Messages", "ui/notifications/size-changed"),
        *panel("Sizes", "720 ×"),
        *panel("Policy violations", "The view kept to the policy."),
        *panel("Payload", f"{len(VIEW)} bytes"),
    ]
    walked = walker.walk(page, steps)
    assert walked.complaints == []
    model, messages, payload = walked.kept[4], walked.kept[7], walked.kept[-1]
    assert '"result":"said in words"' in model
    assert "characters of text" in model
    assert listed(messages)[:7] == [
        "ui/notifications/sandbox-proxy-ready",
        "ui/notifications/sandbox-resource-ready",
        "ui/initialize",
        "answer to 1",
        "ui/notifications/initialized",
        "ui/notifications/tool-input",
        "ui/notifications/tool-result",
    ]
    assert VIEW in payload


def listed(messages: str) -> list[str]:
    """What the messages' panel lists, each once: the shell greets again until its first greeting is answered."""
    names = dict.fromkeys(line for line in messages.splitlines() if line.startswith(("ui/", "answer")))
    return [name for name in names if not re.fullmatch(r"answer to ([2-9]|\d\d+)", name)]


def test_it_can_be_done_from_the_keyboard_alone(walker: Walker, page: str) -> None:
    steps: list[Step] = [
        ("sees", "status", "Connected"),
        ("fill", EDITOR, program(VIEW)),
        ("press", "Meta+Enter"),
        ("sees", "payload", "Hello from the view"),
        ("focus", "tab", "The model reads"),
        ("press", "ArrowRight"),
        ("focused",),
        ("sees", "panel", "ui/initialize"),
        ("press", "End"),
        ("focused",),
        ("press", "ArrowRight"),
        ("focused",),
        ("sees", "panel", "said in words"),
    ]
    walked = walker.walk(page, steps)
    assert walked.complaints == []
    assert [walked.kept[at] for at in (6, 9, 11)] == ["tab-messages", "tab-payload", "tab-model"]


def test_a_run_that_fails_shows_its_error_and_no_view(walker: Walker, page: str) -> None:
    code = 'async () => { await connecta.ui("<p>gone</p>"); return missing; }'
    steps = [*run(code), ("sees", "status", "Failed after"), ("sees", "panel", "This is the error"), ("reads", "panel")]
    walked = walker.walk(page, [*steps, *panel("Payload", "This run showed no view."), ("gone", "payload")])
    assert walked.complaints == []
    assert "ReferenceError: missing is not defined" in walked.kept[5]


def test_every_example_runs(walker: Walker, page: str) -> None:
    """All but the two that are there to fail and to be stopped."""
    told = {
        "A table that sorts": '"orders":4',
        "A chart": '"May":8200',
        "The tools of this deployment": '"shop.get_order"',
        "A long document": '"sections":24',
        "No view, only words": '"result":"Plain words need no view."',
    }
    steps: list[Step] = [("sees", "status", "Connected")]
    for title, answer in told.items():
        steps += [("choose", "Start from an example", title), ("click", "button", "Run"), ("sees", "panel", answer)]
    assert walker.walk(page, steps).complaints == []


def test_what_was_written_is_still_there_after_a_reload(walker: Walker, page: str) -> None:
    steps: list[Step] = [
        ("sees", "status", "Connected"),
        ("fill", EDITOR, "async () => 1"),
        ("runs", "page", "window.before = 1; void location.reload()"),
        ("holds", "page", "!window.before && document.getElementById('code').value === 'async () => 1'"),
    ]
    assert walker.walk(page, steps).complaints == []


@pytest.mark.parametrize("browser", ["light", "dark"])
def test_the_view_has_the_theme_that_is_chosen_and_not_the_browsers(walker: Walker, page: str, browser: str) -> None:
    scheme = "getComputedStyle(document.documentElement).colorScheme === '{}'"
    steps: list[Step] = [*SHOWN, ("holds", "payload", scheme.format("light")), ("check", "Theme", "Dark")]
    ground = [("holds", place, scheme.format("dark")) for place in ("payload", "view", "proxy")]
    back = ("holds", "payload", scheme.format("light"))
    walked = walker.walk(page, [*steps, *ground, ("check", "Theme", "Light"), back], scheme=browser)
    assert walked.complaints == []


def test_a_phone_and_a_desktop_have_their_widths(walker: Walker, page: str) -> None:
    widths = [("holds", "proxy", f"innerWidth === {width}") for width in (720, 360, 720)]
    steps = [*SHOWN, widths[0], ("check", "Width", "Phone"), widths[1], ("check", "Width", "Desktop"), widths[2]]
    walked = walker.walk(page, [*steps, *panel("Messages", "host-context-changed")])
    assert walked.complaints == []


ASKS_FOR_FULLSCREEN = (
    "void parent.postMessage({ jsonrpc: '2.0', id: 4711, method: 'ui/request-display-mode', "
    "params: { mode: 'fullscreen' } }, '*')"
)
COVERED = "document.querySelector('.write').inert"
FULL = "innerWidth === 1440 - 32 && innerHeight > 800"


def test_a_view_that_asks_for_fullscreen_gets_the_window_until_escape(walker: Walker, page: str) -> None:
    """``ui/request-display-mode``; the way back has the keyboard, and what is covered cannot be reached."""
    steps: list[Step] = [
        *SHOWN,
        ("runs", "view", ASKS_FOR_FULLSCREEN),
        ("holds", "proxy", FULL),
        ("focused",),
        ("runs", "page", COVERED),
        ("press", "Escape"),
        ("holds", "proxy", "innerWidth === 720"),
        ("focused",),
        ("runs", "page", COVERED),
        ("check", "Display", "Fullscreen"),
        ("holds", "proxy", FULL),
        ("click", "button", "Back to inline"),
        ("holds", "proxy", "innerWidth === 720"),
    ]
    walked = walker.walk(page, steps)
    assert walked.complaints == []
    assert [walked.kept[at] for at in (6, 7, 10, 11)] == ["leave", True, "inline", False]


NO_FULLSCREEN: list[Step] = [
    ("check", "What it passes on", "No fullscreen"),
    ("holds", "page", "document.querySelector('#look [value=fullscreen]').disabled"),
]


def test_a_host_without_fullscreen_stays_inline(walker: Walker, page: str) -> None:
    steps: list[Step] = [
        *SHOWN,
        *NO_FULLSCREEN,
        ("sees", "payload", "Hello from the view"),
        ("runs", "view", ASKS_FOR_FULLSCREEN),
        ("click", "tab", "Messages"),
        ("sees", "panel", "answer to 4711"),
        ("enabled", "Display", "Fullscreen"),
        ("runs", "proxy", "innerWidth"),
    ]
    walked = walker.walk(page, steps)
    assert (walked.complaints, walked.kept[-2:]) == ([], [False, 720])


def test_a_view_that_is_being_replaced_no_longer_gets_fullscreen(walker: Walker, page: str) -> None:
    """It asks for it as the last thing it does, when the next host has none."""
    asks_at_last = f"""addEventListener("message", ({{ data }}) => {{
      if (data?.method === "ui/resource-teardown") {ASKS_FOR_FULLSCREEN};
    }}, true)"""
    steps: list[Step] = [*SHOWN, ("runs", "proxy", asks_at_last), *NO_FULLSCREEN, ("sees", "payload", "Hello")]
    walked = walker.walk(page, [*steps, ("runs", "proxy", "innerWidth"), ("runs", "page", COVERED)])
    assert (walked.complaints, walked.kept[-2:]) == ([], [720, False])


def shown_again(*switches: tuple[str, str]) -> list[Step]:
    """The view again after ``switches``, with the messages' panel open."""
    return [*SHOWN, ("click", "tab", "Messages"), *(("check", group, label) for group, label in switches)]


RESULT_BODY = """(() => {
  const all = [...document.querySelectorAll("#panel-messages details")];
  const found = all.find((each) => each.querySelector("code").textContent === "ui/notifications/tool-result");
  if (!found) return "";
  found.open = true;
  return found.querySelector("pre")?.textContent ?? "";
})()"""


def test_a_host_that_strips_meta_makes_the_view_fetch_itself(walker: Walker, page: str) -> None:
    """U3: by its id, through ``get_result``, which is the only tool a view may call."""
    steps = shown_again(("What it passes on", "Strips _meta"))
    steps += [("sees", "panel", "tools/call"), ("sees", "payload", "Hello"), ("holds", "page", RESULT_BODY)]
    walked = walker.walk(page, [*steps, ("runs", "page", RESULT_BODY)])
    delivered = json.loads(walked.kept[-1])["params"]
    assert (walked.complaints, sorted({"content", "structuredContent", "_meta"} & set(delivered))) == ([], ["content"])


def test_a_host_that_strips_meta_and_has_no_tools_is_told_so_in_words(walker: Walker, page: str) -> None:
    steps = shown_again(("What it passes on", "No server tools"), ("What it passes on", "Strips _meta"))
    walked = walker.walk(
        page, [*steps, ("sees", "view", "could not be loaded"), ("gone", "payload"), ("reads", "panel")]
    )
    assert walked.complaints == []
    assert "tools/call" not in walked.kept[-1]


def test_a_view_may_call_no_tool_that_is_the_models(walker: Walker, page: str) -> None:
    """U5: visibility is the host's to enforce."""
    call = (
        "{ jsonrpc: '2.0', id: 99, method: 'tools/call', params: { name: 'execute_code', arguments: { code: 'x' } } }"
    )
    steps: list[Step] = [*SHOWN, ("runs", "view", f"void parent.postMessage({call}, '*')")]
    walked = walker.walk(page, [*steps, *panel("Messages", "error, answer to 99")])
    assert walked.complaints == []


LATE = """[...document.querySelectorAll("#panel-messages details")].some((each) =>
  /tool-result/.test(each.textContent) && parseInt(each.querySelector("span").textContent) >= 2900)"""


def test_a_late_result_still_shows(walker: Walker, page: str) -> None:
    steps = [*shown_again(("Result", "3 s late")), ("holds", "page", LATE), ("sees", "payload", "Hello")]
    assert walker.walk(page, steps).complaints == []


def test_a_result_that_never_comes_leaves_the_view_waiting(walker: Walker, page: str) -> None:
    steps = [
        *shown_again(("Result", "Never")),
        ("holds", "page", "!document.getElementById('panel-messages').textContent.includes('tool-result')"),
        ("sees", "panel", "tool-input"),
        ("gone", "payload"),
        ("reads", "panel"),
    ]
    walked = walker.walk(page, steps)
    assert (walked.complaints, "tool-result" in walked.kept[-1]) == ([], False)


def test_a_cancelled_call_says_so(walker: Walker, page: str) -> None:
    steps = [*shown_again(("Result", "Call cancelled")), ("sees", "panel", "ui/notifications/tool-cancelled")]
    walked = walker.walk(page, [*steps, ("sees", "view", "cancelled"), ("gone", "payload")])
    assert walked.complaints == []


REACHING = program("<script>new Image().src = 'https://elsewhere.example/x.png'</script><p>Reached out</p>")


@pytest.mark.parametrize("label", ["The specification’s", "As seen in Claude"])
def test_what_the_hosts_policy_stopped_is_listed(walker: Walker, page: str, label: str) -> None:
    """``elsewhere.example`` is asked for by nobody: the policy stops it before a name is looked up."""
    steps: list[Step] = [
        *run(REACHING),
        ("sees", "payload", "Reached out"),
        ("check", "Content security policy", label),
    ]
    walked = walker.walk(page, [*steps, *panel("Policy violations", "img-src")])
    assert "https://elsewhere.example/x.png" in walked.kept[-1]
    assert all("Content Security Policy" in complaint for complaint in walked.complaints)


def test_a_host_without_a_policy_leaves_only_the_shells_own(walker: Walker, page: str) -> None:
    """The shell's policy stops the picture all the same; the host, which set none, hears nothing of it."""
    steps: list[Step] = [
        *run(REACHING),
        ("sees", "payload", "Reached out"),
        ("check", "Content security policy", "None"),
    ]
    told = "This host sets no policy"
    walked = walker.walk(page, [*steps, *panel("Policy violations", told), ("sees", "payload", "Reached out")])
    assert all("Content Security Policy" in complaint for complaint in walked.complaints)


def test_a_message_from_the_payload_is_refused_and_nothing_comes_of_it(walker: Walker, page: str) -> None:
    posts = ASKS_FOR_FULLSCREEN.replace("parent.", "to.")
    html = f"<p>Posting</p><script>for (const to of [top, parent.parent]) {{ {posts} }}</script>"
    steps: list[Step] = [*run(program(html)), ("sees", "payload", "Posting"), *panel("Messages", "✕ refused")]
    steps += [("runs", "proxy", "innerWidth")]
    walked = walker.walk(page, steps)
    assert (walked.complaints, walked.kept[-1]) == ([], 720)


def test_a_deployment_with_a_token_asks_for_it_and_only_the_page_has_it(
    walker: Walker, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Neither the frames, nor what they are sent, nor the browser's storage have the token."""
    label = "Bearer token"
    told = f"[document.documentElement.outerHTML, window.name, location.href].join().includes('{TOKEN}')"
    stored = f"[sessionStorage, localStorage].some((kept) => JSON.stringify(kept).includes('{TOKEN}'))"
    reached = "(() => { try { return String(top.document.title); } catch (error) { return error.name; } })()"
    steps: list[Step] = [
        ("sees", "status", "Give the token"),
        ("fill", EDITOR, program(VIEW)),
        ("fill", label, "wrong"),
        ("press", "Control+Enter"),
        ("sees", "status", "does not accept this token"),
        ("focused",),
        ("fill", label, TOKEN),
        ("press", "Control+Enter"),
        ("sees", "payload", "Hello from the view"),
        ("click", "tab", "Messages"),
        ("check", "What it passes on", "Strips _meta"),
        ("sees", "panel", "tools/call"),
        ("sees", "payload", "Hello from the view"),
        ("runs", "page", "document.querySelectorAll('#panel-messages details').forEach((each) => (each.open = true))"),
        ("runs", "page", f"document.getElementById('panel-messages').textContent.includes('{TOKEN}')"),
        ("runs", "page", stored),
        *(("runs", place, told) for place in ("proxy", "view", "payload")),
        *(("runs", place, reached) for place in ("proxy", "view", "payload")),
    ]
    deployment = "tests.fixtures.lambda_deployment:deployment"
    with running_local_server(tmp_path_factory.mktemp("guarded"), deployment, {"CONNECTA_TOKEN": TOKEN}) as server:
        walked = walker.walk(f"{server.origin}/preview", steps)
    assert walked.kept[5] == "token"
    assert walked.kept[-8:] == [False] * 5 + ["SecurityError"] * 3
    assert all("401" in complaint for complaint in walked.complaints)


CONTRAST = """(() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const channel = (value) => (value / 255 <= 0.04045 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = rgba(getComputedStyle(at).backgroundColor);
      if (color[3] === 255) return color;
    }
    return [255, 255, 255];
  };
  const says = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  const low = [];
  for (const element of document.body.querySelectorAll("*")) {
    if (!element.checkVisibility() || !says(element) || element.closest("noscript, :disabled + span")) continue;
    const [a, b] = [light(rgba(getComputedStyle(element).color)), light(ground(element))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) low.push(`${element.tagName} ${element.textContent.slice(0, 40)}`);
  }
  return low;
})()"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_can_be_read(walker: Walker, page: str, scheme: str) -> None:
    """WCAG 2.2, 1.4.3: at least 4.5 to 1."""
    steps: list[Step] = [("runs", "page", CONTRAST), *SHOWN, ("runs", "page", CONTRAST), ("click", "tab", "Messages")]
    failing: list[Step] = [("runs", "page", CONTRAST), ("check", "Theme", "Dark"), *run("async () => missing")[1:]]
    walked = walker.walk(
        page, [*steps, *failing, ("sees", "status", "Failed"), ("runs", "page", CONTRAST)], scheme=scheme
    )
    assert [walked.kept[at] for at in (0, 5, 7, -1)] == [[], [], [], []]


@pytest.mark.parametrize("width", [320, 768, 1200, 1920])
def test_the_page_fits_any_width(walker: Walker, page: str, width: int) -> None:
    """WCAG 2.2, 1.4.10: only the stage, which has the view's own width, scrolls sideways."""
    too_wide = "document.documentElement.scrollWidth > innerWidth"
    walked = walker.walk(page, [*SHOWN, ("runs", "page", too_wide)], width=width)
    assert (walked.complaints, walked.kept[-1]) == ([], False)
