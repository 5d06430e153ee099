"""The sample crawl, built once for all tests that look at a whole build."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipelines.build import BuildResult, build
from pipelines.running import RunOptions
from pipelines.settings import settings_for
from schemas.layout import Store

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "samples"
SAMPLE_INPUTS = [
    str(SAMPLES / "html"),
    str(SAMPLES / "crawl.warc.gz"),
    str(SAMPLES / "pages.jsonl"),
]
SHARDS = 4


def build_store(root: Path, inputs: list[str], jobs: int = 1, full: bool = False) -> BuildResult:
    """Build inputs with the heuristic reader, as `factmill build` does."""
    store = Store(root)
    settings = settings_for(store, inputs, "heuristic", "all-MiniLM-L6-v2", 128, SHARDS, None)
    return build(store, settings, RunOptions(jobs), full)


@pytest.fixture(scope="session")
def sample_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the sample crawl published. Tests must not change it."""
    root = tmp_path_factory.mktemp("sample") / "store"
    assert build_store(root, SAMPLE_INPUTS).new
    return root
