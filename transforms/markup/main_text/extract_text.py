"""The main text of a page, from its parsed tree.

The page's blocks are read and chosen from here (`blocks`, `choice`). Where that finds next to
nothing, trafilatura is asked, and BeautifulSoup where it finds nothing either.

Data tables are left out, because they become segments of their own (`tables`); the text of a page
laid out with tables is text.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace

import lxml.etree
import lxml.html
from lxml.html import HtmlElement

from factmill.models.pages.kind_model import PAGE_KINDS, KindGuess
from factmill.transforms.markup.html_tree import HEADINGS
from factmill.transforms.markup.main_text.blocks import Box, PageBlocks, read_blocks
from factmill.transforms.markup.main_text.boilerplate import covered, data_tables
from factmill.transforms.markup.main_text.choice import RuledChoice, choose_text
from factmill.transforms.markup.main_text.head import page_title
from factmill.transforms.markup.main_text.learned_choice import (
    MAX_BLOCKS,
    LearnedChoice,
    learned_choice,
)
from factmill.transforms.markup.main_text.structured_data import stated_text
from factmill.transforms.markup.main_text.told_phrases import told_phrases
from factmill.transforms.markup.main_text.without_script import show_without_script
from factmill.transforms.markup.page_data.data_items import DataItem
from factmill.transforms.markup.posts.page_posts import PagePosts, page_posts, text_with_posts
from factmill.transforms.markup.posts.post import Post
from factmill.transforms.markup.posts.post_elements import post_elements
from factmill.transforms.markup.tables.table_markdown import read_tables

# The kind of pages that the rules are made for.
_BY_RULE = "article"
# The kind of pages whose posts are looked for: elsewhere comments are not part of the text.
_WITH_POSTS = "forum"
# A page that is an article with this probability is left to the rules. Its blocks are not judged,
# because that would take as long as the rules.
_SURE = 0.9
# The gain in F1 over the rules that the network has to predict at even odds that a page is an
# article; at other odds, the odds times this. It loses 0.04 on news, and reaches half of what it
# predicts.
_MIN_GAIN = 0.08
# A page with fewer words that tell kinds is unlike all that the network has learned from.
_MIN_WORDS = 3
# A text below this may be a notice on a page of another kind, such as an index of links.
_THIN = 250
# A page whose structured data has this many times the text that it shows, shows a teaser.
_TEASER = 2
# Below this an extractor has found a caption or a notice rather than the page.
_MIN_CHARACTERS = 80
# The time of the other extractors grows faster than the depth of nesting, and they take tens of
# microseconds for an element. Browsers nest no deeper than 512 elements; a page with more elements
# than the second limit has its text in them.
_MAX_DEPTH = 512
_MAX_ELEMENTS = 30_000
_NOT_CONTENT = (
    "script",
    "style",
    "noscript",
    "template",
    "nav",
    "header",
    "footer",
    "aside",
    "form",
)
_BLANK_LINES = re.compile(r"\s*\n\s*")


@dataclass(frozen=True, slots=True)
class MainText:
    """One paragraph, heading or list item a line; "" when the page has none.

    `confidence`, from 0 to 1, is the mean of two: how good the models think the text is, and how
    much another method agrees. None where the text is a makeshift: stated by the page elsewhere, or
    found by another extractor. `posts` are those of a thread, by characters of the text. `headings`
    are the texts of the page's blocks that are headings.
    """

    text: str
    confidence: float | None = None
    posts: tuple[Post, ...] = ()
    headings: frozenset[str] = frozenset()


def extract_main_text(
    tree: HtmlElement,
    guess: KindGuess | None = None,
    items: Sequence[DataItem] = (),
    title: str | None = None,
    tables: Container[HtmlElement] | None = None,
) -> MainText:
    """The main text, by rule or as learned, whichever suits the page; by rule without a guess.

    `items` is what the page's structured data says, also of its posts. `title` is `page_title` of
    the tree, if it was read already. `tables` are the elements that become segments of their own,
    found here if they are not given. Consumes the tree: whatever is not text is taken out of it.
    """
    if title is None:
        title = page_title(tree)
    tables = read_tables(tree) if tables is None else tables
    show_without_script(tree)
    elements = post_elements(tree) if guess and guess.kind == _WITH_POSTS else []
    page = read_blocks(tree, frozenset(elements), tables)
    found = _found_text(tree, page, guess, page_posts(page, elements, items), title)
    headings = (block.text for block in page.blocks if page.tag(block) in HEADINGS)
    return replace(found, headings=frozenset(headings))


def _found_text(
    tree: HtmlElement, page: PageBlocks, guess: KindGuess | None, posts: PagePosts, title: str
) -> MainText:
    ruled = choose_text(page, title)
    learned = _learned(tree, page, ruled, posts, guess) if guess else None
    page.drop_marks()
    page.break_lines()
    text, in_posts = text_with_posts(page, ruled.blocks(), posts)
    stated = stated_text(tree)
    enough = max(_MIN_CHARACTERS, len(stated) / _TEASER)
    if guess and learned and _suits(learned, guess):
        better, in_better = text_with_posts(page, learned.blocks, posts)
        if len(better) >= enough:
            return MainText(better, (learned.expected + learned.agreement) / 2, in_better)
    if len(stated) >= max(_THIN, _TEASER * len(text)):
        return MainText(stated)
    if len(text) < _THIN:
        return MainText(_thin_text(tree, page, text))
    if learned:
        return MainText(text, (learned.expected_of_rules + learned.agreement) / 2, in_posts)
    return MainText(text, (_likely_article(guess) + ruled.share()) / 2 if guess else None, in_posts)


def _learned(
    tree: HtmlElement, page: PageBlocks, ruled: RuledChoice, posts: PagePosts, guess: KindGuess
) -> LearnedChoice | None:
    """The network's choice; None where it is not asked. Pages that are sure to be articles are left
    to the rules, and so are those that say next to nothing of their kind."""
    if guess.words < _MIN_WORDS or _likely_article(guess) >= _SURE:
        return None
    if not 0 < len(page.blocks) <= MAX_BLOCKS:
        return None
    return learned_choice(page, ruled, told_phrases(tree), posts, guess.probabilities)


def _suits(learned: LearnedChoice, guess: KindGuess) -> bool:
    """Whether the network's choice is better than that of the rules, which are made for articles.

    What it may win if the page is not an article has to outweigh what it may lose if it is one.
    Where the guess is not reliable, the odds are even.
    """
    if guess.is_reliable and guess.kind != _BY_RULE:
        return True
    article = _likely_article(guess) if guess.is_reliable else 0.5
    gain = learned.expected - learned.expected_of_rules
    return gain * (1 - article) > _MIN_GAIN * article


def load_other_extractors() -> None:
    """Load what thin pages need, before a page is timed. Whoever extracts no page, such as a worker
    whose pages are extracted by another process, spares half of what this module takes to load."""
    import bs4  # noqa: F401
    import trafilatura  # noqa: F401


def _likely_article(guess: KindGuess) -> float:
    return float(guess.probabilities[PAGE_KINDS.index(_BY_RULE)])


def _thin_text(tree: HtmlElement, page: PageBlocks, text: str) -> str:
    """The text of a page of which the rules found next to nothing: `text`, or what other extractors
    find."""
    tables = data_tables(page)
    if text and tables:  # what the page has to say is in them
        return text
    if not page.blocks and not _has_text(tree):
        return ""
    if _is_vast(tree):
        everything = _outside(page, [box for box, _ in tables])
        return text if len(text) >= _MIN_CHARACTERS else max(text, everything, key=len)
    for _, table in tables:
        table.drop_tree()
    for notice in page.without_script:
        if len(notice.text_content()) < _THIN:  # that the page needs a script
            notice.drop_tree()
    text = max(text, _trafilatura(tree, tables=False), key=len)
    if len(text) < _MIN_CHARACTERS:
        text = max(text, _trafilatura(tree, tables=True), key=len)
    if len(text) < _MIN_CHARACTERS:
        text = max(text, _all_text(lxml.html.tostring(tree, encoding="unicode")), key=len)
    return text


def _has_text(tree: HtmlElement) -> bool:
    """Whether there is any in the tree, also what is hidden or in a script."""
    return bool(tree.xpath("string()").strip())


def _is_vast(tree: HtmlElement) -> bool:
    """Whether the tree is too large or too deep for other extractors."""
    depth = elements = 0
    for event, _ in lxml.etree.iterwalk(tree, events=("start", "end")):
        depth += 1 if event == "start" else -1
        elements += event == "start"
        if depth > _MAX_DEPTH or elements > _MAX_ELEMENTS:
            return True
    return False


def _outside(page: PageBlocks, boxes: list[Box]) -> str:
    """All text of the page that is in none of the boxes."""
    inside = covered(page, boxes)
    blocks = (b.text for b, skip in zip(page.blocks, inside, strict=True) if not skip)
    return "\n".join(blocks)


def _trafilatura(tree: HtmlElement, tables: bool) -> str:
    import trafilatura  # as `load_other_extractors` says

    text = trafilatura.extract(tree, fast=True, include_comments=False, include_tables=tables)
    return _BLANK_LINES.sub("\n", text or "").strip()


def _all_text(html: str) -> str:
    from bs4 import BeautifulSoup  # as `load_other_extractors` says

    with warnings.catch_warnings():
        # It warns of pages that look like a file name or like XML; here they are text like any.
        warnings.simplefilter("ignore")
        soup = BeautifulSoup(html, "lxml")
    for element in soup.find_all(_NOT_CONTENT):
        element.decompose()
    body = soup.body or soup
    lines = (" ".join(line.split()) for line in body.get_text("\n").split("\n"))
    return "\n".join(line for line in lines if line)
