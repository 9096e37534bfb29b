"""What the tests ask of the browser and what they hear back: a process of Node that drives Chromium."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.fixtures.node import Conversation, NodeProject, conversation


@dataclass(frozen=True)
class Until:
    """What to wait for: a frame's text, one of several or its colour scheme, or the height the view asked for last."""

    frame: str = "payload"
    text: str | tuple[str, ...] | None = None
    color_scheme: str | None = None
    height: int | None = None

    def json(self) -> dict[str, Any]:
        given = {"frame": self.frame, "text": self.text, "colorScheme": self.color_scheme, "height": self.height}
        return {name: value for name, value in given.items() if value is not None}


@dataclass(frozen=True)
class Live:
    """A tool call at a running server, made by the host."""

    url: str
    arguments: dict[str, Any]
    name: str = "execute_code"
    token: str | None = None

    def json(self) -> dict[str, Any]:
        headers = {"authorization": f"Bearer {self.token}"} if self.token else {}
        return {"url": self.url, "name": self.name, "arguments": self.arguments, "headers": headers}


@dataclass(frozen=True)
class Update:
    """What happens to a view that stands: a change of the host's context, a button that is pressed in the
    frame ``place``, time that passes at once, messages of the host. And what to wait for after it."""

    context: dict[str, Any] | None
    until: Until
    press: str | None = None
    place: str = "view"
    forward_ms: int | None = None
    says: Sequence[dict[str, Any]] = ()

    def json(self) -> dict[str, Any]:
        given = {"context": self.context, "press": self.press, "forwardMs": self.forward_ms}
        done = {name: value for name, value in given.items() if value is not None}
        return {"until": self.until.json(), "says": list(self.says), "place": self.place, **done}


@dataclass(frozen=True)
class Last:
    """Ports of this machine that get a request and a packet once everything else has been sent."""

    request: int
    packet: int

    def json(self) -> dict[str, Any]:
        return {"request": self.request, "packet": self.packet}


@dataclass(frozen=True)
class Plain:
    """HTML as a page of its own, with nothing of ours around it; ``framed`` puts HTML into a ``srcdoc`` frame of it,
    ``width`` CSS pixels wide. The page stays open until the driver is asked for something else."""

    html: str
    until: str | None = None
    framed: str | None = None
    width: int = 720
    permissions: Sequence[str] = ()

    def json(self) -> dict[str, Any]:
        given = {"html": self.html, "until": self.until, "framed": self.framed, "width": self.width}
        done = {name: value for name, value in given.items() if value is not None}
        return {"plain": {**done, "permissions": list(self.permissions)}}


@dataclass(frozen=True)
class Looked:
    """What a plain page shows, and the height its document needs."""

    text: str
    height: float


@dataclass(frozen=True)
class Scenario:
    """One view in one host: a live call, or a shell with what the host sends to it.

    ``strips`` makes the host one that passes on neither ``_meta`` nor ``structuredContent``.
    ``strange`` is posted to the view by a window that is not its parent. ``before`` are messages of the host that
    come ahead of any handshake, ``after`` such that follow the result, and ``refusals`` is how often the host answers
    a greeting with an error. ``media`` is what the browser emulates. ``policy`` is the host's
    content security policy, the specification's when it is ``None``. ``painted`` asks for the colours of what is seen,
    and ``screenshot`` keeps a picture of it with ``scale`` times the pixels. ``last`` is what another page sends when
    all has settled. Sizes in CSS pixels.
    """

    until: Until
    live: Live | None = None
    shell: str | None = None
    result: dict[str, Any] | None = None
    cancelled: str | None = None
    tool_results: dict[str, Any] | None = None
    strips: bool = False
    theme: str | None = "light"
    browser_scheme: str = "light"
    width: int = 720
    max_height: int = 4000
    context: dict[str, Any] = field(default_factory=dict[str, Any])
    display_modes: Sequence[str] = ("inline",)
    before: Sequence[dict[str, Any]] = ()
    after: Sequence[dict[str, Any]] = ()
    refusals: int = 0
    media: dict[str, str] | None = None
    updates: Sequence[Update] = ()
    strange: Sequence[dict[str, Any]] = ()
    policy: str | None = None
    painted: bool = False
    screenshot: Path | None = None
    scale: float = 1
    last: Last | None = None

    def json(self) -> dict[str, Any]:
        given = {
            "until": self.until.json(),
            "last": self.last and self.last.json(),
            "live": self.live and self.live.json(),
            "shell": self.shell,
            "result": self.result,
            "cancelled": self.cancelled,
            "toolResults": self.tool_results,
            "strips": self.strips,
            "theme": self.theme,
            "browserScheme": self.browser_scheme,
            "width": self.width,
            "maxHeight": self.max_height,
            "context": self.context,
            "displayModes": list(self.display_modes),
            "before": list(self.before),
            "after": list(self.after),
            "refusals": self.refusals,
            "media": self.media,
            "updates": [update.json() for update in self.updates],
            "strange": list(self.strange),
            "policy": self.policy,
            "painted": self.painted,
            "screenshot": self.screenshot and str(self.screenshot),
            "scale": self.scale,
        }
        return {name: value for name, value in given.items() if value is not None}


@dataclass(frozen=True)
class Complaints:
    """Everything that must not happen while an honest view is shown."""

    console: list[str] = field(default_factory=list[str])
    page: list[str] = field(default_factory=list[str])
    policy: list[str] = field(default_factory=list[str])
    refused_by_host: list[Any] = field(default_factory=list[Any])
    refused_by_proxy: list[Any] = field(default_factory=list[Any])
    requests: list[str] = field(default_factory=list[str])
    popups: list[str] = field(default_factory=list[str])


NONE = Complaints()


@dataclass(frozen=True)
class Frame:
    """One frame; ``content`` is the height its document needs, ``width`` and ``height`` what it was given, and
    ``beyond`` by how much its content is too wide. ``color`` is the computed colour of its text."""

    origin: str
    text: str
    colorScheme: str
    color: str
    width: int
    height: int
    content: int
    beyond: int


@dataclass(frozen=True)
class Report:
    """What one scenario came to. ``executed`` is what the host did because a message from a view asked for it;
    ``teardown`` is the view's answer to being told that it ends, ``None`` without one. ``paint`` is, where it was asked
    for, how many pixels have a colour (``"20 20 19"``), the commonest first."""

    result: dict[str, Any] | None
    frames: dict[str, Frame]
    height: float
    sizes: list[float]
    messages: list[str]
    executed: list[dict[str, Any]]
    paint: dict[str, int]
    teardown: dict[str, Any] | None
    complaints: Complaints

    @property
    def view(self) -> Frame:
        return self.frames["view"]

    @property
    def payload(self) -> Frame:
        return self.frames["payload"]


class Driver:
    """Plays scenarios one after the other, each in a page of its own."""

    def __init__(self, script: Conversation) -> None:
        self._script = script

    def play(self, scenario: Scenario) -> Report:
        """Raises ``AssertionError`` when what the scenario waits for does not come."""
        return _report(self._script.ask(scenario.json()))

    def look(self, plain: Plain) -> Looked:
        """Raises ``AssertionError`` when the text it waits for does not come."""
        return Looked(**self._script.ask(plain.json()))


def _report(told: dict[str, Any]) -> Report:
    return Report(
        result=told["result"],
        frames={place: Frame(**frame) for place, frame in told["frames"].items()},
        height=told["height"],
        sizes=told["sizes"],
        messages=told["messages"],
        executed=told["executed"],
        paint=told["paint"],
        teardown=told["teardown"],
        complaints=Complaints(
            console=told["consoleErrors"],
            page=told["pageErrors"],
            policy=told["violations"],
            refused_by_host=told["refused"],
            refused_by_proxy=told["proxyRefused"],
            requests=told["requests"],
            popups=told["popups"],
        ),
    )


def bundled_host(project: NodeProject, folder: Path) -> Path:
    """The host's script with everything it imports, as one file in ``folder``."""
    bundle = folder / "host.js"
    bundled = [f"--outfile={bundle}", "--bundle", "--format=esm", "--target=es2022", "--log-level=warning"]
    project.run("node_modules/esbuild/bin/esbuild", project.folder / "host" / "host.js", *bundled)
    return bundle


@contextmanager
def running_driver(project: NodeProject, chromium: Path, folder: Path) -> Generator[Driver]:
    """A driver with a browser of its own. Both end with the block, and when this process dies without leaving it."""
    bundle = bundled_host(project, folder)
    with conversation(project, "drive.js", chromium, bundle, folder=folder) as script:
        yield Driver(script)
