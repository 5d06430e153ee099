"""Which of a page's blocks are its main content, by what was learned from pages of every kind.

The rules (`choice`) are made for articles. On pages of other kinds (posts of a forum, cards of a
shop) a network judges each block, with what the rules say of it as one of its features.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from factmill.transforms.markup.main_text.block_features import block_features
from factmill.transforms.markup.main_text.block_net import block_net
from factmill.transforms.markup.main_text.blocks import PageBlocks
from factmill.transforms.markup.main_text.choice import RuledChoice
from factmill.transforms.markup.main_text.told_phrases import ToldPhrases

# Larger pages are chosen by rule: their features would take much memory. Of 1,004 pages none has
# so many.
MAX_BLOCKS = 20_000


def learned_choice(
    page: PageBlocks, ruled: RuledChoice, told: ToldPhrases, kinds: npt.NDArray[np.float32]
) -> str:
    """The main content, one paragraph, heading, list item or label a line.

    `kinds`: the page's probability of each kind.
    """
    if not page.blocks:
        return ""
    _, features = block_features(page, ruled, told)
    words = counted_words(page, ruled)
    chosen = best_blocks(block_net().probabilities(features, kinds, words), words)
    return "\n".join(page.blocks[index].text for index in np.flatnonzero(chosen))


def counted_words(page: PageBlocks, ruled: RuledChoice) -> npt.NDArray[np.float32]:
    """The words of each block; none of those in data tables, which are segments of their own."""
    return np.array(
        [0 if table else block.text.count(" ") + 1
         for block, table in zip(page.blocks, ruled.in_table, strict=True)],
        np.float32,
    )  # fmt: skip


def best_blocks(
    probabilities: npt.NDArray[np.float32], words: npt.NDArray[np.float32]
) -> npt.NDArray[np.bool_]:
    """The likeliest blocks, as many as have the best F1 over words that can be expected.

    No threshold: of the blocks by falling probability, the first k are taken whose
    2 * hits / (words taken + words to be found) is largest, with hits and words as expected.
    Blocks without words that count are none of them.
    """
    order = np.argsort(-np.where(words > 0, probabilities, -1), kind="stable")
    taken = np.cumsum(words[order])
    hits = np.cumsum((probabilities * words)[order])
    chosen = np.zeros(len(words), bool)
    if len(words) and hits[-1] > 0:
        best = int(np.argmax(2 * hits / (taken + hits[-1])))
        chosen[order[: best + 1]] = True
    return chosen & (words > 0)
