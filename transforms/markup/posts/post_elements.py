"""Finds the elements of a page that are posts of a thread.

Posts are the elements that a page marks as such in microdata (`DiscussionForumPosting`, `Comment`,
`Answer`). If it marks fewer than two, they are the elements of one tag and class with most of its
text, provided that each of them states its time or author.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from operator import attrgetter

import lxml.etree
from lxml.html import HtmlElement

# Types of schema.org for utterances of a person.
POST_TYPES = (
    "DiscussionForumPosting", "SocialMediaPosting", "Comment", "UserComments", "Question", "Answer",
)  # fmt: skip
# A post this short is "Thanks, solved."; anything shorter is a counter or a button.
_MIN_CHARACTERS = 15
_MIN_POSTS = 2
# The minimum share of elements of a class that state author or time: some accounts are deleted.
_SIGNED = 0.6
# The same of elements with a name of posts, if there are no others: folded comments show no time.
_SIGNED_BY_NAME = 0.3
# The minimum share of a class in the text, relative to the largest class. Boxes around several
# posts have more text than the posts, but there are fewer of them; parts of a post have less.
_MIN_TEXT_SHARE = 0.5
_MIN_COUNT_SHARE = 0.4
# The minimum share of posts in the page's text; less is only the heads of comments.
_MIN_SHARE_OF_PAGE = 0.05
# A single element with more of its class's text is a box around all posts.
_MAX_TEXT_SHARE = 0.9
# Unmarked posts of a class are the first one and a few more, not most.
_UNMARKED = 1.5
# Usual class names of posts. If no large class has one, any is accepted.
_POST_NAME = re.compile(r"post|message|msg|comment|repl(?:y|ies)|answer|entry", re.IGNORECASE)
_MAX_ATTRIBUTE = 300
_NOT_READ = frozenset({"script", "style", "noscript", "head", "select", "textarea", "svg"})
_DIGITS = re.compile(r"\d+")
_WHEN = re.compile(
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d"
    r"|\d[ -](?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
    r"|\b\d{1,4}[./-]\d{1,2}[./-]\d{2,4}\b|\bago\b|\byesterday\b",
    re.IGNORECASE,
)
# A longer text is not the line with a post's time.
_MAX_WHEN = 60

# A tag and a class, or an id without the digits that number posts.
_Likeness = tuple[str, str]


@dataclass(slots=True)
class _Open:
    """An element: its position in the page, its unlinked characters, how many of them are in no
    element like it, and whether it contains a time.
    """

    element: HtmlElement
    start: int
    characters: int = 0
    own: int = 0
    dated: bool = False


def post_elements(tree: HtmlElement) -> list[HtmlElement]:
    """The posts in the order of the page; they may be nested, like replies."""
    marked = [
        element
        for element in tree.xpath("//*[@itemtype]")
        if _last_name(element.get("itemtype")) in POST_TYPES
    ]
    return _with_unmarked(tree, marked) if len(marked) >= _MIN_POSTS else _alike(tree)


def _with_unmarked(tree: HtmlElement, marked: list[HtmlElement]) -> list[HtmlElement]:
    """The marked posts and those of the same class: some pages mark replies only."""
    likeness, count = Counter((e.tag, _name(e)) for e in marked).most_common(1)[0]
    alike = [e for e in tree.iter(likeness[0]) if _name(e) == likeness[1]] if likeness[1] else []
    if not count < len(alike) <= _UNMARKED * count:
        return marked
    found = {*marked, *alike}
    return [element for element in tree.iter("*") if element in found]


def _alike(tree: HtmlElement) -> list[HtmlElement]:
    by_likeness = _with_text(tree)
    named = {one: boxes for one, boxes in by_likeness.items() if _POST_NAME.search(one[1])}
    everything = max((sum(box.own for box in boxes) for boxes in by_likeness.values()), default=0)
    least = _MIN_SHARE_OF_PAGE * everything
    return _signed(by_likeness, _SIGNED, least) or _signed(named, _SIGNED_BY_NAME, least)


def _signed(
    by_likeness: dict[_Likeness, list[_Open]], share: float, least: float
) -> list[HtmlElement]:
    """The elements of the likeness that is the posts, if `share` of them state their time and they
    have more than the `least` text.
    """
    texts: dict[_Likeness, int] = {}
    for likeness, boxes in by_likeness.items():
        dated = sum(box.dated for box in boxes)
        text, longest = (f(box.own for box in boxes) for f in (sum, max))
        if dated >= max(_MIN_POSTS, share * len(boxes)) and longest <= _MAX_TEXT_SHARE * text:
            texts[likeness] = text
    most = max(texts.values(), default=0)
    if most <= least:
        return []
    large = [likeness for likeness, text in texts.items() if text >= _MIN_TEXT_SHARE * most]
    large = [likeness for likeness in large if _POST_NAME.search(likeness[1])] or large
    count = max(len(by_likeness[likeness]) for likeness in large)
    many = [one for one in large if len(by_likeness[one]) >= _MIN_COUNT_SHARE * count]
    best = max(many, key=texts.__getitem__)
    return [box.element for box in sorted(by_likeness[best], key=attrgetter("start"))]


def _with_text(tree: HtmlElement) -> dict[_Likeness, list[_Open]]:
    """All elements with a name and enough text of their own, grouped by tag and name."""
    found: defaultdict[_Likeness, list[_Open]] = defaultdict(list)
    outermost: defaultdict[_Likeness, list[_Open]] = defaultdict(list)
    around: list[_Open] = []
    links = start = 0
    walker = lxml.etree.iterwalk(tree, events=("start", "end"))
    for event, element in walker:
        if event == "start":
            start += 1
            around.append(box := _Open(element, start))
            if element.tag in _NOT_READ:
                walker.skip_subtree()
                continue
            links += element.tag == "a"
            if element.tag == "time":
                box.dated = True
            _read(box, element.text, links)
            continue
        box = around.pop()
        links -= element.tag == "a"
        if box.characters >= _MIN_CHARACTERS and (name := _name(element)):
            likeness = str(element.tag), name
            found[likeness].append(box)
            box.own = _outside(box, outermost[likeness])
        if around:
            around[-1].characters += box.characters
            around[-1].dated |= box.dated
            _read(around[-1], element.tail, links)
    return found


def _outside(box: _Open, outermost: list[_Open]) -> int:
    """The characters of a box outside the boxes of `outermost`, among which it replaces those."""
    characters = box.characters
    while outermost and outermost[-1].start > box.start:
        characters -= outermost.pop().characters
    outermost.append(box)
    return characters


def _read(box: _Open, text: str | None, links: int) -> None:
    if text and not text.isspace():
        if not links:
            box.characters += len(text.strip())
        if not box.dated and len(text) < _MAX_WHEN:
            box.dated = _WHEN.search(text) is not None


def _name(element: HtmlElement) -> str:
    """The first class, or else the id, without digits."""
    classes = (element.get("class") or "")[:_MAX_ATTRIBUTE].split()
    name = classes[0] if classes else (element.get("id") or "")[:_MAX_ATTRIBUTE]
    return _DIGITS.sub("", name)


def _last_name(address: str) -> str:
    return address.strip().rsplit("/", 1)[-1]
