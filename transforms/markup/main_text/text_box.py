"""Finds the innermost box of a page that contains its main text.

From the whole page, the search descends into the box with most of the sentences, as long as that
leaves no part of the same text outside.
"""

from __future__ import annotations

from collections import defaultdict

from factmill.transforms.markup.html_tree import HEADINGS
from factmill.transforms.markup.main_text.blocks import Block, Box, PageBlocks, sums

# Elements used for page layout; the others are parts of a text.
_LAYOUT_BOXES = frozenset(
    "html body div section article main table tbody tr td th form center fieldset span font header "
    "details dl dd".split()
)
_PARAGRAPH_BOXES = HEADINGS | frozenset({"p", "li", "blockquote", "pre", "dd", "dt"})
# A teaser is alone in its box, a paragraph is among others.
_ALONE_SHARE = 0.4
# The share of the text from which to descend into a box; less if the page's title is in it.
_MIN_SHARE = 0.7
_MUCH = 0.4
# Outside a box with this share of the text, nothing is searched.
_NEARLY_ALL = 0.97
_SOME = 0.1
_SOME_NAMED = 0.15
_ALIKE = 0.6


def boxes_within(page: PageBlocks) -> list[list[int]]:
    """For every box, its direct child boxes with text."""
    children: list[list[int]] = [[] for _ in page.boxes]
    for index, box in enumerate(page.boxes):
        if index and box.end > box.start:
            children[box.parent].append(index)
    return children


def text_box(page: PageBlocks, children: list[list[int]], weights: list[float], title: int) -> int:
    """The innermost box that contains the text."""
    direct: defaultdict[int, list[float]] = defaultdict(list)  # paragraphs right in a box
    holders = [_holder(page, block, children) for block in page.blocks]
    for holder, weight in zip(holders, weights, strict=True):
        if weight:
            direct[holder].append(weight)
    before = sums(
        weight if len(direct[holder]) > 1 else _ALONE_SHARE * weight
        for holder, weight in zip(holders, weights, strict=True)
    )
    amounts = [before[box.end] - before[box.start] for box in page.boxes]
    set_alike = _set_like_most(page, holders, weights)
    chosen = 0
    while children[chosen]:
        best = max(children[chosen], key=amounts.__getitem__)
        box, most, total = page.boxes[best], amounts[best], amounts[chosen]
        needed = _MUCH if title and box.start <= title < box.end else _MIN_SHARE
        if box.tag not in _LAYOUT_BOXES or not most or most < needed * total:
            break
        if most < _NEARLY_ALL * total:
            # Parts of one text have similar boxes, or are directly in the box around them.
            parts = sum(amounts[i] for i in children[chosen] if _alike(page.boxes[i], box))
            if parts - most > _SOME * total or sum(direct[chosen]) > _SOME * total:
                break
            around, within = (
                set_alike[b.end] - set_alike[b.start] for b in (page.boxes[chosen], box)
            )
            if within > most / 2 and around - within > _SOME_NAMED * total:
                break
        chosen = best
    return chosen


def _set_like_most(page: PageBlocks, holders: list[int], weights: list[float]) -> list[float]:
    """Running sums of the weights of blocks whose boxes are named like those with most of the text.

    That holds for all answers to a question, and for the question too.
    """
    amounts: defaultdict[str, float] = defaultdict(float)
    for holder, weight in zip(holders, weights, strict=True):
        amounts[page.boxes[holder].name] += weight
    amounts.pop("", None)
    most = max(amounts, key=amounts.__getitem__, default="")
    return sums(
        weight if most and page.boxes[holder].name == most else 0.0
        for holder, weight in zip(holders, weights, strict=True)
    )


def _alike(box: Box, other: Box) -> bool:
    """Whether two boxes have the same tag and share most of their names."""
    names, others = set(box.name.split()), set(other.name.split())
    return box.tag == other.tag and len(names & others) >= _ALIKE * len(names | others)


def _holder(page: PageBlocks, block: Block, children: list[list[int]]) -> int:
    """The box of which a block is a paragraph."""
    box = page.boxes[block.box]
    return box.parent if box.tag in _PARAGRAPH_BOXES or not children[block.box] else block.box
