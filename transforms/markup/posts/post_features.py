"""Features of the blocks of posts, by which a learned model separates their text from what the
forum adds: names and ranks, signatures, buttons.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import numpy as np
import numpy.typing as npt

from factmill.transforms.markup.main_text.blocks import PageBlocks
from factmill.transforms.markup.posts.page_posts import PagePosts

NAMES = (
    "post", "post_first", "post_byline", "post_position", "post_before_end", "post_again",
    "post_role", "post_role_text", "post_text", "post_count",
)  # fmt: skip
# Positions in a post are capped at this many blocks.
_FAR = 10
_DIGITS = re.compile(r"\d+")


def post_features(page: PageBlocks, posts: PagePosts) -> dict[str, npt.ArrayLike]:
    """A column for each of `NAMES`; zeros on a page without posts.

    `post_again` is the share of posts that have a block with the same text, `post_role` the share
    that have a block in a box with the same name, and `post_role_text` the share of all posts' text
    in boxes with this name.
    """
    count, blocks = len(posts.bylines), len(page.blocks)
    columns = {name: np.zeros(blocks) for name in NAMES}
    if not count:
        return dict(columns)
    of_block = np.array(posts.of_block)
    lengths = np.array([len(block.text) for block in page.blocks], float)
    inside = of_block >= 0
    texts: defaultdict[str, set[int]] = defaultdict(set)
    roles: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
    role_text: Counter[tuple[str, str]] = Counter()
    role_of = [_role(page, block.box) for block in page.blocks]
    by_post: Counter[int] = Counter()
    position = columns["post_position"]
    for index in np.flatnonzero(inside).tolist():
        number, text = posts.of_block[index], page.blocks[index].text
        texts[text].add(number)
        roles[role_of[index]].add(number)
        role_text[role_of[index]] += len(text)
        position[index] = by_post[number]
        by_post[number] += 1
    total = max(1.0, lengths[inside].sum())
    text_of_post = np.bincount(of_block[inside], lengths[inside], minlength=count)
    for index in np.flatnonzero(inside).tolist():
        number = posts.of_block[index]
        columns["post_first"][index] = number == 0
        columns["post_byline"][index] = posts.is_byline(page, index)
        columns["post_before_end"][index] = by_post[number] - 1 - position[index]
        columns["post_again"][index] = len(texts[page.blocks[index].text]) / count
        columns["post_role"][index] = len(roles[role_of[index]]) / count
        columns["post_role_text"][index] = role_text[role_of[index]] / total
        columns["post_text"][index] = np.log1p(text_of_post[number])
    columns["post"] = inside.astype(float)
    columns["post_count"] = np.full(blocks, np.log1p(count))
    for name in ("post_position", "post_before_end"):
        columns[name] = np.minimum(columns[name], _FAR) / _FAR * inside
    return dict(columns)


def _role(page: PageBlocks, box: int) -> tuple[str, str]:
    """The tag of a box, and the nearest name around it, without digits."""
    tag, name = page.boxes[box].tag, page.boxes[box].name
    while not name.strip() and box:
        box = page.boxes[box].parent
        name = page.boxes[box].name
    return tag, _DIGITS.sub("", name)
