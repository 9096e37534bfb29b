"""How long the built artifact takes to import, against FastAPI and Mangum alone in the same interpreter."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from tests.fixtures.artifact import Artifact
from tests.fixtures.rie import lambda_environment

RUNS = 9

_TIMED = "import time; started = time.perf_counter(); import {modules}; print((time.perf_counter() - started) * 1e3)"


@dataclass(frozen=True, slots=True)
class ColdImport:
    """Milliseconds of each fresh process."""

    ours_ms: Sequence[float]
    floor_ms: Sequence[float]

    @property
    def ratio(self) -> float:
        return median(self.ours_ms) / median(self.floor_ms)


def _import(artifact: Artifact, modules: str) -> float:
    done = subprocess.run(
        # Without the interpreter's own site-packages: only the artifact's copies may be found.
        [artifact.python, "-S", "-c", _TIMED.format(modules=modules)],
        env=lambda_environment(artifact, {}),
        cwd=artifact.function,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise SystemExit(f"importing {modules} from the artifact failed:\n{done.stderr}")
    return float(done.stdout.splitlines()[-1])


def measure_cold(artifact: Artifact) -> ColdImport:
    """For the deployment that ships. Both imports take turns, so that what else the machine does falls on both; the
    first pair only warms the page cache."""
    pairs = [(_import(artifact, "app"), _import(artifact, "fastapi, mangum")) for _ in range(RUNS + 1)]
    return ColdImport([ours for ours, _ in pairs[1:]], [floor for _, floor in pairs[1:]])
