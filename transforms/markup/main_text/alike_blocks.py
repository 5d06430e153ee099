"""Groups the blocks that a page's template renders alike: bodies of posts, titles of cards, price
cells.

They are main content together or not at all, so each is judged by all of them.
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from factmill.models.arrays import Floats
from factmill.transforms.markup.main_text.blocks import PageBlocks

# Blocks are alike if this many boxes around them have the same tags and names.
_LEVELS = 3
# Fewer blocks are not a template.
_MIN_BLOCKS = 4
# The weight of a block's own probability against the group's.
_OWN = 0.2
_SUREST = 1e-3
_DIGITS = re.compile(r"\d+")


def judged_alike(page: PageBlocks, probabilities: Floats, words: Floats) -> Floats:
    """Probabilities of blocks, drawn towards the group's mean of log odds, weighted by words."""
    sure = np.clip(probabilities.astype(np.float64), _SUREST, 1 - _SUREST)
    odds = np.log(sure / (1 - sure))
    template = np.array(_templates(page))
    weights = np.maximum(words, _SUREST)
    means = np.bincount(template, odds * weights) / np.bincount(template, weights)
    many = np.bincount(template) >= _MIN_BLOCKS
    drawn = _OWN * odds + (1 - _OWN) * means[template]
    odds = np.where(many[template], drawn, odds)
    found: Floats = (1 / (1 + np.exp(-odds))).astype(np.float32)
    return found


def _templates(page: PageBlocks) -> list[int]:
    """The template number of each block, by tags and names of its boxes, without the digits that
    number posts. Equal numbers mean equal templates.
    """
    boxes = page.boxes
    numbers: dict[tuple[str, str], int] = {}
    templates: dict[tuple[int, ...], int] = {}
    of_box = [
        numbers.setdefault((box.tag, _without_digits(box.name)), len(numbers)) for box in boxes
    ]
    found = []
    for block in page.blocks:
        around, box = [], block.box
        for _ in range(_LEVELS):
            around.append(of_box[box])
            box = boxes[box].parent
        found.append(templates.setdefault(tuple(around), len(templates)))
    return found


@lru_cache(maxsize=1 << 14)
def _without_digits(name: str) -> str:
    return _DIGITS.sub("", name)
