from __future__ import annotations

import numpy as np

from factmill.runtime.lexical.recent_words import RecentWords, WordGains


def _gains(count: int) -> WordGains:
    return WordGains(np.arange(count), np.ones(count, np.float32))


def test_words_not_asked_for_the_longest_go_first() -> None:
    recent = RecentWords(10)
    recent.put({1: _gains(4)})
    recent.put({2: _gains(4)})
    assert list(recent.get([3, 1])) == [1]
    recent.put({3: _gains(3)})
    assert set(recent.get([1, 2, 3])) == {1, 3}


def test_a_word_of_too_many_postings_is_not_kept_and_sends_none_away() -> None:
    recent = RecentWords(10)
    recent.put({1: _gains(10)})
    recent.put({2: _gains(11)})
    assert set(recent.get([1, 2])) == {1}


def test_a_word_put_twice_is_kept_once() -> None:
    recent = RecentWords(10)
    for _ in range(3):
        recent.put({1: _gains(5)})
    recent.put({2: _gains(5)})
    assert set(recent.get([1, 2])) == {1, 2}


def test_what_is_kept_holds_no_larger_array() -> None:
    recent = RecentWords(10)
    whole = _gains(9)
    recent.put({1: WordGains(whole.segments[2:4], whole.gained[2:4])})
    kept = recent.get([1])[1]
    assert kept.segments.tolist() == [2, 3]
    assert kept.segments.base is None
    assert kept.gained.base is None
