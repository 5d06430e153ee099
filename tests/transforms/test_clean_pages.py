from __future__ import annotations

from pathlib import Path

import apache_beam as beam
import pyarrow.parquet as pq
import pytest
from apache_beam.runners.portability.fn_api_runner import FnApiRunner

from schemas.layout import BuildDir
from schemas.manifest import StageCounts
from transforms import clean_pages
from transforms.clean_pages import SHARDS, SPLITS, CleanPages, CleanSplit, MergeShard, clean_counts
from transforms.inputs.discovery import Split, find_inputs, plan_splits
from transforms.progress import Progress

LINES = (
    '{"id": "a", "url": "http://a.example/", "text": "Weaver\'s Bridge was built in 1742."}\n'
    "broken\n"
    '{"id": "b", "url": "http://a.example/", "text": "Weaver\'s Bridge was built in 1742."}\n'
    '{"id": "c", "html": "<nav>Home</nav>"}\n'
    '{"id": "d", "url": "http://d.example/", "text": "The ferry leaves. It is late."}\n'
)


@pytest.fixture
def splits(tmp_path: Path) -> list[Split]:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "x.jsonl").write_text(LINES)
    (tmp_path / "in" / "e.html").write_text(f"<p>{'A page of its own in a file. ' * 5}</p>")
    (tmp_path / "in" / "f.pdf").write_bytes(b"%PDF")
    return plan_splits(find_inputs([str(tmp_path / "in")]))


def _check(build: BuildDir, counts: StageCounts) -> None:
    assert counts.balanced
    assert (counts.records_in, counts.records_out) == (7, 3)
    assert counts.rejected == {"bad_json": 1, "no_text": 1, "unknown_format": 1, "duplicate": 1}
    rejects = [pq.read_metadata(build.part("19_rejects", shard)).num_rows for shard in range(2)]
    assert counts.produced["19_rejects"] == sum(rejects) == 4
    pages = [
        row
        for shard in range(2)
        for row in pq.read_table(build.part("10_pages", shard), partitioning=None).to_pylist()
    ]
    assert {row["source_id"] for row in pages} == {"a", "d", "e.html"}


def test_clean_split_and_merge_in_is_out_plus_rejects(tmp_path: Path, splits: list[Split]) -> None:
    build = BuildDir(tmp_path / "b")
    read = sum((CleanSplit(build, 2)(split) for split in splits), StageCounts())
    assert read.balanced
    merged = sum((MergeShard(build)(shard) for shard in range(2)), StageCounts())
    _check(build, clean_counts(read, merged))


def test_clean_pages_pipeline_writes_every_shard_after_all_splits(
    tmp_path: Path, splits: list[Split]
) -> None:
    build = BuildDir(tmp_path / "b")
    with beam.Pipeline(runner=FnApiRunner()) as pipeline:
        _ = pipeline | beam.Create(splits) | CleanPages(build, 2)
    totals = [Progress.of(build, step).total() for step in (SPLITS, SHARDS)]
    _check(build, clean_counts(*totals))


def test_clean_split_small_batches_of_entities_keep_every_page(
    tmp_path: Path, splits: list[Split], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clean_pages, "_CHARACTERS_PER_BATCH", 10)
    build = BuildDir(tmp_path / "b")
    read = sum((CleanSplit(build, 2)(split) for split in splits), StageCounts())
    merged = sum((MergeShard(build)(shard) for shard in range(2)), StageCounts())
    _check(build, clean_counts(read, merged))
    entities = [
        entity["text"]
        for shard in range(2)
        for found in pq.read_table(build.part("11_segments", shard))["entities"].to_pylist()
        for entity in found
    ]
    assert "1742" in entities
