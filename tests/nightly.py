"""Builds of a changing input without Beam, models or training: the work of each job, in order."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from factmill.models.readers.heuristic.reader import HeuristicReader
from factmill.models.readers.reading import PageContext, Reading
from factmill.models.text.entities import EntityFinder
from factmill.schemas.layout import CAPTURES, INDEX, BuildDir, Store
from factmill.schemas.manifest import FileEntry, Manifest, StageCounts, TableEntry
from factmill.schemas.records import Entity, Reject, Segment
from factmill.schemas.storage.checksum import sha256_of
from factmill.schemas.tables import TABLES, VECTORS
from factmill.transforms.clean import extract_split, merge_shard
from factmill.transforms.clean.clean_options import CleanOptions
from factmill.transforms.clean.clean_pages import clean_counts
from factmill.transforms.clean.compare_pages import ComparePages
from factmill.transforms.clean.extract_page import ExtractedPage, extract_page
from factmill.transforms.clean.extract_split import ExtractSplit
from factmill.transforms.clean.keep_missing import KeepMissing
from factmill.transforms.clean.merge_shard import MergeShard
from factmill.transforms.compose.compose_questions import ComposeShard, LinkQuestions, ReadQuestions
from factmill.transforms.encode.encode_units import EncodeShard
from factmill.transforms.extract.extract_units import ExtractShard
from factmill.transforms.index.link_pages import FindNames, LinkShard
from factmill.transforms.index.reuse_index import ShareIndexShard
from factmill.transforms.inputs.discovery import find_inputs, plan_splits
from factmill.transforms.inputs.raw_page import RawPage
from tests.runtime.tiny_build import FakeEncoder, random_head, tiny_index

SHARDS = 2
_EVERY_TABLE = (*TABLES, VECTORS)


@dataclass
class Counting:
    """Counts of what a build extracted, searched for entities, read and encoded, without reused
    results.
    """

    extracted: list[str] = field(default_factory=list)
    searched: list[str] = field(default_factory=list)
    read: list[str] = field(default_factory=list)
    encoded: list[str] = field(default_factory=list)


class _CountingFinder:
    def __init__(self, counting: Counting) -> None:
        self._counting = counting

    def find(self, texts: Iterable[str]) -> Iterator[tuple[Entity, ...]]:
        texts = list(texts)
        self._counting.searched += texts
        return EntityFinder().find(texts)


class _CountingReader:
    fingerprint = HeuristicReader.fingerprint

    def __init__(self, counting: Counting) -> None:
        self._counting = counting

    def read(self, segment: Segment, page: PageContext) -> Reading:
        self._counting.read.append(segment.segment_id)
        return HeuristicReader().read(segment, page)


class _Extractor:
    """Extracts in this process instead of the process for pages."""

    def __init__(self, counting: Counting) -> None:
        self._counting = counting

    def map(self, raws: Iterable[RawPage]) -> Iterator[tuple[RawPage, ExtractedPage | Reject]]:
        for raw in raws:
            self._counting.extracted.append(raw.source_id)
            yield raw, extract_page(raw)


@dataclass
class Nights:
    """Successive builds of one store."""

    store: Store
    monkeypatch: pytest.MonkeyPatch
    shards: int = SHARDS
    _number: int = 0

    def build(
        self,
        inputs: Path,
        parent: BuildDir | None = None,
        options: CleanOptions | None = None,
        keep: bool = False,
    ) -> tuple[BuildDir, Counting]:
        """Build, reusing the parent's results; returns the build and the counts of what was not
        reused.
        """
        counting, options = Counting(), options or CleanOptions()
        self._number += 1
        build = self.store.build(f"{self._number:04d}")
        build.work.mkdir(parents=True)
        with self.monkeypatch.context() as patched:
            patched.setattr(extract_split, "page_process", _in_this_process(counting))
            patched.setattr(merge_shard, "_entity_finder", lambda _name: _CountingFinder(counting))
            counts = _clean(build, inputs, self.shards, options, parent, keep)
        _extract_and_index(build, self.shards, parent, counting)
        _write_manifest(build, self.shards, counts)
        return build, counting


def _in_this_process(counting: Counting) -> Any:
    @contextmanager
    def extractor(_options: CleanOptions) -> Iterator[_Extractor]:
        yield _Extractor(counting)

    return extractor


def _clean(
    build: BuildDir,
    inputs: Path,
    shards: int,
    options: CleanOptions,
    parent: BuildDir | None,
    keep: bool,
) -> StageCounts:
    splits = plan_splits(find_inputs([str(inputs)]))
    counts_of_tasks = [ExtractSplit(build, shards, options, parent)(split) for split in splits]
    if keep:
        missing = KeepMissing(build, shards, parent, len(splits))
        counts_of_tasks += [missing(shard) for shard in range(shards)]
    ComparePages(build, shards, options)(0)
    merge = MergeShard(build, options, parent, reuse_segments=True)
    merged = sum((merge(shard) for shard in range(shards)), StageCounts())
    counts = clean_counts(sum(counts_of_tasks, StageCounts()), merged)
    assert counts.balanced
    return counts


def _extract_and_index(
    build: BuildDir, shards: int, parent: BuildDir | None, counting: Counting
) -> None:
    random_head().save(build.hash_head)
    encoder = FakeEncoder()
    encoder.encoded = counting.encoded
    for shard in range(shards):
        assert ExtractShard(build, _CountingReader(counting), parent)(shard).balanced
        ReadQuestions(build)(shard)
    LinkQuestions(build, shards)(0)
    for shard in range(shards):
        ComposeShard(build, parent)(shard)
        EncodeShard(build, encoder, parent, 1)(shard)  # type: ignore[arg-type]
        ShareIndexShard(build, False, parent)(shard)
    FindNames(build, shards, parent)(0)
    for shard in range(shards):
        LinkShard(build, parent)(shard)


def _write_manifest(build: BuildDir, shards: int, counts: StageCounts) -> None:
    tables = {}
    for name in (*_EVERY_TABLE, CAPTURES, "30_models", INDEX):
        paths = [path for path in sorted((build.root / name).rglob("*")) if path.is_file()]
        files = tuple(
            FileEntry(
                path.relative_to(build.root).as_posix(),
                pq.read_metadata(path).num_rows if path.suffix == ".parquet" else 0,
                path.stat().st_size,
                sha256_of(path),
            )
            for path in paths
        )
        tables[name] = TableEntry(sum(file.rows for file in files), files)
    configuration = {"shards": shards, "encoder": FakeEncoder.name}
    Manifest(
        build.build_id, None, "2024-01-01T00:00:00+00:00", "0" * 16, configuration, {},
        tables, {"clean": counts}, {}, {},
    ).write(build)  # fmt: skip


def all_rows(build: BuildDir, shards: int = SHARDS) -> dict[str, Counter[str]]:
    """How often each row occurs in each table, regardless of order."""
    return {
        table: Counter(
            json.dumps(row, default=str, sort_keys=True)
            for shard in range(shards)
            for row in pq.read_table(build.part(table, shard), partitioning=None).to_pylist()
        )
        for table in _EVERY_TABLE
    }


def found(build: BuildDir, query: str) -> list[tuple[str, float]]:
    """The segments and scores that a search finds."""
    return [(hit.segment_id, hit.score) for hit in tiny_index(build).search(query, k=20)]


def tables_differ(a: BuildDir, b: BuildDir) -> list[str]:
    """The files that differ between two builds."""
    names = {
        path.relative_to(build.root).as_posix()
        for build in (a, b)
        for table in (*_EVERY_TABLE, CAPTURES, INDEX)
        for path in (build.root / table).rglob("*")
        if path.is_file()
    }
    return sorted(
        name
        for name in names
        if not (a.root / name).is_file()
        or not (b.root / name).is_file()
        or (a.root / name).read_bytes() != (b.root / name).read_bytes()
    )
