"""Finds blocks that are not main content on any kind of page, whatever the network predicts.

Popups and the controls of a form are the same on every page of a shop; a signature is repeated
below every post of its author.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from factmill.transforms.markup.main_text.blocks import PageBlocks
from factmill.transforms.markup.main_text.boilerplate_names import name_words

# "pum" and "popmake" are the names of a common popup.
_NAMES = frozenset({"popover", "popup", "pum", "popmake", "signature"})
_TAG = "fieldset"
# Boxes with a larger share of the expected content are the page itself.
_MAX_SHARE = 0.5


def set_apart(
    page: PageBlocks, probabilities: npt.NDArray[np.float32], words: npt.NDArray[np.float32]
) -> npt.NDArray[np.bool_]:
    """Whether each block is in such a box; none is if these boxes hold most of the content that
    the probabilities of blocks and their words let expect.
    """
    apart = [False] * len(page.boxes)
    for index, box in enumerate(page.boxes):
        apart[index] = (
            apart[box.parent] or box.tag == _TAG or not _NAMES.isdisjoint(name_words(box.name))
        )
    found = np.array([apart[block.box] for block in page.blocks], bool)
    expected = probabilities * words
    if expected[found].sum() > _MAX_SHARE * expected.sum():
        found[:] = False
    return found
