"""Features of each block of a page, for a learned model of main content.

They describe the block's formatting, the names of its boxes, how much text and how many links these
hold, whether they are in a row of similar boxes (posts, cards), and the verdict of the rules
(`choice`).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import numpy as np
import numpy.typing as npt

from factmill.models.arrays import Doubles, Floats, Integers
from factmill.transforms.markup.html_tree import HEADINGS
from factmill.transforms.markup.main_text.blocks import HIDDEN, PageBlocks
from factmill.transforms.markup.main_text.choice import RuledChoice
from factmill.transforms.markup.main_text.name_groups import GROUP_NAMES, name_groups
from factmill.transforms.markup.main_text.told_phrases import ToldPhrases
from factmill.transforms.markup.posts.page_posts import PagePosts
from factmill.transforms.markup.posts.post_features import post_features

Columns = dict[str, npt.ArrayLike]

_TAGS = (
    "header", "footer", "nav", "aside", "main", "article", "form", "table", "ul", "ol", "dl",
    "figure", "section", "blockquote", "pre", "details", "button", "dialog",
)  # fmt: skip
_TAG_BITS = {tag: 1 << bit for bit, tag in enumerate(_TAGS)}
_BLOCK_TAGS = ("p", "li", "td", "dt", "dd", "pre", "button", "div", "blockquote")
# How many levels of boxes around a block are described, and how many boxes with the same blocks are
# skipped on the way to a larger one.
_LEVELS = 4
_SAME_BLOCKS = 6
# The minimum number of similar boxes in a row, and of blocks in a box of links.
_ROW = 2
_LINKED_BLOCKS = 4
# Longer texts are neither titles nor dates.
_SHORT = 200
_LABEL = 40
# Distances to the title are in blocks, up to this maximum.
_NEAR, _BEFORE, _BEYOND = 50, -2, 6
_PRICE = re.compile(r"(?:[$€£¥₹]|USD|EUR|GBP|Rs\.?|kr)\s?\d|\d\s?(?:€|£|zł|kr|USD|EUR|GBP)\b")
_DATE = re.compile(
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d"
    r"|\b\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\b|\b20[0-2]\d\b|\bago\b|\d{1,2}:\d\d",
    re.IGNORECASE,
)
# A prefilter: a text without either has no price and no date, and most have neither.
_DIGIT_OR_AGO = re.compile(r"\d|[Aa][Gg][Oo]")
_END = re.compile(r"[.!?…:;。！？।]['\"”’»)\]]*$")
_CALL = re.compile(
    r"(?:add|buy|shop|learn|read|view|see|sign|log|get|show|load|click|share|reply|quote|report"
    r"|follow|subscribe|compare|quick|select|choose|download|contact|filter|sort|clear|close|open"
    r"|menu|search|skip|back|next|prev\w*|more|join|register|home|cart|edit|like|copy|print|save"
    r"|submit|cancel|accept)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+")


def block_features(
    page: PageBlocks, ruled: RuledChoice, told: ToldPhrases, posts: PagePosts
) -> tuple[tuple[str, ...], Floats]:
    """The names of the features, and a row of them for each block; at least one block."""
    columns: Columns = {}
    texts = _BlockTexts(page, ruled)
    boxes = _BoxesAround(page, texts)
    columns |= texts.columns()
    shares = np.array([told.shares(block.text) for block in page.blocks])
    columns |= {name: shares[:, at] for at, name in enumerate(("described", "posted", "reviewed"))}
    columns |= _positions(page, ruled, texts)
    columns |= boxes.columns()
    columns |= post_features(page, posts)
    blocks = len(page.blocks)
    for name, value in (texts.of_page() | boxes.of_page()).items():
        columns[name] = np.full(blocks, value)
    matrix = np.empty((len(columns), blocks), np.float32)
    for row, column in zip(matrix, columns.values(), strict=True):
        row[:] = column
    return tuple(columns), np.ascontiguousarray(matrix.T)


def _has_price(text: str) -> bool:
    return _PRICE.search(text[:_SHORT]) is not None


def _has_date(text: str) -> bool:
    return len(text) < _SHORT and _DATE.search(text) is not None


def _running(values: Doubles) -> Doubles:
    return np.concatenate([[0.0], np.cumsum(values)])


class _BlockTexts:
    """The texts of a page's blocks as arrays, a number for each block."""

    def __init__(self, page: PageBlocks, ruled: RuledChoice) -> None:
        texts = self._texts = [block.text for block in page.blocks]
        self._tags = [page.tag(block) for block in page.blocks]
        self._title = ruled.title_words
        self.lengths = np.array([len(text) for text in texts], float)
        self.linked = np.array([block.linked for block in page.blocks], float)
        self.weighty = np.array(ruled.weights) > 0
        self.kept = np.array(ruled.kept)
        self.in_table = np.array(ruled.in_table)
        likely = [_DIGIT_OR_AGO.search(text[:_SHORT]) is not None for text in texts]
        self.prices, self.dates = (
            np.array([may and has(text) for text, may in zip(texts, likely, strict=True)], float)
            for has in (_has_price, _has_date)
        )

    def columns(self) -> Columns:
        texts, tags = self._texts, self._tags
        again = Counter(texts)
        found: Columns = {
            "characters": np.log1p(self.lengths),
            "words": np.log1p([text.count(" ") + 1 for text in texts]),
            "linked": self.linked / self.lengths,
            "weighty": self.weighty,
            "ends": [_END.search(text[-6:]) is not None for text in texts],
            "digits": [sum(map(str.isdigit, text[:60])) / len(text[:60]) for text in texts],
            "price": self.prices,
            "date": self.dates,
            "calls": [len(text) < _LABEL and _CALL.match(text) is not None for text in texts],
            "asks": [text.endswith("?") for text in texts],
            "again": np.log1p([again[text] for text in texts]),
            "heading": [int(tag[1]) if tag in HEADINGS else 0 for tag in tags],
            "title": [self._titled(text) for text in texts],
            "kept": self.kept,
            "in_table": self.in_table,
        }
        return found | {f"tag_{name}": [tag == name for tag in tags] for name in _BLOCK_TAGS}

    def _titled(self, text: str) -> float:
        """The share of the title's words that a short text contains."""
        if len(text) >= _SHORT or not self._title:
            return 0.0
        return len(self._title.intersection(_WORD.findall(text.lower()))) / len(self._title)

    def of_page(self) -> dict[str, float]:
        total = max(1.0, self.lengths.sum())
        return {
            "page_characters": np.log1p(total),
            "page_blocks": np.log1p(len(self._texts)),
            "page_linked": self.linked.sum() / total,
            "page_weighty": (self.lengths * self.weighty).sum() / total,
            "page_kept": (self.lengths * self.kept).sum() / total,
            "page_prices": np.log1p(self.prices.sum()),
            "page_dates": np.log1p(self.dates.sum()),
        }


def _positions(page: PageBlocks, ruled: RuledChoice, texts: _BlockTexts) -> Columns:
    """The position of each block in the page, and its distance below the title."""
    index = np.arange(len(page.blocks))
    before = _running(texts.lengths)
    first = next((i for i, block in enumerate(page.blocks) if page.tag(block) == "h1"), None)
    far = np.full(len(index), float(_BEYOND))
    return {
        "position": index / len(index),
        "position_in_text": before[:-1] / before[-1],
        "below_title": np.clip((index - ruled.start) / _NEAR, _BEFORE, _BEYOND),
        "below_h1": far if first is None else np.clip((index - first) / _NEAR, _BEFORE, _BEYOND),
        "has_h1": np.full(len(index), first is not None),
    }


class _BoxesAround:
    """The boxes of a page as arrays: their contents, and what their names and rows pass on to their
    blocks.
    """

    def __init__(self, page: PageBlocks, texts: _BlockTexts) -> None:
        self._of_block = np.array([block.box for block in page.blocks])
        self._parents = np.array([box.parent for box in page.boxes])
        starts = self._starts = np.array([box.start for box in page.boxes])
        ends = np.array([box.end for box in page.boxes])

        def held(values: Doubles) -> Doubles:
            before = _running(values)
            found: Doubles = before[ends] - before[starts]
            return found

        self._characters = held(texts.lengths)
        self._blocks = (ends - starts).astype(float)
        self._prices = held(texts.prices)
        self._dates = held(texts.dates)
        some = np.maximum(1.0, self._characters)
        self._linked = held(texts.linked) / some
        self._weighty = held(texts.weighty * texts.lengths) / some
        self._kept = held(texts.kept * texts.lengths) / some
        self._total = max(1.0, self._characters[0])
        self._inherit(page)

    def _inherit(self, page: PageBlocks) -> None:
        """Walk down the boxes once; each has the values of the box around it, and its own."""
        boxes = page.boxes
        filled = [box.end > box.start for box in boxes]
        keys = [(box.parent, box.tag, box.name) for box in boxes]
        alike = Counter(key for key, fill in zip(keys, filled, strict=True) if fill)
        named = Counter(key[1:] for key, fill in zip(keys, filled, strict=True) if fill and key[2])
        row_characters: defaultdict[tuple[int, str, str], float] = defaultdict(float)
        characters, linked = self._characters.tolist(), self._linked.tolist()
        for key, amount in zip(keys, characters, strict=True):
            row_characters[key] += amount
        count = len(boxes)
        groups, nearest, tags = [0] * count, [0] * count, [0] * count
        depth, hidden, boilerplate = [0] * count, [False] * count, [False] * count
        rows, row_heads, named_alike, most_linked = (
            [0] * count,
            [0] * count,
            [0] * count,
            [0.0] * count,
        )
        for i in range(1, count):
            box = boxes[i]
            parent = box.parent
            own = name_groups(box.name) if box.name else 0
            groups[i] = groups[parent] | own
            nearest[i] = own or nearest[parent]
            tags[i] = tags[parent] | _TAG_BITS.get(box.tag, 0)
            depth[i] = depth[parent] + 1
            is_hidden = box.boilerplate == HIDDEN
            hidden[i] = hidden[parent] or is_hidden
            boilerplate[i] = boilerplate[parent] or (box.boilerplate != "" and not is_hidden)
            row = alike.get(keys[i], 0)  # a Counter is slow to say that it has none
            in_row = rows[parent] < _ROW or row > rows[parent]
            rows[i], row_heads[i] = (row, i) if in_row else (rows[parent], row_heads[parent])
            named_alike[i] = max(named_alike[parent], named.get(keys[i][1:], 0))
            most_linked[i] = most_linked[parent]
            if parent and box.end - box.start >= _LINKED_BLOCKS:
                most_linked[i] = max(most_linked[i], linked[i])
        self._groups, self._nearest, self._tags = map(np.array, (groups, nearest, tags))
        self._depth, self._hidden, self._boilerplate = map(np.array, (depth, hidden, boilerplate))
        self._rows, self._row_heads = np.array(rows), np.array(row_heads)
        self._named_alike, self._most_linked = np.array(named_alike), np.array(most_linked)
        self._row_share = np.array([row_characters[key] for key in keys]) / self._total

    def columns(self) -> Columns:
        box = self._of_block
        head = self._row_heads[box]
        found: Columns = {
            "hidden": self._hidden[box],
            "boilerplate": self._boilerplate[box],
            "depth": self._depth[box],
            "row": np.log1p(self._rows[box]),
            "row_characters": np.log1p(self._characters[head]),
            "row_linked": self._linked[head],
            "row_share": self._row_share[head],
            "row_prices": np.log1p(self._prices[head]),
            "row_dates": np.log1p(self._dates[head]),
            "named_alike": np.log1p(self._named_alike[box]),
            "most_linked": self._most_linked[box],
        }
        groups, nearest, tags = self._groups[box], self._nearest[box], self._tags[box]
        for bit, name in enumerate(GROUP_NAMES):
            found[f"in_{name}"] = groups >> bit & 1
            found[f"near_{name}"] = nearest >> bit & 1
        for bit, name in enumerate(_TAGS):
            found[f"within_{name}"] = tags >> bit & 1
        return found | self._levels(box)

    def _levels(self, box: Integers) -> Columns:
        """The box of each block, and above it those that hold more blocks."""
        found: Columns = {}
        index = np.arange(len(box))
        for level in range(1, _LEVELS + 1):
            some = np.maximum(1.0, self._blocks[box])
            found |= {
                f"box{level}_characters": np.log1p(self._characters[box]),
                f"box{level}_blocks": np.log1p(self._blocks[box]),
                f"box{level}_linked": self._linked[box],
                f"box{level}_weighty": self._weighty[box],
                f"box{level}_kept": self._kept[box],
                f"box{level}_share": self._characters[box] / self._total,
                f"box{level}_prices": self._prices[box] / some,
                f"box{level}_position": (index - self._starts[box]) / some,
            }
            box = self._above(box)
        return found

    def _above(self, box: Integers) -> Integers:
        blocks, above = self._blocks[box], self._parents[box]
        for _ in range(_SAME_BLOCKS):
            same = (self._blocks[above] <= blocks) & (above > 0)
            if not same.any():
                break
            above = np.where(same, self._parents[above], above)
        return above

    def of_page(self) -> dict[str, float]:
        return {"page_row": np.log1p(self._rows.max())}
