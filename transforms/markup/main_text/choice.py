"""Chooses the blocks that are a page's main text, by rule.

Boilerplate is dropped, the text's box is found (`text_box`), and blocks that do not belong to the
text are trimmed at its ends.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from factmill.transforms.markup.html_tree import HEADINGS
from factmill.transforms.markup.main_text.blocks import Block, Box, PageBlocks, sums
from factmill.transforms.markup.main_text.boilerplate import (
    cards,
    covered,
    data_tables,
    named_boilerplate,
)
from factmill.transforms.markup.main_text.text_box import boxes_within, text_box
from factmill.transforms.markup.main_text.trailing_blocks import (
    boxes_below,
    kept_above_contacts,
    link_lists_below,
)

# A text this long is a paragraph; a shorter one is if it ends like a sentence. A phrase without an
# end counts less.
_PARAGRAPH = 80
_SENTENCE = 25
_PHRASE = 40
_PHRASE_SHARE = 0.3
_SENTENCE_END = re.compile(r"[.!?…:;。！？։؟۔।॥።។။][\"”’»)\]」』]*$")
# A Chinese or Japanese character counts as two letters.
_WIDE = re.compile("[^\u2e80-\u9fff]{0,20}[\u2e80-\u9fff]")
# Below this share of unlinked text a block is a list of links.
_OWN_SHARE = 0.3
_COPYRIGHT = ("©", "copyright", "all rights reserved")
_COPYRIGHT_YEAR = re.compile(r"\(c\) ?\d{4}")
_MAX_COPYRIGHT = 1000
# Labels of removed elements: an advertisement, a button.
_LABELS = frozenset(
    "ad;ads;advert;advertisement;advertising;sponsored;sponsored content;anzeige;werbung;publicité;"
    "publicidad;publicidade;pubblicità;advertentie;annons;reklama;реклама;広告;广告;廣告;"
    "comment;comments;comentarios;commentaires;kommentare;комментарии;share;share this".split(";")
)
_TITLE_HEADINGS = frozenset({"h1", "h2", "h3"})
# The share of common words from which a heading is the title; an h1 needs less than others.
_LIKE = 0.5
_LIKE_H1 = 0.2
# The share of a heading's words in the title from which the heading repeats it.
_REPEATED_SHARE = 0.6
# So many linked headings are a list of links.
_SEVERAL = 3


@dataclass(frozen=True, slots=True)
class RuledChoice:
    """The rules' verdict on each block: how much it looks like text by itself, whether it is kept,
    and whether it is in a data table. `start` is the block of the page's title.
    """

    weights: list[float]
    kept: list[bool]
    in_table: list[bool]
    title_words: frozenset[str]
    start: int

    def blocks(self) -> list[int]:
        """The main text's paragraphs, headings and list items in order."""
        return [index for index, kept in enumerate(self.kept) if kept]

    def share(self) -> float:
        """The kept share of blocks that look like text; 1 if none does."""
        total = sum(self.weights)
        kept = sum(w for w, keeps in zip(self.weights, self.kept, strict=True) if keeps)
        return kept / total if total else 1.0


def choose_text(page: PageBlocks, title: str) -> RuledChoice:
    """Choose the blocks that are the main text, by rule."""
    by_itself = weights = [_weight(block, page.tag(block)) for block in page.blocks]
    in_table = covered(page, [box for box, _ in data_tables(page)])
    title_words = _words(title)
    skipped = _either(named_boilerplate(page, weights, _first_title(page, title_words)), in_table)
    start = _title_heading(page, title_words, weights, skipped)
    skipped[:start] = [True] * start
    skipped = _either(skipped, cards(page, weights, skipped))
    weights = [0.0 if skip else weight for weight, skip in zip(weights, skipped, strict=True)]
    children = boxes_within(page)
    chosen = text_box(page, children, weights, start)
    box = page.boxes[chosen]
    inside = [page.boxes[child] for child in children[chosen] if children[child]]
    skipped = _either(skipped, boxes_below(page, box, inside, weights))
    skipped = _either(skipped, link_lists_below(page, box, weights))
    first = next((i for i in range(box.start, box.end) if weights[i]), box.end)
    linked = _linked_headings(page, box, weights)
    chosen_blocks = [
        i
        for i, block in enumerate(page.blocks[box.start : box.end], box.start)
        if not skipped[i]
        and (weights[i] or _is_text(block) or i in linked)
        and not (i < first and _is_title(block, page.tag(block), title_words))
    ]
    blocks = kept_above_contacts([page.blocks[i] for i in chosen_blocks])
    while blocks and page.tag(blocks[-1]) in HEADINGS:
        blocks.pop()
    kept = [False] * len(page.blocks)
    for i in chosen_blocks[: len(blocks)]:
        kept[i] = True
    return RuledChoice(by_itself, kept, in_table, title_words, start)


def _weight(block: Block, tag: str) -> float:
    """How much a block looks like part of a text; 0 for headings, labels and links."""
    own = len(block.text) - block.linked
    if tag in HEADINGS or own < _OWN_SHARE * len(block.text) or _is_copyright(block.text):
        return 0.0
    if not block.text.isascii() and _WIDE.match(block.text):
        own *= 2
    if own >= _PARAGRAPH or (own >= _SENTENCE and _SENTENCE_END.search(block.text[-8:])):
        return float(own)
    return _PHRASE_SHARE * own if own >= _PHRASE else 0.0


def _is_copyright(text: str) -> bool:
    if len(text) >= _MAX_COPYRIGHT:
        return False
    lowered = text.lower()
    said = any(sign in lowered for sign in _COPYRIGHT)
    return said or _COPYRIGHT_YEAR.search(lowered) is not None


def _is_text(block: Block) -> bool:
    """Whether a block without weight may be part of a text: neither links nor a label."""
    return (
        block.linked * 2 <= len(block.text)
        and block.text.strip(" .:-–|•[]()").lower() not in _LABELS
    )


def _linked_headings(page: PageBlocks, box: Box, weights: list[float]) -> frozenset[int]:
    """Linked headings in a box, each followed by a paragraph.

    Several of them are the text's own sections, which have pages too; a few lead to other texts.
    """
    found = frozenset(
        i
        for i in range(box.start, box.end - 1)
        if page.blocks[i].linked and weights[i + 1] and page.tag(page.blocks[i]) in HEADINGS
    )
    return found if len(found) >= _SEVERAL else frozenset()


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.lower()))


def _is_title(block: Block, tag: str, title: frozenset[str]) -> bool:
    """Whether a heading repeats the page's title, which is stored apart from the text."""
    words = _words(block.text)
    return tag in ("h1", "h2") and len(words & title) >= max(1, _REPEATED_SHARE * len(words))


def _first_title(page: PageBlocks, title: frozenset[str]) -> int | None:
    """The first h1 that is the page's title, anywhere on the page."""
    for index, block in enumerate(page.blocks):
        if title and page.tag(block) == "h1":
            words = _words(block.text)
            if len(words & title) >= _LIKE * len(words | title):
                return index
    return None


def _title_heading(
    page: PageBlocks, title: frozenset[str], weights: list[float], skipped: list[bool]
) -> int:
    """The first heading that matches the page's title, preferably an h1, or block 0.

    There is no text above it.
    """
    before = sums(weights)
    found = 0
    for index, block in enumerate(page.blocks):
        if not title or before[index] > before[-1] / 2:
            break
        tag = page.tag(block)
        if tag in _TITLE_HEADINGS and not skipped[index] and (tag == "h1" or not found):
            words = _words(block.text)
            likeness = len(words & title) / len(words | title)
            if likeness >= (_LIKE_H1 if tag == "h1" else _LIKE):
                found = index
                if tag == "h1":
                    break
    return found


def _either(one: list[bool], other: list[bool]) -> list[bool]:
    return [a or b for a, b in zip(one, other, strict=True)]
