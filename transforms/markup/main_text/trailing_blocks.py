"""Finds blocks below a page's main text, in the same box, that do not belong to it."""

from __future__ import annotations

from factmill.transforms.markup.main_text.blocks import Block, Box, PageBlocks, sums
from factmill.transforms.markup.main_text.boilerplate import covered

_SIDE_BOXES = frozenset({"div", "section", "article", "table", "form"})
# The text is directly in its box if at least this share of it is.
_MIN_DIRECT = 0.7
# A list of links has some words around its links: "and how it began".
_LINK_SHARE = 0.3
_LAST_BLOCKS = 3
_MAX_CONTACT = 400


def boxes_below(page: PageBlocks, box: Box, inside: list[Box], weights: list[float]) -> list[bool]:
    """For every block, whether its own box is below the paragraphs that are directly in `box`.

    Such boxes are sign-up forms, notes on the site and teasers; `inside` are the boxes in `box`.
    """
    boxed = covered(page, [one for one in inside if one.tag in _SIDE_BOXES])
    held = [i for i in range(box.start, box.end) if weights[i]]
    direct = [i for i in held if not boxed[i]]
    if not direct or sum(weights[i] for i in direct) < _MIN_DIRECT * sum(weights[i] for i in held):
        return [False] * len(boxed)
    return [is_boxed and i > direct[-1] for i, is_boxed in enumerate(boxed)]


def link_lists_below(page: PageBlocks, box: Box, weights: list[float]) -> list[bool]:
    """For every block, whether it is in a list that ends the text, with a link in every item."""
    link_lists = [
        one
        for one in page.boxes
        if one.tag in ("ul", "ol") and box.start <= one.start < one.end <= box.end
    ]
    if not link_lists:
        return [False] * len(page.blocks)
    linked = sums(block.linked for block in page.blocks)
    characters = sums(len(block.text) for block in page.blocks)
    unlinked = sums(not block.linked for block in page.blocks)
    text = sums(weights)
    return covered(
        page,
        [
            one
            for one in link_lists
            if unlinked[one.end] == unlinked[one.start]
            and linked[one.end] - linked[one.start]
            >= _LINK_SHARE * (characters[one.end] - characters[one.start])
            and text[box.end] == text[one.end]
        ],
    )


def kept_above_contacts(blocks: list[Block]) -> list[Block]:
    """The blocks before a final note on how to contact or follow the author."""
    for index in range(max(1, len(blocks) - _LAST_BLOCKS), len(blocks)):
        below = blocks[index:]
        if below[0].contact and sum(len(block.text) for block in below) < _MAX_CONTACT:
            return blocks[:index]
    return blocks
