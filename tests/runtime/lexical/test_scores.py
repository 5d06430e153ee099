from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.models.lexical.bm25 import word_hash
from factmill.runtime.lexical import scores as lexical
from factmill.runtime.lexical.postings_kernels import BLOCK
from factmill.runtime.lexical.scores import LexicalIndex, LexicalShard
from factmill.runtime.search.keys import SHARD_SHIFT, key_of
from factmill.schemas.errors import CorruptStore
from factmill.schemas.lexical_files import (
    GAPS,
    GAPS_SCHEMA,
    LENGTHS,
    LEXICAL_FILES,
    MENTIONS,
    MENTIONS_SCHEMA,
    NAMES,
    NAMES_SCHEMA,
    WORDS,
    WORDS_SCHEMA,
)
from factmill.transforms.index.lexical_shard import lexical_tables, write_tables
from tests.runtime.search.references import bm25, most

TEXTS = (
    "Weaver's Bridge. It was built in 1742.",
    "Gannet Rock. The lighthouse was lit in 1894.",
    "Museum. Its director is Helena Voss, who likes the bridge.",
    "",
    "The bridge, the bridge, the old bridge.",
)


def _index(folder: Path, texts: Sequence[str], cuts: Sequence[int] = ()) -> LexicalIndex:
    bounds = [0, *sorted(cuts), len(texts)]
    shards = []
    for number, (start, stop) in enumerate(pairwise(bounds)):
        write_tables(folder / str(number), lexical_tables(texts[start:stop]))
        shards.append(LexicalShard.open(folder / str(number)))
    return LexicalIndex(shards)


_WORDS = st.sampled_from("a b c d e éa Éa 東京 x1".split())
_TEXTS = st.lists(st.lists(_WORDS, max_size=8).map(" ".join), max_size=12)


@settings(deadline=None, max_examples=60)
@given(_TEXTS, st.lists(_WORDS, max_size=5).map(" ".join), st.lists(st.integers(0, 12), max_size=4))
def test_scores_are_bm25_however_the_segments_are_cut_into_shards(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], query: str, cuts: list[int]
) -> None:
    cuts = [min(cut, len(texts)) for cut in cuts]
    scores = _index(tmp_path_factory.mktemp("x"), texts, cuts).scores(query)
    expected = bm25(texts, query)
    np.testing.assert_allclose(scores.all, expected, rtol=1e-5, atol=1e-6)
    assert max(expected, default=0) <= scores.most + 1e-5


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.lists(st.sampled_from([0.0, 1.0, 2.0, 2.5, 3.0]), max_size=300), max_size=4),
    st.integers(1, 40),
)
def test_best_agrees_with_sorting(shards: list[list[float]], count: int) -> None:
    starts = np.cumsum([0, *map(len, shards)])
    together = np.array([score for shard in shards for score in shard], np.float32)
    blocks = range(0, len(together), BLOCK)
    tops = np.array([together[start : start + BLOCK].max() for start in blocks], np.float32)
    scores = lexical.LexicalScores(together, tops, starts, 9.0)
    keys = scores.best(count)
    values = scores.of(keys)
    expected = sorted(
        (-score, (number << SHARD_SHIFT) + place)
        for number, shard in enumerate(shards)
        for place, score in enumerate(shard)
        if score > 0
    )[:count]
    assert keys.tolist() == sorted(keys.tolist())
    assert sorted(zip((-values).tolist(), keys.tolist(), strict=True)) == expected


def test_search_finds_segments_by_their_words(tmp_path: Path) -> None:
    index = _index(tmp_path, TEXTS, [2])
    keys, scores = index.search("who is the director of the museum?", 3)
    assert keys[0] == 1 << SHARD_SHIFT
    assert list(scores) == sorted(scores, reverse=True)
    expected = bm25(TEXTS, "bridge")
    some = np.concatenate([key_of(0, np.array([0])), key_of(1, np.array([1, 2]))])
    assert index.scores("bridge").of(some).tolist() == pytest.approx([expected[0], 0, expected[4]])
    assert index.scores("bridge").of(some[:0]).tolist() == []


@pytest.mark.parametrize("query", ["", "?!", "unheard", "\ud800", "\x00" * 20_000])
def test_search_without_a_known_word_finds_nothing(tmp_path: Path, query: str) -> None:
    index = _index(tmp_path, TEXTS, [1])
    keys, scores = index.search(query, 5)
    assert (len(keys), len(scores), index.scores(query).most) == (0, 0, 0.0)


def test_named_pages_have_the_idf_of_what_the_query_lacks(tmp_path: Path) -> None:
    write_tables(tmp_path, lexical_tables(TEXTS, [("Weaver's Bridge", 1), ("Museum", 4)]))
    index = LexicalIndex([LexicalShard.open(tmp_path)])
    named = index.named("Weaver's Bridge has a museum", "an old bridge")
    assert (named.first.tolist(), named.counts.tolist()) == ([0, 1], [1, 4])
    expected = [most(TEXTS, "weaver s"), most(TEXTS, "museum")]
    np.testing.assert_allclose(named.nats, expected, rtol=1e-5)
    # What the query says itself is no news.
    assert index.named("Weaver's Bridge", "Was Weaver's bridge the first?").segments.tolist() == []
    assert index.named("", "").segments.tolist() == []


def test_search_empty_shards_finds_nothing(tmp_path: Path) -> None:
    assert len(_index(tmp_path / "a", (), [0, 0]).search("bridge", 5)[0]) == 0
    assert len(LexicalIndex([]).search("bridge", 5)[0]) == 0


def test_search_no_results_asked_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="count"):
        _index(tmp_path, TEXTS).search("bridge", 0)


def test_scores_when_postings_are_too_many_count_the_rarest_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lexical, "_MIN_POSTINGS", 4)
    monkeypatch.setattr(lexical, "_POSTINGS_SHARE", 0.0)
    index = _index(tmp_path, ["the rare bridge", *["the bridge"] * 3, "the", "the end"], [3])
    np.testing.assert_array_equal(index.scores("the rare").all, index.scores("rare").all)
    assert index.scores("the end rare").most > index.scores("the rare").most
    # Of a query of frequent words alone the rarest is read all the same.
    bridge, both = index.scores("bridge"), index.scores("the bridge")
    assert np.count_nonzero(both.all) == 4
    np.testing.assert_array_equal(both.all, bridge.all)
    assert len(index.search("the", 9)[0]) == 6


def test_scores_of_a_long_query_read_some_of_it(tmp_path: Path) -> None:
    index = _index(tmp_path, [" ".join(map(str, range(2000)))])
    assert 0 < index.scores(" ".join(map(str, range(2000)))).most <= 256 * math.log(4 / 3) + 1e-3


def test_mentions_beyond_a_byte_are_cut(tmp_path: Path) -> None:
    index = _index(tmp_path, ["word " * 300, "other"])
    assert index.search("word", 2)[0].tolist() == [0]


def test_length_beyond_two_bytes_is_cut(tmp_path: Path) -> None:
    scores = [
        _index(tmp_path / str(length), ["word " * length]).scores("word").all
        for length in (2**16 - 1, 2**16)
    ]
    np.testing.assert_array_equal(*scores)


@pytest.mark.parametrize("name", LEXICAL_FILES)
def test_open_missing_file_is_a_corrupt_store(tmp_path: Path, name: str) -> None:
    write_tables(tmp_path, lexical_tables(TEXTS))
    (tmp_path / name).unlink()
    with pytest.raises(CorruptStore, match=name):
        LexicalShard.open(tmp_path)


@pytest.mark.parametrize("name", LEXICAL_FILES)
@pytest.mark.parametrize("kept", [0.0, 0.3, 0.6, 0.99])
def test_open_truncated_file_is_a_corrupt_store(tmp_path: Path, name: str, kept: float) -> None:
    write_tables(tmp_path, lexical_tables(TEXTS))
    content = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(content[: int(kept * len(content))])
    with pytest.raises(CorruptStore, match=name):
        LexicalShard.open(tmp_path)


def test_open_file_of_another_kind_is_a_corrupt_store(tmp_path: Path) -> None:
    write_tables(tmp_path, lexical_tables(TEXTS))
    (tmp_path / MENTIONS).write_bytes((tmp_path / LENGTHS).read_bytes())
    with pytest.raises(CorruptStore, match="columns"):
        LexicalShard.open(tmp_path)


def test_open_file_of_several_batches_is_a_corrupt_store(tmp_path: Path) -> None:
    tables = lexical_tables(TEXTS)
    write_tables(tmp_path, tables)
    with pa.ipc.new_file(str(tmp_path / MENTIONS), MENTIONS_SCHEMA) as file:
        file.write_table(tables[MENTIONS], max_chunksize=2)
    with pytest.raises(CorruptStore, match="batch"):
        LexicalShard.open(tmp_path)


@pytest.mark.parametrize("name", [GAPS, MENTIONS])
def test_open_postings_of_another_shard_are_a_corrupt_store(tmp_path: Path, name: str) -> None:
    write_tables(tmp_path, lexical_tables(TEXTS))
    write_tables(tmp_path, {name: lexical_tables(TEXTS[:2])[name]})
    with pytest.raises(CorruptStore, match=name):
        LexicalShard.open(tmp_path)


_WILD = st.integers(-(2**31), 2**31 - 1) | st.integers(-2, 40)


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_search_of_wild_numbers_in_the_files_never_leaves_them(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Whatever offsets, positions and lengths a file has, a query ends with finite scores."""
    folder = tmp_path_factory.mktemp("wild")
    tables = lexical_tables(TEXTS)
    known, gaps = tables[WORDS], data.draw(st.lists(st.integers(0, 255), min_size=1, max_size=60))
    stops, gaps_stops = (
        [*data.draw(st.lists(_WILD, min_size=len(known) - 1, max_size=len(known) - 1)), last]
        for last in (len(tables[MENTIONS]), len(gaps))
    )
    lengths = data.draw(st.lists(_WILD, min_size=1, max_size=9))
    tables[WORDS] = pa.table([known["hash"], stops, gaps_stops], schema=WORDS_SCHEMA)
    tables[GAPS] = pa.table([pa.array(gaps, pa.uint8())], schema=GAPS_SCHEMA)
    tables[LENGTHS] = pa.table([pa.array(lengths, pa.int32())], schema=tables[LENGTHS].schema)
    write_tables(folder, tables)
    scores = LexicalIndex([LexicalShard.open(folder)]).scores(" ".join(TEXTS))
    assert np.isfinite(scores.all).all()
    keys = scores.best(9)
    counts = data.draw(st.lists(_WILD, max_size=5))
    columns = [
        pa.array([word_hash("bridge")] * len(counts), pa.uint64()),
        pa.array(counts, pa.int32()),
    ]
    write_tables(folder, {NAMES: pa.table(columns, schema=NAMES_SCHEMA)})
    named = LexicalIndex([LexicalShard.open(folder)]).named("bridge", "")
    assert all(0 <= key < len(lengths) for key in named.segments)
    assert np.isfinite(named.nats).all()
    assert all(0 <= key < len(lengths) for key in keys)


def test_opening_loads_no_compiler(tmp_path: Path) -> None:
    write_tables(tmp_path, lexical_tables(TEXTS))
    code = (
        "import sys; from pathlib import Path; from factmill.runtime.lexical.scores import *\n"
        "LexicalIndex([LexicalShard.open(Path(sys.argv[1]))]); assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True)
