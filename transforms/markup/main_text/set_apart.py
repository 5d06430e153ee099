"""Finds blocks that are not main content on any kind of page, whatever the network predicts.

Popups and the controls of a form are the same on every page of a shop; a signature is repeated
below every post of its author. Menus, footers, paths to the page and related pages lead elsewhere.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from factmill.models.arrays import Flags, Floats
from factmill.transforms.markup.main_text.blocks import PageBlocks
from factmill.transforms.markup.main_text.boilerplate_names import name_words

# "pum" and "popmake" are the names of a common popup.
_NAMES = frozenset(
    "popover popup pum popmake signature signup related recommended recommendations breadcrumb "
    "breadcrumbs".split()
)
_TAGS = frozenset({"fieldset"})
# Boxes with a larger share of the expected content are the page itself.
_MAX_SHARE = 0.5
# The frame of a page. On some pages the text stands in it, or in parts of it, so it may hold less.
_FRAME = frozenset({"nav", "footer", "form"})
_MAX_FRAME_SHARE = 0.2


def set_apart(page: PageBlocks, probabilities: Floats, words: Floats) -> Flags:
    """Whether each block is in such a box. Boxes by name, and those of the page's frame, count only
    if they hold no more than their share of the content that the probabilities of blocks and their
    words let expect.
    """
    named, framed = [False] * len(page.boxes), [False] * len(page.boxes)
    for index, box in enumerate(page.boxes):
        named[index] = named[box.parent] or box.tag in _TAGS or _is_beside(box.name)
        framed[index] = framed[box.parent] or box.tag in _FRAME
    expected = probabilities * words
    found = np.zeros(len(page.blocks), bool)
    for apart, share in ((named, _MAX_SHARE), (framed, _MAX_FRAME_SHARE)):
        inside = np.array([apart[block.box] for block in page.blocks], bool)
        if expected[inside].sum() <= share * expected.sum():
            found |= inside
    return found


@lru_cache(maxsize=1 << 15)
def _is_beside(name: str) -> bool:
    return not _NAMES.isdisjoint(name_words(name))
