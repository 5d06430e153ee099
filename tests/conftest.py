"""The sample crawl, built once for all tests that look at a whole build."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock

from factmill.schemas.layout import Store

if TYPE_CHECKING:
    from factmill.pipelines.build import BuildResult

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "samples"
# Evaluation data, beside the checkout; tests that need them skip where they are absent.
DATA = ROOT.parent / "shared" / "data"
SAMPLE_INPUTS = [
    str(SAMPLES / "html"),
    str(SAMPLES / "crawl.warc.gz"),
    str(SAMPLES / "pages.jsonl"),
]
SHARDS = 4


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """gzip writes the time into what it packs, and processes must know a test by one name."""
    return argname if isinstance(val, bytes) and b"\x1f\x8b" in val else None


def build_store(
    root: Path, inputs: list[str], jobs: int = 1, encoder: str = "all-MiniLM-L6-v2"
) -> BuildResult:
    """Build inputs with the heuristic reader, as `factmill build` does."""
    # Beam and PyTorch take seconds, which tests of other folders need not wait for.
    from factmill.pipelines.build import build
    from factmill.pipelines.runners.run_job import RunOptions
    from factmill.pipelines.settings import BuildOptions, settings_for

    store = Store(root)
    settings = settings_for(
        store, BuildOptions(inputs=inputs, encoder=encoder, code_bits=128, shards=SHARDS)
    )
    return build(store, settings, RunOptions(jobs), full=False)


@pytest.fixture(scope="session")
def small_encoder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A model that encodes in next to no time, for builds whose vectors need not mean much."""
    from tests.models.encoding.tiny_encoder import tiny_encoder

    words = "museum bridge ferry built designed opened open in by the was is has of and luggage ."
    return tiny_encoder(tmp_path_factory.mktemp("encoder"), words.split())


@pytest.fixture(scope="session")
def sample_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the sample crawl published, one for all processes. Tests must not change it."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    root = folder / "sample-store"
    with FileLock(folder / "sample-store.lock"):
        if not Store(root).current.exists():
            assert build_store(root, SAMPLE_INPUTS).new
    return root
