"""The Lambda layer, built as `sam build` builds it."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from connecta.limits import LIMITS
from connecta.sandbox.config import installed_config
from connecta.sandbox.sandbox import Sandbox
from tests.fixtures.programs import value_of

LAYER = Path(__file__).parents[2] / "layers" / "quickjs"


@pytest.fixture(scope="module")
def layer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    artifacts = tmp_path_factory.mktemp("layer")
    subprocess.run(
        [
            "make",
            "--directory",
            str(LAYER),
            "build-QuickJsLayer",
            f"ARTIFACTS_DIR={artifacts}",
            f"PYTHON={sys.executable}",
        ],
        check=True,
        capture_output=True,
    )
    return artifacts / "quickjs"


def test_the_layer_holds_engine_child_and_prelude(layer: Path) -> None:
    assert sorted(path.name for path in layer.iterdir()) == [
        "_quickjs.abi3.so",
        "child.py",
        "hardening.py",
        "prelude.js",
        "source.js",
        "values.js",
    ]


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the layer was built for x86_64")
async def test_programs_run_out_of_the_built_layer(layer: Path) -> None:
    config = installed_config(limits=replace(LIMITS, spares=0))
    sandbox = Sandbox(replace(config, directory=str(layer), engine=str(layer)))
    assert await value_of(sandbox, "async () => 1 + 1") == 2
