from __future__ import annotations

from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from models.lexical import word_hash, words
from models.page_names import name_hash
from schemas.layout import INDEX, BuildDir
from schemas.lexical_files import (
    LENGTHS,
    LENGTHS_SCHEMA,
    LEXICAL_FILES,
    NAMES,
    NAMES_SCHEMA,
    POSTINGS,
    POSTINGS_SCHEMA,
    WORDS,
    WORDS_SCHEMA,
)
from tests.runtime.tiny_build import write_tables
from transforms.lexical_shard import lexical_tables, write_lexical_shard


def _postings(tables: dict[str, pa.Table]) -> dict[int, list[tuple[int, int]]]:
    """Segments and mentions of each word's hash."""
    segments, mentions = (column.to_pylist() for column in tables[POSTINGS].columns)
    found, start = {}, 0
    for hashed, stop in zip(*(column.to_pylist() for column in tables[WORDS].columns), strict=True):
        found[hashed] = list(zip(segments[start:stop], mentions[start:stop], strict=True))
        start = stop
    return found


def test_lexical_tables_hold_every_mention_once() -> None:
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
    assert [table.num_rows for table in lexical_tables([]).values()] == [0, 0, 0, 0]
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
        WORDS_SCHEMA, POSTINGS_SCHEMA, LENGTHS_SCHEMA, NAMES_SCHEMA,
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
