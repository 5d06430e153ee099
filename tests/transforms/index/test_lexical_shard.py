from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from factmill.models.lexical.bm25 import word_hash, words
from factmill.models.lexical.page_names import name_hash
from factmill.schemas.layout import INDEX, BuildDir
from factmill.schemas.lexical_files import (
    LENGTHS,
    LENGTHS_SCHEMA,
    LEXICAL_FILES,
    NAMES,
    NAMES_SCHEMA,
    POSTINGS,
    POSTINGS_SCHEMA,
    TERM_FREQUENCIES,
    TERM_FREQUENCIES_SCHEMA,
    WORDS,
    WORDS_SCHEMA,
)
from factmill.transforms.index import lexical_shard
from factmill.transforms.index.index_shards import IndexShard
from factmill.transforms.index.lexical_shard import write_lexical_shard
from tests.damaged_files import flip_bit
from tests.lexical_tables import lexical_tables
from tests.runtime.tiny_build import (
    SHARDS,
    SITES,
    Site,
    random_head,
    write_manifest,
    write_tables,
    write_vectors,
)


def _postings(tables: dict[str, pa.Table]) -> dict[int, list[tuple[int, int]]]:
    """Segments and term frequencies of each word's hash."""
    frequencies = tables[TERM_FREQUENCIES]["mentions"].to_pylist()
    deltas = tables[POSTINGS]["byte"].to_pylist()
    found, start, delta_start = {}, 0, 0
    for hashed, end, delta_end in zip(*tables[WORDS].to_pydict().values(), strict=True):
        segments = _segments(deltas[delta_start:delta_end])
        found[hashed] = list(zip(segments, frequencies[start:end], strict=True))
        start, delta_start = end, delta_end
    return found


def _segments(deltas: Sequence[int]) -> list[int]:
    segments, delta, shift = [-1], 0, 0
    for byte in deltas:
        delta += (byte & 127) << shift
        shift += 7
        if byte < 128:
            segments.append(segments[-1] + 1 + delta)
            delta = shift = 0
    return segments[1:]


def test_lexical_tables_hold_every_posting_once() -> None:
    texts = ["b a b", "", "c a", "word " * 300]
    tables = lexical_tables(texts)
    expected: dict[int, list[tuple[int, int]]] = {}
    for segment, text in enumerate(texts):
        for word, count in Counter(words(text)).items():
            expected.setdefault(word_hash(word), []).append((segment, min(count, 255)))
    assert _postings(tables) == expected
    hashes = tables[WORDS]["hash"].to_pylist()
    assert hashes == sorted(hashes)
    assert tables[LENGTHS]["words"].to_pylist() == [3, 0, 2, 300]


def test_lexical_tables_of_nothing_are_empty() -> None:
    assert [table.num_rows for table in lexical_tables([]).values()] == [0, 0, 0, 0, 0]
    assert lexical_tables(["..."])[LENGTHS].num_rows == 1


def test_lexical_tables_are_the_same_each_time() -> None:
    texts = ["one two", "two three one", "three"]
    assert lexical_tables(texts) == lexical_tables(texts)


@pytest.mark.parametrize("shard", [0, 1])
def test_write_lexical_shard_has_the_segments_in_order_with_their_titles(
    tmp_path: Path, shard: int
) -> None:
    build = BuildDir(tmp_path / "b")
    write_tables(build)
    write_lexical_shard(build, shard)
    folder = build.shard(INDEX, shard)
    tables = {}
    for name in LEXICAL_FILES:
        with pa.ipc.open_file(str(folder / name)) as file:
            tables[name] = file.read_all()
            assert file.num_record_batches <= 1
    assert [tables[name].schema for name in LEXICAL_FILES] == [
        WORDS_SCHEMA, POSTINGS_SCHEMA, TERM_FREQUENCIES_SCHEMA, LENGTHS_SCHEMA, NAMES_SCHEMA,
    ]  # fmt: skip
    pages = pq.read_table(build.part("10_pages", shard), partitioning=None).to_pylist()
    titles = {page["page_id"]: page["title"] for page in pages}
    segments = pq.read_table(build.part("11_segments", shard), partitioning=None).to_pylist()
    of_pages = Counter(segment["page_id"] for segment in segments)
    assert tables[NAMES].to_pylist() == [
        {"name": name_hash(titles[page]), "segments": count} for page, count in of_pages.items()
    ]
    expected = [
        Counter(words(f"{titles[row['page_id']]} {row['heading'] or ''} {row['text']}"))
        for row in segments
    ]
    assert len(expected) == tables[LENGTHS].num_rows > 0
    for position, counts in enumerate(expected):
        found = {
            hashed for hashed, postings in _postings(tables).items() if position in dict(postings)
        }
        assert found == {word_hash(word) for word in counts}


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts whose words are looked for."""
    found: list[str] = []

    def counting(text: str) -> list[str]:
        found.append(text)
        return words(text)

    monkeypatch.setattr(lexical_shard, "words", counting)
    return found


def _parent(tmp_path: Path, sites: Sequence[Site]) -> BuildDir:
    parent = BuildDir(tmp_path / "parent")
    write_tables(parent, sites)
    write_vectors(parent, random_head())
    for shard in range(SHARDS):
        IndexShard(parent)(shard)
    write_manifest(parent)
    return parent


@given(
    before=st.lists(st.sampled_from(SITES), unique=True),
    after=st.lists(st.sampled_from(SITES), unique=True),
)
@settings(max_examples=10, suppress_health_check=list(HealthCheck))
def test_write_lexical_shard_with_a_parent_writes_the_same_bytes(
    tmp_path_factory: pytest.TempPathFactory, before: list[Site], after: list[Site]
) -> None:
    tmp_path = tmp_path_factory.mktemp("nights")
    parent, build = _parent(tmp_path, before), BuildDir(tmp_path / "b")
    write_tables(build, after)
    for shard in range(SHARDS):
        written = []
        for reused in (None, parent):
            write_lexical_shard(build, shard, reused)
            folder = build.shard(INDEX, shard)
            written.append([(folder / name).read_bytes() for name in LEXICAL_FILES])
        assert written[0] == written[1]


def test_write_lexical_shard_reads_only_segments_that_the_parent_does_not_have(
    tmp_path: Path, counted: list[str]
) -> None:
    parent, build = _parent(tmp_path, SITES[1:]), BuildDir(tmp_path / "b")
    write_tables(build, SITES)
    counted.clear()
    for shard in range(SHARDS):
        write_lexical_shard(build, shard, parent)
    assert len(counted) == len(SITES[0].facts) + 1
    assert all(text.startswith("Bridges") for text in counted)


@pytest.mark.parametrize("forged", [False, True])
@pytest.mark.parametrize("name", [POSTINGS, LENGTHS])
def test_write_lexical_shard_of_a_damaged_parent_reads_all(
    tmp_path: Path, counted: list[str], name: str, forged: bool
) -> None:
    parent, build = _parent(tmp_path, SITES), BuildDir(tmp_path / "b")
    write_tables(build, SITES)
    for shard in range(SHARDS):
        path = parent.shard(INDEX, shard) / name
        if forged:
            path.write_bytes(b"ARROW1")
        else:
            flip_bit(path)
    if forged:
        write_manifest(parent)
    counted.clear()
    for shard in range(SHARDS):
        write_lexical_shard(build, shard, parent)
    assert len(counted) == sum(len(site.facts) + bool(site.table) for site in SITES)
