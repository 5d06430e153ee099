"""Chooses a page's main content with a network learned from pages of every kind.

The rules (`choice`) are made for articles. On other pages (posts of a forum, cards of a shop) a
network judges each block, with the rules' verdict as one of its features.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from factmill.models.arrays import Flags, Floats
from factmill.models.pages.block_net import block_net
from factmill.models.pages.kind_model import PAGE_KINDS
from factmill.transforms.markup.main_text.alike_blocks import judged_alike
from factmill.transforms.markup.main_text.block_features import block_features
from factmill.transforms.markup.main_text.blocks import PageBlocks
from factmill.transforms.markup.main_text.choice import RuledChoice
from factmill.transforms.markup.main_text.set_apart import set_apart
from factmill.transforms.markup.main_text.told_phrases import ToldPhrases
from factmill.transforms.markup.posts.page_posts import PagePosts

# The rules choose the blocks of larger pages, whose features would take much memory. None of 1,004
# pages is larger.
MAX_BLOCKS = 20_000
# On this kind of page repetition is intentional.
_REPEATS = "documentation"
# Shorter blocks are labels or thanks, which several posts may repeat.
_MIN_REPEATED = 5
_CODE = "pre"


@dataclass(frozen=True, slots=True)
class LearnedChoice:
    """The network's choice of main content, and its expectations of both choices.

    `blocks` are the chosen ones, in order: paragraphs, headings, list items, labels. `expected` is
    the F1 over words expected from the blocks' probabilities, `expected_of_rules` that of the
    rules' choice. `agreement` is the F1 between the two choices.
    """

    blocks: tuple[int, ...]
    expected: float
    expected_of_rules: float
    agreement: float


def learned_choice(
    page: PageBlocks, ruled: RuledChoice, told: ToldPhrases, posts: PagePosts, kinds: Floats
) -> LearnedChoice:
    """The page's main content. There is at least one block; `kinds` is the page's probability of
    each kind.
    """
    _, features = block_features(page, ruled, told, posts)
    words = counted_words(page, ruled)
    by_itself = block_net().probabilities(features, kinds, words)
    words = np.where(set_apart(page, by_itself, words), np.float32(0), words)
    probabilities = judged_alike(page, by_itself, words)
    takes_once = kinds.argmax() != PAGE_KINDS.index(_REPEATS)
    new_words = without_repeats(page, probabilities, words) if takes_once else words
    chosen = best_blocks(probabilities, new_words)
    kept = np.array(ruled.kept)
    return LearnedChoice(
        tuple(np.flatnonzero(chosen).tolist()),
        expected_f1(chosen, probabilities, words),
        expected_f1(kept, probabilities, words),
        expected_f1(chosen, kept.astype(np.float32), words),
    )


def counted_words(page: PageBlocks, ruled: RuledChoice) -> Floats:
    """The words of each block; 0 for blocks in data tables, which are segments of their own."""
    return np.array(
        [0 if table else block.text.count(" ") + 1
         for block, table in zip(page.blocks, ruled.in_table, strict=True)],
        np.float32,
    )  # fmt: skip


def without_repeats(page: PageBlocks, probabilities: Floats, words: Floats) -> Floats:
    """The words of each block; 0 for blocks that repeat a likelier block word for word.

    Pages repeat small print, and text that is rendered differently on narrow screens. Repeated code
    is intentional.
    """
    found = words.copy()
    seen: set[str] = set()
    for index in np.argsort(-probabilities, kind="stable").tolist():
        block = page.blocks[index]
        if words[index] >= _MIN_REPEATED and page.tag(block) != _CODE:
            if block.text in seen:
                found[index] = 0
            seen.add(block.text)
    return found


def best_blocks(probabilities: Floats, words: Floats) -> Flags:
    """The likeliest blocks, as many as maximise the expected F1 over words.

    There is no threshold: blocks are sorted by falling probability, and the first k are taken that
    maximise 2 * hits / (words taken + words to be found), with expected hits and words. Blocks
    without counted words are never chosen.
    """
    order = np.argsort(-np.where(words > 0, probabilities, -1), kind="stable")
    taken = np.cumsum(words[order])
    hits = np.cumsum((probabilities * words)[order])
    chosen = np.zeros(len(words), bool)
    if len(words) and hits[-1] > 0:
        best = int(np.argmax(2 * hits / (taken + hits[-1])))
        chosen[order[: best + 1]] = True
    return chosen & (words > 0)


def expected_f1(chosen: Flags, probabilities: Floats, words: Floats) -> float:
    """2 * hits / (words taken + words to be found), with expected hits and words; 0 without
    words.
    """
    hits = float((probabilities * words)[chosen].sum())
    return 2 * hits / max(1.0, float(words[chosen].sum() + (probabilities * words).sum()))
