from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.models.lexical.bm25 import word_hash
from factmill.runtime.lexical import bm25_scores as lexical
from factmill.runtime.lexical.bm25_scores import LexicalIndex, LexicalScores
from factmill.runtime.lexical.lexical_shard import LexicalShard
from factmill.runtime.lexical.named_pages import NamedPages
from factmill.schemas.errors import CorruptStore
from factmill.schemas.lexical_files import (
    LENGTHS,
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
from factmill.transforms.index.mapped_tables import write_all_mapped
from tests.lexical_tables import lexical_tables
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
        write_all_mapped(folder / str(number), lexical_tables(texts[start:stop]))
        shards.append(LexicalShard.open(folder / str(number)))
    return LexicalIndex(shards)


def _scores(index: LexicalIndex, query: str) -> LexicalScores:
    """The scores of a query, which stay when another one is asked."""
    with index.scores(query) as scores:
        return replace(scores, all=scores.all.copy())


_WORDS = st.sampled_from("a b c d e éa Éa 東京 x1".split())
_TEXTS = st.lists(st.lists(_WORDS, max_size=8).map(" ".join), max_size=12)


@settings(max_examples=60)
@given(_TEXTS, st.lists(_WORDS, max_size=5).map(" ".join), st.lists(st.integers(0, 12), max_size=4))
def test_scores_are_bm25_however_the_segments_are_cut_into_shards(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], query: str, cuts: list[int]
) -> None:
    cuts = [min(cut, len(texts)) for cut in cuts]
    scores = _scores(_index(tmp_path_factory.mktemp("x"), texts, cuts), query)
    expected = bm25(texts, query)
    np.testing.assert_allclose(scores.all, expected, rtol=1e-5, atol=1e-6)
    assert max(expected, default=0) <= scores.most + 1e-5


def test_search_finds_segments_by_their_words(tmp_path: Path) -> None:
    index = _index(tmp_path, TEXTS, [2])
    segments, scores = index.search("who is the director of the museum?", 3)
    assert segments[0] == 2
    assert list(scores) == sorted(scores, reverse=True)
    expected = bm25(TEXTS, "bridge")
    some = np.array([0, 3, 4])
    assert _scores(index, "bridge").of(some).tolist() == pytest.approx(
        [expected[0], 0, expected[4]]
    )
    assert _scores(index, "bridge").of(some[:0]).tolist() == []


def test_scores_of_a_query_leave_none_behind_for_the_next(tmp_path: Path) -> None:
    index = _index(tmp_path, TEXTS, [2])
    alone = _scores(index, "museum").all
    with index.scores("the bridge") as held:
        before = held.all.copy()
        # Another query at the same time does not write there.
        np.testing.assert_array_equal(_scores(index, "museum").all, alone)
        np.testing.assert_array_equal(held.all, before)
    with pytest.raises(ZeroDivisionError), index.scores("director bridge 1742"):
        raise ZeroDivisionError
    np.testing.assert_array_equal(_scores(index, "museum").all, alone)
    np.testing.assert_array_equal(_scores(index, "unheard").all, 0 * alone)


@pytest.mark.parametrize("query", ["", "?!", "unheard", "\ud800", "\x00" * 20_000])
def test_search_without_a_known_word_finds_nothing(tmp_path: Path, query: str) -> None:
    index = _index(tmp_path, TEXTS, [1])
    segments, scores = index.search(query, 5)
    assert (len(segments), len(scores), _scores(index, query).most) == (0, 0, 0.0)


def _named(index: LexicalIndex, texts: list[str], query: str) -> NamedPages:
    """The pages that texts name, in an index without links."""
    return index.named(np.arange(len(texts)), texts.__getitem__, query)


def test_named_pages_have_the_idf_of_what_the_query_lacks(tmp_path: Path) -> None:
    write_all_mapped(tmp_path, lexical_tables(TEXTS, [("Weaver's Bridge", 1), ("Museum", 4)]))
    index = LexicalIndex([LexicalShard.open(tmp_path)])
    named = _named(index, ["Weaver's Bridge has a museum"], "an old bridge")
    assert (named.first.tolist(), named.counts.tolist()) == ([0, 1], [1, 4])
    expected = [most(TEXTS, "weaver s"), most(TEXTS, "museum")]
    np.testing.assert_allclose(named.nats, expected, rtol=1e-5)
    # What the query says itself is no news.
    query = "Was Weaver's bridge the first?"
    assert _named(index, ["Weaver's Bridge"], query).segments.tolist() == []
    assert _named(index, ["", ""], "").segments.tolist() == []
    assert _named(index, [], "").segments.tolist() == []


def test_pages_asked_for_are_those_that_the_query_names_itself(tmp_path: Path) -> None:
    write_all_mapped(tmp_path, lexical_tables(TEXTS, [("Weaver's Bridge", 1), ("Museum", 4)]))
    index = LexicalIndex([LexicalShard.open(tmp_path)])
    named = index.asked_for("Is Weaver's bridge old?")
    assert named.first.tolist() == [0]
    assert named.all_nats == pytest.approx(most(TEXTS, "weaver s bridge"), rel=1e-5)
    assert index.asked_for("?").segments.tolist() == []


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
    np.testing.assert_array_equal(_scores(index, "the rare").all, _scores(index, "rare").all)
    assert _scores(index, "the end rare").most > _scores(index, "the rare").most
    # Of a query of frequent words alone the rarest is read all the same.
    bridge, both = _scores(index, "bridge"), _scores(index, "the bridge")
    assert np.count_nonzero(both.all) == 4
    np.testing.assert_array_equal(both.all, bridge.all)
    assert len(index.search("the", 9)[0]) == 6


def test_scores_of_a_long_query_read_some_of_it(tmp_path: Path) -> None:
    index = _index(tmp_path, [" ".join(map(str, range(2000)))])
    assert 0 < _scores(index, " ".join(map(str, range(2000)))).most <= 256 * math.log(4 / 3) + 1e-3


def test_term_frequencies_beyond_a_byte_are_cut(tmp_path: Path) -> None:
    index = _index(tmp_path, ["word " * 300, "other"])
    assert index.search("word", 2)[0].tolist() == [0]


@pytest.mark.parametrize("name", LEXICAL_FILES)
def test_open_missing_file_is_a_corrupt_store(tmp_path: Path, name: str) -> None:
    write_all_mapped(tmp_path, lexical_tables(TEXTS))
    (tmp_path / name).unlink()
    with pytest.raises(CorruptStore, match=name):
        LexicalShard.open(tmp_path)


@pytest.mark.parametrize("name", LEXICAL_FILES)
@pytest.mark.parametrize("kept", [0.0, 0.3, 0.6, 0.99])
def test_open_truncated_file_is_a_corrupt_store(tmp_path: Path, name: str, kept: float) -> None:
    write_all_mapped(tmp_path, lexical_tables(TEXTS))
    content = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(content[: int(kept * len(content))])
    with pytest.raises(CorruptStore, match=name):
        LexicalShard.open(tmp_path)


def test_open_file_of_another_kind_is_a_corrupt_store(tmp_path: Path) -> None:
    write_all_mapped(tmp_path, lexical_tables(TEXTS))
    (tmp_path / TERM_FREQUENCIES).write_bytes((tmp_path / LENGTHS).read_bytes())
    with pytest.raises(CorruptStore, match="columns"):
        LexicalShard.open(tmp_path)


def test_open_file_of_several_batches_is_a_corrupt_store(tmp_path: Path) -> None:
    tables = lexical_tables(TEXTS)
    write_all_mapped(tmp_path, tables)
    with pa.ipc.new_file(str(tmp_path / TERM_FREQUENCIES), TERM_FREQUENCIES_SCHEMA) as file:
        file.write_table(tables[TERM_FREQUENCIES], max_chunksize=2)
    with pytest.raises(CorruptStore, match="batch"):
        LexicalShard.open(tmp_path)


@pytest.mark.parametrize("name", [POSTINGS, TERM_FREQUENCIES])
def test_open_postings_of_another_shard_are_a_corrupt_store(tmp_path: Path, name: str) -> None:
    write_all_mapped(tmp_path, lexical_tables(TEXTS))
    write_all_mapped(tmp_path, {name: lexical_tables(TEXTS[:2])[name]})
    with pytest.raises(CorruptStore, match=name):
        LexicalShard.open(tmp_path)


_WILD = st.integers(-(2**31), 2**31 - 1) | st.integers(-2, 40)


@settings(max_examples=150)
@given(st.data())
def test_search_of_wild_numbers_in_the_files_never_leaves_them(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Whatever offsets, positions and lengths a file has, a query ends with finite scores of
    segments that are there, or with CorruptStore."""
    folder = tmp_path_factory.mktemp("wild")
    tables = lexical_tables(TEXTS)
    words, frequencies = tables[WORDS], tables[TERM_FREQUENCIES]
    deltas = tables[POSTINGS]["byte"].to_pylist()
    ends, delta_ends = words["stop"].to_pylist(), words["gaps_stop"].to_pylist()
    lengths = tables[LENGTHS]["words"].to_pylist()
    wrong = data.draw(st.sampled_from(["ends", "delta_ends", "deltas", "lengths", "all"]))
    if wrong in ("ends", "all"):
        ends[data.draw(st.integers(0, len(ends) - 2))] = data.draw(_WILD)
    if wrong in ("delta_ends", "all"):
        delta_ends[data.draw(st.integers(0, len(ends) - 2))] = data.draw(_WILD)
    if wrong in ("deltas", "all"):
        deltas[data.draw(st.integers(0, len(deltas) - 1))] = data.draw(st.integers(0, 255))
    if wrong in ("lengths", "all"):
        lengths = data.draw(st.lists(_WILD, min_size=1, max_size=9))
    tables[WORDS] = pa.table([words["hash"], ends, delta_ends], schema=WORDS_SCHEMA)
    tables[POSTINGS] = pa.table([pa.array(deltas, pa.uint8())], schema=POSTINGS_SCHEMA)
    tables[LENGTHS] = pa.table([pa.array(lengths, pa.int32())], schema=tables[LENGTHS].schema)
    assert len(frequencies) == ends[-1]
    write_all_mapped(folder, tables)
    try:
        scores = _scores(LexicalIndex([LexicalShard.open(folder)]), " ".join(TEXTS))
    except CorruptStore:
        return
    assert np.isfinite(scores.all).all()
    assert all(0 <= segment < len(lengths) for segment in scores.best(9))


@settings(max_examples=60)
@given(st.lists(_WILD, max_size=5))
def test_named_by_wild_numbers_of_segments_never_leaves_these(
    tmp_path_factory: pytest.TempPathFactory, counts: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("wild")
    write_all_mapped(folder, lexical_tables(TEXTS))
    columns = [
        pa.array([word_hash("bridge")] * len(counts), pa.uint64()),
        pa.array(counts, pa.int32()),
    ]
    write_all_mapped(folder, {NAMES: pa.table(columns, schema=NAMES_SCHEMA)})
    named = _named(LexicalIndex([LexicalShard.open(folder)]), ["bridge"], "")
    assert all(0 <= segment < len(TEXTS) for segment in named.segments)
    assert np.isfinite(named.nats).all()


@pytest.mark.parametrize(
    ("column", "value"),
    [("stop", -1), ("stop", 10_000), ("gaps_stop", 0), ("gaps_stop", 2**31 - 1)],
)
def test_search_postings_outside_of_their_file_are_a_corrupt_store(
    tmp_path: Path, column: str, value: int
) -> None:
    tables = lexical_tables(TEXTS)
    values = tables[WORDS][column].to_pylist()
    values[2] = value
    field = WORDS_SCHEMA.get_field_index(column)
    tables[WORDS] = tables[WORDS].set_column(
        field, WORDS_SCHEMA.field(field), pa.array(values, pa.int32())
    )
    write_all_mapped(tmp_path, tables)
    with pytest.raises(CorruptStore, match="refers to"):
        _scores(LexicalIndex([LexicalShard.open(tmp_path)]), "bridge")


def test_search_posting_of_a_segment_that_is_not_there_is_a_corrupt_store(tmp_path: Path) -> None:
    tables = lexical_tables(TEXTS)
    last = len(TEXTS) * [127]
    deltas = [*last, *tables[POSTINGS]["byte"].to_pylist()[len(TEXTS) :]]
    tables[POSTINGS] = pa.table([pa.array(deltas, pa.uint8())], schema=POSTINGS_SCHEMA)
    write_all_mapped(tmp_path, tables)
    with pytest.raises(CorruptStore, match="refers to"):
        _scores(LexicalIndex([LexicalShard.open(tmp_path)]), " ".join(TEXTS))


def test_a_query_loads_no_compiler(tmp_path: Path) -> None:
    write_all_mapped(tmp_path, lexical_tables(TEXTS))
    code = (
        "import sys; from pathlib import Path\n"
        "from factmill.runtime.lexical.bm25_scores import *\n"
        "LexicalIndex([LexicalShard.open(Path(sys.argv[1]))]).search('bridge', 3)\n"
        "assert 'numba' not in sys.modules and 'llvmlite' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True)
