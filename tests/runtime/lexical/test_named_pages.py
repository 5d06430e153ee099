from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.models.arrays import Floats, SmallIntegers
from factmill.models.lexical import names_in_texts
from factmill.models.lexical.bm25 import Hashes, word_hash, word_hashes
from factmill.models.lexical.page_names import name_hash
from factmill.runtime.lexical import named_pages
from factmill.runtime.lexical.named_pages import NamedPages, PageNames

Title = tuple[str, int]


def _index(*shards: list[Title]) -> PageNames:
    """Of shards of pages with a title and a number of segments each."""
    return PageNames(
        [
            SegmentNames(
                np.array([name_hash(title) for title, _ in shard], np.uint64),
                np.array([count for _, count in shard], np.int32),
                sum(count for _, count in shard),
            )
            for shard in shards
        ]
    )


@dataclass(frozen=True)
class SegmentNames:
    """What `PageNames` reads of a shard."""

    page_names: Hashes
    page_segments: SmallIntegers
    segments: int

    def __len__(self) -> int:
        return self.segments


def _named(index: PageNames, text: str, asked: str = "") -> NamedPages:
    """What a text names, in a corpus where each word tells as much as the others."""
    words = np.unique(word_hashes(asked))
    return index.named([text], words, _alike)


def _alike(hashes: Hashes) -> Floats:
    return np.full(len(hashes), np.log(2), np.float32)


def _pages(named: NamedPages) -> list[tuple[int, int, int]]:
    """First segment and number of segments of each page, and how many words of its name tell; in
    the order of the segments."""
    told = np.round(named.nats / np.log(2)).astype(int).tolist()
    return sorted(zip(named.first.tolist(), named.counts.tolist(), told, strict=True))


def test_named_are_the_pages_of_all_shards() -> None:
    index = _index([("Ada Brock", 2), ("", 1), ("Gannet Rock (light)", 3)], [("ada brock", 1)])
    found = _named(index, "Ada Brock lit Gannet Rock. Ada Brock did.")
    assert _pages(found) == [(0, 2, 2), (3, 3, 2), (6, 1, 2)]
    assert _pages(_named(index, "Ada Brock lit Gannet Rock.", "rock, ada: brock?")) == [(3, 3, 1)]
    assert _pages(_named(index, "Ada. Rock, gannet")) == []
    assert _pages(_named(index, "")) == []


_WORDS = st.lists(st.sampled_from("abc"), min_size=1, max_size=10).map(" ".join)


@settings(max_examples=200)
@given(st.lists(_WORDS, max_size=12), _WORDS, st.sets(st.sampled_from("abc")))
def test_named_are_the_longest_names_first_with_the_words_not_asked_for(
    titles: list[str], text: str, asked: set[str]
) -> None:
    found = _named(_index([(title, 1) for title in titles]), text, " ".join(asked))
    words = text.split()
    free, expected = [True] * len(words), {}
    for length in range(8, 0, -1):
        for start in range(len(words) - length + 1):
            phrase = words[start : start + length]
            pages = [page for page, title in enumerate(titles) if title.split() == phrase]
            if 0 < len(pages) <= 8 and all(free[start : start + length]):
                free[start : start + length] = [False] * length
                told = len(set(phrase) - asked)
                expected.update({page: (page, 1, told) for page in pages if told})
    assert _pages(found) == sorted(expected.values())


def test_named_by_a_name_of_many_pages_is_none() -> None:
    assert len(_pages(_named(_index([("News", 1)] * 8), "the news"))) == 8
    assert _pages(_named(_index([("News", 1)] * 9), "the news")) == []
    index = _index([("News", 1)] * 9, [("The News", 4)])
    assert _pages(_named(index, "the news")) == [(9, 4, 2)]


def test_named_in_a_long_text_are_those_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    index = _index([("Gannet", 1)])
    assert _pages(_named(index, "x " * 100_000 + "Gannet")) == []
    monkeypatch.setattr(names_in_texts, "_MAX_CHARACTERS", 10)
    assert _pages(_named(index, "Gannet and more")) == [(0, 1, 1)]
    # The last word that is read may be cut.
    assert _pages(_named(index, "... Gannets")) == []


@given(st.lists(st.integers(-(2**31), 2**31 - 1) | st.integers(-2, 3), max_size=8))
def test_wild_numbers_of_segments_name_none_that_is_not_there(counts: list[int]) -> None:
    hashes = np.full(len(counts), word_hash("gannet"), np.uint64)
    index = PageNames([SegmentNames(hashes, np.array(counts, np.int32), 6)])
    for first, count, _ in _pages(_named(index, "Gannet")):
        assert 0 <= first < first + count <= 6


def test_named_pages_have_segments_to_look_at_up_to_a_bound() -> None:
    index = _index([("A", 2), ("B c", 3), ("A", 20)], [("B c", 1)])
    assert _named(index, "a b c").segments.tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 8, 25]
    assert _named(index, "").segments.tolist() == []


def test_named_by_several_texts_are_those_of_each() -> None:
    index = _index([("Ada Brock", 1), ("Gannet", 1), ("Rock Ada", 1)])
    found = index.named(["Gannet Rock", "Ada Brock. Gannet, Gannet"], word_hashes(""), _alike)
    texts_and_pages = sorted(zip(found.texts.tolist(), found.first.tolist(), strict=True))
    # No name goes on from one text to the next.
    assert texts_and_pages == [(0, 1), (1, 0), (1, 1)]
    assert found.segments.tolist() == [0, 1]
    assert found.all_nats == pytest.approx(3 * np.log(2))


def test_word_hashes_of_a_text_are_those_of_its_words() -> None:
    assert word_hashes("Gannet Rock").tolist() == [word_hash("gannet"), word_hash("rock")]


def test_named_by_many_names_are_the_rarest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(named_pages, "_MAX_NAMES", 2)
    index = _index([("A", 1), ("B c", 1), ("D", 1), ("E f", 1)])
    assert _pages(_named(index, "a, b c, d, e f")) == [(1, 1, 2), (3, 1, 2)]
