"""Which of a page's blocks are its main text.

From the whole page the choice goes down into the box that holds most of the sentences, as long as
that box leaves no part of the same text outside.
"""

from __future__ import annotations

import re
from collections import defaultdict

from transforms.main_text_blocks import HEADINGS, Block, Box, PageBlocks, sums
from transforms.main_text_furniture import cards, covered, data_tables, furniture

# A text this long is a paragraph; a shorter one is when it ends like a sentence.
_PARAGRAPH = 80
_SENTENCE = 25
_PHRASE = 40
_SENTENCE_END = re.compile(r"[.!?。！？…:;][\"”’»)\]]*$")
_COPYRIGHT = re.compile(r"©|\(c\) ?\d{4}|copyright|all rights reserved", re.IGNORECASE)
_WORD = re.compile(r"\w+")

_TITLE_HEADINGS = frozenset({"h1", "h2", "h3"})
# A teaser stands alone in its box, a paragraph among others.
_ALONE = 0.4
_TEXT_BOXES = frozenset(
    "html body div section article main table tbody tr td th form center fieldset span font header "
    "details dl dd".split()
)
_PARAGRAPH_BOXES = HEADINGS | frozenset({"p", "li", "blockquote", "pre", "dd", "dt"})
_SIDE_BOXES = frozenset({"div", "section", "article", "table", "form"})
_MOST = 0.7
_MUCH = 0.4
_NEARLY_ALL = 0.97
_SOME = 0.1
_MOST_DIRECT = 0.7
_LINK_LIST = 0.3
# Lines that label what is not there any more: an advertisement, a button.
_LABELS = frozenset(
    "ad;ads;advert;advertisement;advertising;sponsored;sponsored content;anzeige;werbung;publicité;"
    "publicidad;publicidade;pubblicità;advertentie;annons;reklama;реклама;広告;广告;廣告;"
    "comment;comments;comentarios;commentaires;kommentare;комментарии;share;share this".split(";")
)


def choose_text(page: PageBlocks, title: str) -> list[str]:
    """The main text's paragraphs, headings and list items in order."""
    weights = [_weight(block, page.tag(block)) for block in page.blocks]
    skipped = _either(
        furniture(page, weights), covered(page, [box for box, _ in data_tables(page)])
    )
    words = _words(title)
    start = _title_heading(page, words, weights, skipped)
    skipped[:start] = [True] * start
    skipped = _either(skipped, cards(page, weights, skipped))
    weights = [0.0 if skip else weight for weight, skip in zip(weights, skipped, strict=True)]
    children = _children(page)
    chosen = _text_box(page, children, weights, start)
    box = page.boxes[chosen]
    skipped = _either(skipped, _boxes_below(page, children[chosen], children, box, weights))
    skipped = _either(skipped, _link_lists_below(page, box, weights))
    first = next((i for i in range(box.start, box.end) if weights[i]), box.end)
    kept = [
        i
        for i in range(box.start, box.end)
        if not skipped[i]
        and (weights[i] or _is_text(page.blocks[i]))
        and not (i < first and _is_title(page.blocks[i], page, words))
    ]
    while kept and page.tag(page.blocks[kept[-1]]) in HEADINGS:
        kept.pop()
    return [page.blocks[i].text for i in kept]


def _weight(block: Block, tag: str) -> float:
    """How much a block looks like a part of a text; 0 for headings, labels and links."""
    length = len(block.text)
    own = length - block.linked
    if tag in HEADINGS or own < 0.3 * length or _is_copyright(block):
        return 0.0
    if own >= _PARAGRAPH or (own >= _SENTENCE and _SENTENCE_END.search(block.text[-8:])):
        return float(own)
    return _SOME_PHRASE * own if own >= _PHRASE else 0.0


_SOME_PHRASE = 0.3


def _is_copyright(block: Block) -> bool:
    return len(block.text) < 1000 and _COPYRIGHT.search(block.text) is not None


def _is_text(block: Block) -> bool:
    return (
        block.linked * 2 <= len(block.text)
        and block.text.strip(" .:-–|•[]()").lower() not in _LABELS
    )


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


def _is_title(block: Block, page: PageBlocks, title: frozenset[str]) -> bool:
    words = _words(block.text)
    return page.tag(block) in ("h1", "h2") and len(words & title) >= max(1, 0.6 * len(words))


def _title_heading(
    page: PageBlocks, title: frozenset[str], weights: list[float], skipped: list[bool]
) -> int:
    """The block of the heading most like the page's title: a text starts there, or 0."""
    before = sums(weights)
    best, found = 0.5, 0
    for index, block in enumerate(page.blocks):
        if before[index] > before[-1] / 2:
            break
        tag = page.tag(block)
        if tag in _TITLE_HEADINGS and not skipped[index] and title:
            words = _words(block.text)
            likeness = len(words & title) / len(words | title) + 0.2 * (tag == "h1")
            if likeness > best:
                best, found = likeness, index
    return found


def _children(page: PageBlocks) -> list[list[int]]:
    """For every box the boxes right in it that hold text."""
    children: list[list[int]] = [[] for _ in page.boxes]
    for index, box in enumerate(page.boxes):
        if index and box.end > box.start:
            children[box.parent].append(index)
    return children


def _text_box(page: PageBlocks, children: list[list[int]], weights: list[float], title: int) -> int:
    """The innermost box that holds the text."""
    direct: defaultdict[int, list[float]] = defaultdict(list)  # paragraphs right in a box
    holders = [_holder(page, block, children) for block in page.blocks]
    for holder, weight in zip(holders, weights, strict=True):
        if weight:
            direct[holder].append(weight)
    before = sums(
        weight if len(direct[holder]) > 1 else _ALONE * weight
        for holder, weight in zip(holders, weights, strict=True)
    )
    chosen = 0
    while children[chosen]:
        amounts = {
            i: before[page.boxes[i].end] - before[page.boxes[i].start] for i in children[chosen]
        }
        best = max(amounts, key=amounts.__getitem__)
        box, most = page.boxes[best], amounts[best]
        total = before[page.boxes[chosen].end] - before[page.boxes[chosen].start]
        needed = _MUCH if title and box.start <= title < box.end else _MOST
        if box.tag not in _TEXT_BOXES or not most or most < needed * total:
            break
        if most < _NEARLY_ALL * total:
            alike = sum(amounts[i] for i in amounts if i != best and _alike(page.boxes[i], box))
            if alike > _SOME * total or sum(direct[chosen]) > _SOME * total:
                break
        chosen = best
    return chosen


def _alike(box: Box, other: Box) -> bool:
    return box.tag == other.tag and box.name == other.name


def _holder(page: PageBlocks, block: Block, children: list[list[int]]) -> int:
    """The box whose paragraph a block is."""
    box = page.boxes[block.box]
    return box.parent if box.tag in _PARAGRAPH_BOXES or not children[block.box] else block.box


def _boxes_below(
    page: PageBlocks, inside: list[int], children: list[list[int]], box: Box, weights: list[float]
) -> list[bool]:
    """For every block whether it is in a box below a text that is set right in `box`."""
    boxed = covered(
        page, [page.boxes[i] for i in inside if page.boxes[i].tag in _SIDE_BOXES and children[i]]
    )
    held = [i for i in range(box.start, box.end) if weights[i]]
    direct = [i for i in held if not boxed[i]]
    if not direct or sum(weights[i] for i in direct) < _MOST_DIRECT * sum(weights[i] for i in held):
        return [False] * len(boxed)
    return [is_boxed and i > direct[-1] for i, is_boxed in enumerate(boxed)]


def _link_lists_below(page: PageBlocks, box: Box, weights: list[float]) -> list[bool]:
    """For every block whether it is in a list of links that ends the text."""
    linked = sums(block.linked for block in page.blocks)
    characters = sums(len(block.text) for block in page.blocks)
    unlinked = sums(not block.linked for block in page.blocks)
    before = sums(weights)
    return covered(
        page,
        [
            one
            for one in page.boxes
            if one.tag in ("ul", "ol")
            and box.start <= one.start < one.end <= box.end
            and unlinked[one.end] == unlinked[one.start]
            and linked[one.end] - linked[one.start]
            >= _LINK_LIST * (characters[one.end] - characters[one.start])
            and before[box.end] == before[one.end]
        ],
    )


def _either(one: list[bool], other: list[bool]) -> list[bool]:
    return [a or b for a, b in zip(one, other, strict=True)]
