from __future__ import annotations

from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from tests.benchmarks.page_models.block_labels import aligned, block_labels

WORDS = st.lists(st.sampled_from("abc"), max_size=9)


@given(WORDS, WORDS)
def test_aligned_words_are_a_longest_common_subsequence(
    words: list[str], others: list[str]
) -> None:
    @cache
    def longest(i: int, j: int) -> int:
        if i == len(words) or j == len(others):
            return 0
        if words[i] == others[j]:
            return 1 + longest(i + 1, j + 1)
        return max(longest(i + 1, j), longest(i, j + 1))

    found = [word for word, match in zip(words, aligned(words, others), strict=True) if match]
    rest = iter(others)
    assert all(word in rest for word in found)
    assert len(found) == longest(0, 0)


def test_block_labels_are_shares_of_marked_words_in_any_order() -> None:
    content = "the last lamp burnt colza oil and the first one coal".split()
    blocks = ["the first one coal".split(), "the last lamp burnt".split(), ["menu"], []]
    labels = block_labels(blocks, content)
    assert sorted(labels[:2]) == [0.9, 1.0]
    assert labels[2:] == [0.0, 0.0]
