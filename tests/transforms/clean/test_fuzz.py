"""Broken pages by the hundred; tests/benchmarks/fuzz_clean.py does it by the ten thousand."""

from __future__ import annotations

import random
from pathlib import Path

from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import StageCounts
from factmill.transforms.clean.clean_options import CleanOptions
from factmill.transforms.clean.clean_pages import clean_counts
from factmill.transforms.clean.compare_pages import ComparePages
from factmill.transforms.clean.extract_split import ExtractSplit
from factmill.transforms.clean.item_limits import Limits
from factmill.transforms.clean.merge_shard import MergeShard
from factmill.transforms.inputs.discovery import find_inputs, plan_splits
from tests.conftest import SAMPLES
from tests.mutations import mutated

PAGES = SAMPLES / "html"


def test_clean_broken_pages_in_is_out_plus_rejects_and_nothing_runs_over(tmp_path: Path) -> None:
    sources = [path.read_bytes() for path in sorted(PAGES.rglob("*.htm*"))]
    rng = random.Random(0)
    for number in range(100):
        page = mutated(rng.choice(sources), rng.getrandbits(32))
        (tmp_path / f"{number}.html").write_bytes(page)
    build, options = BuildDir(tmp_path / "b"), CleanOptions(limits=Limits(10, 1000))
    splits = plan_splits(find_inputs([str(tmp_path)]))
    read = sum((ExtractSplit(build, 1, options)(split) for split in splits), StageCounts())
    ComparePages(build, 1, options)(0)
    counts = clean_counts(read, MergeShard(build, options)(0))
    assert counts.records_in == 100
    assert counts.balanced
    assert counts.records_out > 30
    ended = {"too_slow", "too_much_memory", "crashed", "failed"}
    assert not ended & counts.rejected.keys(), counts.rejected


def test_mutated_is_decided_by_the_seed() -> None:
    page = b"<p>The ferry leaves at nine.</p>" * 20
    assert mutated(page, 7) == mutated(page, 7)
    assert len({mutated(page, seed) for seed in range(50)}) > 45
