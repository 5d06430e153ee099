"""Blocks that a page's template sets alike: bodies of posts, titles of cards, cells of a price.

They are main content together or not at all, so each is judged by all of them.
"""

from __future__ import annotations

import re
from collections import defaultdict

import numpy as np
import numpy.typing as npt

from factmill.transforms.markup.main_text.blocks import PageBlocks

Array = npt.NDArray[np.float32]

# Blocks are alike whose boxes, and the boxes around these, have the same tags and names up to here.
_LEVELS = 3
# Fewer are no template.
_FEWEST = 4
# What a block's own probability still counts for, against that of all that are alike.
_OWN = 0.2
_SUREST = 1e-3
_DIGITS = re.compile(r"\d+")

# Tag and name (without digits, which number posts) of a box, and of those around it.
_Template = tuple[tuple[str, str], ...]


def judged_alike(page: PageBlocks, probabilities: Array, words: Array) -> Array:
    """Probabilities of blocks, drawn to the mean of those alike: of log odds, weighed by words."""
    sure = np.clip(probabilities, _SUREST, 1 - _SUREST)
    odds = np.log(sure / (1 - sure)).astype(np.float64)
    templates = _templates(page)
    alike: defaultdict[_Template, list[int]] = defaultdict(list)
    for index, block in enumerate(page.blocks):
        alike[templates[block.box]].append(index)
    for indices in alike.values():
        if len(indices) >= _FEWEST:
            weights = np.maximum(words[indices], _SUREST)
            mean = np.average(odds[indices], weights=weights)
            odds[indices] = _OWN * odds[indices] + (1 - _OWN) * mean
    found: Array = (1 / (1 + np.exp(-odds))).astype(np.float32)
    return found


def _templates(page: PageBlocks) -> list[_Template]:
    """The template of each box."""
    found: list[_Template] = []
    for box in page.boxes:
        around = found[box.parent][: _LEVELS - 1] if found else ()
        found.append(((box.tag, _DIGITS.sub("", box.name)), *around))
    return found
