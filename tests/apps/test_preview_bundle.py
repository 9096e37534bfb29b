"""What the preview's page takes from npm is in the repository, and is what the locked packages make."""

from pathlib import Path

from tests.fixtures.node import NodeProject

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "src" / "connecta" / "local" / "preview" / "static"
MOST_BYTES = 700_000


def test_the_bundle_is_what_the_locked_packages_make(node_project: NodeProject, tmp_path: Path) -> None:
    """`make bundle` writes it again; its licences come with it."""
    node_project.run("../../tools/preview_bundle.js", node_project.folder, tmp_path)
    names = ("apps-host.js", "apps-host.txt")
    assert [name for name in names if (tmp_path / name).read_bytes() != (STATIC / name).read_bytes()] == []


def test_the_bundle_is_small_and_says_where_it_is_from() -> None:
    bundle = (STATIC / "apps-host.js").read_text()
    assert len(bundle.encode()) < MOST_BYTES
    assert bundle.startswith("/* Made by `make bundle`, not by hand.")
    licences = (STATIC / "apps-host.txt").read_text()
    for package in ("@modelcontextprotocol/client", "@modelcontextprotocol/ext-apps", "zod"):
        assert f"\n{package} " in f"\n{licences}"
