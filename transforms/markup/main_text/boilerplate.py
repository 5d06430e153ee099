"""Finds blocks that are not part of a page's text, wherever the text is.

Those are boilerplate by name or tag, cards that lead to other pages, and data tables.
"""

from __future__ import annotations

from collections import Counter

from lxml.html import HtmlElement

from factmill.transforms.markup.html_tree import HEADINGS
from factmill.transforms.markup.main_text.blocks import HIDDEN, Box, PageBlocks, sums
from factmill.transforms.markup.main_text.boilerplate_names import COMMENTS

# On some pages the main text itself has such a name: names with more than this share of the text
# are not believed.
_MAX_SHARE = 0.5
_MAX_SHARE_OF_ONE_NAME = 0.6
_THIN = 100
# Above this share of the hidden text, one box is a page of its own: the next one.
_MAX_FOLDED_SHARE = 0.3
_CARD_BOXES = frozenset({"div", "li", "article", "section", "td", "a", "figure", "dd"})
_MAX_CARD_BLOCKS = 8
# A longer card is the text itself, under a linked heading: a list of good books.
_MAX_CARD_CHARACTERS = 300
# A cell of more paragraphs and more characters is a text.
_MAX_CELL_PARAGRAPHS = 2
_MAX_CELL_CHARACTERS = 240


def named_boilerplate(page: PageBlocks, weights: list[float], title: int | None) -> list[bool]:
    """For every block, whether its name marks it as boilerplate.

    A box around the page's title (a block) is the page itself: "author-bio", "newsletter".
    """
    before = sums(weights)
    total = before[-1]
    named = [
        box
        for box in page.boxes
        if box.boilerplate
        and not (title is not None and box.start <= title < box.end)
        and (box.boilerplate == HIDDEN or _sum(before, box) <= _MAX_SHARE * total)
    ]
    taken: Counter[str] = Counter()
    most: Counter[str] = Counter()
    reached: dict[str, int] = {}
    for box in named:
        if box.start >= reached.get(box.boilerplate, 0):
            weight = int(_sum(before, box))
            taken[box.boilerplate] += weight
            most[box.boilerplate] = max(most[box.boilerplate], weight)
            reached[box.boilerplate] = box.end
    believed = {
        name for name, weight in taken.items() if _is_believed(name, weight, most[name], total)
    }
    return covered(page, [box for box in named if box.boilerplate in believed])


def _is_believed(name: str, weight: int, most: int, total: float) -> bool:
    """Whether boxes with a name are boilerplate; `most` is the weight of the longest of them."""
    if weight <= _MAX_SHARE_OF_ONE_NAME * total:
        return True
    rest = total - weight
    if name == HIDDEN:  # the answers of a FAQ are hidden one by one
        return rest > _THIN and most > _MAX_FOLDED_SHARE * weight
    # Comments may be longer than the text they comment on.
    return name in COMMENTS and rest > _THIN


def cards(page: PageBlocks, weights: list[float], skipped: list[bool]) -> list[bool]:
    """For every block, whether it is in a card: a box with a linked heading and a sentence.

    A card leads to another page. On a page that consists mostly of cards, they are the text.
    """
    found = covered(page, [box for box in page.boxes if _is_card(page, box, weights)])
    in_cards = sum(
        w for w, card, skip in zip(weights, found, skipped, strict=True) if card and not skip
    )
    total = sum(w for w, skip in zip(weights, skipped, strict=True) if not skip)
    return found if in_cards <= _MAX_SHARE * total else [False] * len(found)


def _is_card(page: PageBlocks, box: Box, weights: list[float]) -> bool:
    if box.tag not in _CARD_BOXES or not 2 <= box.end - box.start <= _MAX_CARD_BLOCKS:
        return False
    blocks = page.blocks[box.start : box.end]
    headings = [block for block in blocks if page.tag(block) in HEADINGS]
    return (
        len(headings) == 1
        and sum(len(block.text) for block in blocks) - len(headings[0].text) <= _MAX_CARD_CHARACTERS
        and headings[0].linked >= 0.9 * len(headings[0].text)
        and sum(weight > 0 for weight in weights[box.start : box.end]) <= 1
    )


def data_tables(page: PageBlocks) -> list[tuple[Box, HtmlElement]]:
    """The tables whose text is not part of the page's text. Those with a cell that holds a text of
    its own (a job, a lecture) are read both as tables and as text.
    """
    if not page.tables:
        return []
    characters = sums(len(block.text) for block in page.blocks)
    with_texts: set[int] = set()
    within = [0] * len(page.boxes)  # the table that a box is in
    for index, box in enumerate(page.boxes):
        in_table = page.boxes[box.parent].tag == "table"
        within[index] = box.parent if in_table else within[box.parent]
        if (
            box.tag in ("td", "th")
            and box.end - box.start > _MAX_CELL_PARAGRAPHS
            and _sum(characters, box) > _MAX_CELL_CHARACTERS
        ):
            with_texts.add(within[index])
    return [
        (page.boxes[index], element) for index, element in page.tables if index not in with_texts
    ]


def covered(page: PageBlocks, boxes: list[Box]) -> list[bool]:
    """For every block, whether it is in one of the boxes."""
    edges = [0] * (len(page.blocks) + 1)
    for box in boxes:
        edges[box.start] += 1
        edges[box.end] -= 1
    depths = sums(edges)
    return [depth > 0 for depth in depths[1:-1]]


def _sum(before: list[float], box: Box) -> float:
    return before[box.end] - before[box.start]
