"""How long a view takes to its first paint in the shell, against the same HTML in a frame with nothing around it."""

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bench.measuring import p50, p95
from bench.targets import AtMost, verdict
from connecta.views.shell import SHELL_HTML
from tests.apps import driver
from tests.fixtures.chromium import find_chromium
from tests.fixtures.node import installed_project

RUNS: Final = 30
BATCH: Final = 10
"""Runs of one browser."""
VIEW_BYTES: Final = 100_000
PAINT_TARGET: Final = AtMost(1.5, "× the bare frame")

_ROW: Final = "<tr><td>{n}</td><td>Customer {n}</td><td>shipped</td><td>{total:.2f}</td></tr>\n"
_PAINTED: Final = """<script>
  const frames = (count, then) => requestAnimationFrame(() => (count > 1 ? frames(count - 1, then) : then()));
  const visible = () => (innerHeight > 50 ? frames(2, () => top.postMessage("painted", "*")) : frames(1, visible));
  visible();
</script>"""
"""Two frames after the view has been given a height: by then it stands on the screen."""


@dataclass(frozen=True, slots=True)
class Views:
    """Milliseconds from the result to the paint, and of the same HTML alone; the shell's bytes, raw and gzipped."""

    shell_ms: Sequence[float]
    bare_ms: Sequence[float]
    shell_bytes: int
    shell_gzip_bytes: int

    @property
    def ratio(self) -> float:
        return p50(self.shell_ms) / p50(self.bare_ms)


def view_html() -> str:
    """A table of ``VIEW_BYTES``, that tells when it was painted."""
    rows: list[str] = []
    while sum(map(len, rows)) < VIEW_BYTES:
        rows.append(_ROW.format(n=len(rows), total=len(rows) * 1.25))
    return f"<h1>Orders</h1><table>{''.join(rows)}</table>{_PAINTED}"


def measure_views(runs: int = RUNS) -> Views:
    """Both in Chromium, by turns, ``runs`` times each, rounded up to whole batches."""
    project = installed_project(Path(driver.__file__).parent)
    with TemporaryDirectory() as folder:
        bundle = driver.bundled_host(project, Path(folder))
        given = json.dumps({"shell": SHELL_HTML, "html": view_html()})
        batch = ("paint.js", str(find_chromium()), bundle, str(BATCH))
        batches = [project.run_json(*batch, stdin=given) for _ in range(ceil(runs / BATCH))]
    raw = SHELL_HTML.encode()
    return Views(
        [taken for times in batches for taken in times["shell_ms"]],
        [taken for times in batches for taken in times["bare_ms"]],
        len(raw),
        len(gzip.compress(raw, 9, mtime=0)),
    )


def print_views(views: Views) -> None:
    print(f"\n{f'first paint, view of {VIEW_BYTES // 1000} KB, ms':34} {'p50':>9} {'p95':>9}  target")
    for name, taken in (("in the shell, from the result", views.shell_ms), ("in a bare frame", views.bare_ms)):
        print(f"{name:34} {p50(taken):9.1f} {p95(taken):9.1f}")
    print(f"{views.ratio:.2f}× the bare frame: {verdict(PAINT_TARGET, views.ratio)}")
    print(f"the shell: {views.shell_bytes:,} bytes, {views.shell_gzip_bytes:,} gzipped")
