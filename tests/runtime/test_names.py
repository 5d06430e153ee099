from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.lexical import word_hash, word_hashes
from models.page_names import name_hash
from runtime import names
from runtime.keys import SHARD_SHIFT
from runtime.names import Name, Named, NameIndex

Page = tuple[str, int]


def _index(*shards: list[Page]) -> NameIndex:
    """Of shards of pages with a title and a number of segments each."""
    return NameIndex(
        [
            (
                np.array([name_hash(title) for title, _ in shard], np.uint64),
                np.array([count for _, count in shard], np.int32),
                sum(count for _, count in shard),
            )
            for shard in shards
        ]
    )


def _pages(name: Name) -> list[tuple[int, int]]:
    return list(zip(name.first.tolist(), name.counts.tolist(), strict=True))


def test_find_names_the_pages_of_all_shards() -> None:
    index = _index([("Ada Brock", 2), ("", 1), ("Gannet Rock (light)", 3)], [("ada brock", 1)])
    (rock, brock) = sorted(index.find("Ada Brock lit Gannet Rock."), key=lambda n: len(n.first))
    assert _pages(brock) == [(0, 2), (1 << SHARD_SHIFT, 1)]
    assert _pages(rock) == [(3, 3)]
    assert brock.words == {word_hash("ada"), word_hash("brock")}
    assert index.find("Ada. Rock, gannet") == []
    assert index.find("") == []


_WORDS = st.lists(st.sampled_from("abc"), min_size=1, max_size=10).map(" ".join)


@settings(deadline=None, max_examples=200)
@given(st.lists(_WORDS, max_size=12), _WORDS)
def test_find_takes_the_longest_names_first(titles: list[str], text: str) -> None:
    found = _index([(title, 1) for title in titles]).find(text)
    words = text.split()
    free, expected = [True] * len(words), {}
    for length in range(8, 0, -1):
        for place in range(len(words) - length + 1):
            phrase = words[place : place + length]
            pages = [(page, 1) for page, title in enumerate(titles) if title.split() == phrase]
            if 0 < len(pages) <= 8 and all(free[place : place + length]):
                free[place : place + length] = [False] * length
                expected[" ".join(phrase)] = pages
    assert sorted(_pages(name) for name in found) == sorted(expected.values())
    assert {name.words for name in found} == {
        frozenset(map(word_hash, phrase.split())) for phrase in expected
    }


def test_find_a_name_of_many_pages_is_none() -> None:
    assert len(_index([("News", 1)] * 8).find("the news")) == 1
    assert _index([("News", 1)] * 9).find("the news") == []
    assert [_pages(n) for n in _index([("News", 1)] * 9, [("The News", 4)]).find("the news")] == [
        [(1 << SHARD_SHIFT, 4)]
    ]


def test_find_reads_a_long_text_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    index = _index([("Gannet", 1)])
    assert index.find("x " * 100_000 + "Gannet") == []
    monkeypatch.setattr(names, "_MAX_CHARACTERS", 10)
    assert index.find("...    Gannet") == []


@settings(deadline=None)
@given(st.lists(st.integers(-(2**31), 2**31 - 1) | st.integers(-2, 3), max_size=8))
def test_wild_numbers_of_segments_name_none_that_is_not_there(counts: list[int]) -> None:
    hashes = np.full(len(counts), word_hash("gannet"), np.uint64)
    index = NameIndex([(hashes, np.array(counts, np.int32), 6)])
    for name in index.find("Gannet"):
        for first, count in _pages(name):
            assert 0 <= first < first + count <= 6


def test_named_of_segments_is_what_the_name_of_their_page_tells() -> None:
    first, second = _index([("A", 2), ("B", 3), ("A", 20)], [("B", 1)]).find("a b")
    named = Named.of_names([(first, 3.0), (second, 5.0)])
    assert named.segments.tolist() == [0, 1, 2, 3, 4, *range(5, 21), 1 << SHARD_SHIFT]
    asked = np.array([0, 1, 2, 4, 5, 24, 25, 1 << SHARD_SHIFT, (1 << SHARD_SHIFT) + 1])
    assert named.of(asked).tolist() == [3, 3, 5, 5, 3, 3, 0, 5, 0]
    nothing = Named.of_names([])
    assert nothing.segments.tolist() == []
    assert nothing.of(asked).tolist() == [0] * len(asked)


def test_word_hashes_of_a_text_are_those_of_its_words() -> None:
    assert word_hashes("Gannet Rock").tolist() == [word_hash("gannet"), word_hash("rock")]
