"""A page's tree as text blocks in reading order, and the boxes around them, in one pass.

A block is what a browser renders as one paragraph: the text between two boundaries of block
elements. A box is an element that contains blocks; it has their range, so later steps need no tree.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, islice

import lxml.etree
from lxml.html import HtmlElement

from factmill.transforms.markup.adjoining_words import are_apart
from factmill.transforms.markup.html_tree import HEADINGS, style_hides
from factmill.transforms.markup.main_text.boilerplate_names import boilerplate_name
from factmill.transforms.markup.raised_numbers import raised_sign
from factmill.transforms.markup.tables.cell_text import is_footnote_mark

# Pictures and controls, whose content is not read as text.
_NO_TEXT = (
    "style", "template", "svg", "math", "iframe", "object", "embed", "applet",
    "audio", "video", "canvas", "map", "select", "textarea", "datalist",
)  # fmt: skip
# Kept in the tree, because on some pages only these have the text.
_NOT_SHOWN = frozenset({"head", "script", "noscript"})
_BLOCK_TAGS = HEADINGS | frozenset(
    "html body p div section article main ul ol dl li dt dd blockquote pre table caption thead "
    "tbody tfoot tr td th figure figcaption header footer nav aside form fieldset details summary "
    "address center hr hgroup dialog menu dir legend frame noframes".split()
)
# An unclosed button swallows the rest of the page in the parser, so a control with most of the text
# is not believed.
_BOILERPLATE_TAGS = frozenset(
    {"nav", "footer", "aside", "figcaption", "dialog", "menu", "caption", "button"}
)
# A class name of boxes that are hidden until opened.
HIDDEN = "hidden"
# Boxes in which a button has the question whose answer it opens.
_LABELS = HEADINGS | {"dt"}
# The URL of an account; URLs of its posts have more parts.
_CONTACT = re.compile(
    r"mailto:|https?://(?:[a-z]+\.)?(?:(?:twitter|x|facebook|instagram|youtube|linkedin|pinterest"
    r"|tiktok|vk|weibo)\.com|t\.me|ok\.ru)/(?!.*/(?:status|posts|videos?|p)/|watch)"
)
# Text of a link from a heading to itself, with the sign of an icon font.
_HEADING_MARK = re.compile(r"[\s\u200b]*[¶#§🔗\uf0c1][\s\u200b]*")
# A mark of more texts is an element that was never closed.
_MAX_MARK_PARTS = 20
# Longer attributes are data, not names and rules.
_MAX_ATTRIBUTE = 300
# Where text in its own lines begins another one: an empty line, and below a heading in capitals.
_EMPTY_LINE = re.compile(r"\n[^\S\n]*(?=\n)")
_BELOW_HEADING = re.compile(r"(?<=\n)([A-Z][A-Z ]{1,38}\n)(?=[^\S\n]{3})")
_OWN_LINES = "pre"


@dataclass(slots=True)
class Block:
    """A paragraph's text, the number of its characters in links, and its box.

    `contact` is whether it links to a person's address or account.
    """

    text: str
    linked: int
    box: int
    contact: bool


@dataclass(slots=True)
class Box:
    """An element: the index of the box around it, and the range of its blocks (`start` to `end`).

    `boilerplate` is the name or tag that marks it as boilerplate, or "".
    """

    tag: str
    name: str
    parent: int
    boilerplate: str
    start: int
    end: int = 0


class PageBlocks:
    """The blocks and boxes of a page, filled by `read_blocks`. Box 0 is the whole page.

    `tables` has the box and the element of every data table, `without_script` the elements for
    browsers without scripts, whose text is not in the blocks. `posts` has the box and the element
    of every post. `in_sentence` and `contact` describe the block being read: whether it has text
    yet, and a link to a person's address or account.
    """

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.boxes: list[Box] = [Box("", "", 0, "", 0)]
        self.tables: list[tuple[int, HtmlElement]] = []
        self.without_script: list[HtmlElement] = []
        self.posts: list[tuple[int, HtmlElement]] = []
        self._open, self.open_tag = 0, ""
        self._parts: list[str] = []
        self._linked = 0
        self._begun = False
        self.in_sentence = self.contact = False
        # Marks of headings by block, each with whether words stand before it.
        self._marks: dict[int, tuple[str, bool]] = {}
        # Texts of blocks whose paragraphs are lines.
        self._in_lines: dict[int, str] = {}
        # An element has just ended, and no text came since.
        self.element_ended = False

    def add(self, text: str, linked: bool) -> None:
        """Add text to the block being read. White space before its first word says nothing."""
        self._begun = True
        if not text.isspace():
            if self.element_ended and self._parts and are_apart(self._parts[-1], text):
                self._parts.append(" ")
            self.in_sentence = True
            self._parts.append(text)
            if linked:
                self._linked += len(text.strip())
        elif self.in_sentence:
            self._parts.append(text)

    def raise_text(self, raised: HtmlElement) -> None:
        """Set the number of a `sup` that comes next apart from the number that it stands behind."""
        if sign := raised_sign(self._parts, raised):
            self._parts.append(sign)

    def note_mark(self, mark: HtmlElement) -> None:
        """Remember a mark within the heading being read, for `drop_marks`."""
        text = "".join(islice(mark.itertext(), _MAX_MARK_PARTS))
        self._marks[len(self.blocks)] = " ".join(text.split()), self.in_sentence

    def drop_marks(self) -> None:
        """Take the marks out of the texts of headings. Other steps have read them with these."""
        for index, (mark, at_end) in self._marks.items():
            if index < len(self.blocks):
                block = self.blocks[index]
                drop = block.text.removesuffix if at_end else block.text.removeprefix
                block.text = drop(mark).strip() or block.text

    def break_lines(self) -> None:
        """Set the paragraphs of `pre` in lines of their own. Other steps have read them as one."""
        for index, text in self._in_lines.items():
            self.blocks[index].text = text

    def break_block(self) -> None:
        if not self._begun:
            return
        if self.in_sentence:
            text = "".join(self._parts)
            if self.open_tag == _OWN_LINES:
                self._in_lines[len(self.blocks)] = _in_lines(text)
            text = " ".join(text.split())
            linked = min(self._linked, len(text)) if self._linked else 0
            self.blocks.append(Block(text, linked, self._open, self.contact))
            self._parts.clear()
            self._linked = 0
        self.in_sentence = self.contact = self._begun = False

    def open_box(self, tag: str, name: str, boilerplate: str) -> None:
        if self._begun:
            self.break_block()
        self.boxes.append(Box(tag, name, self._open, boilerplate, len(self.blocks)))
        self._open, self.open_tag = len(self.boxes) - 1, tag

    def close_box(self) -> None:
        if self._begun:
            self.break_block()
        box = self.boxes[self._open]
        box.end = len(self.blocks)
        self._open, self.open_tag = box.parent, self.boxes[box.parent].tag

    def tag(self, block: Block) -> str:
        return self.boxes[block.box].tag


def read_blocks(
    tree: HtmlElement,
    posts: Set[HtmlElement] = frozenset(),
    tables: Container[HtmlElement] = frozenset(),
) -> PageBlocks:
    """The page's visible text. Removes pictures and controls from the tree. Elements in `posts` are
    always boxes; `tables` are those that become segments of their own.
    """
    _unwrap_shown(tree)
    lxml.etree.strip_elements(tree, *_NO_TEXT, with_tail=False)
    reader = _TreeReader(posts, tables)
    walker = lxml.etree.iterwalk(tree, events=("start", "end"))
    for event, element in walker:
        if event == "end":
            reader.leave(element)
        elif not reader.enter(element):
            walker.skip_subtree()
    return reader.finished()


class _TreeReader:
    """Fills the blocks of a page while its tree is walked."""

    def __init__(self, posts: Set[HtmlElement], tables: Container[HtmlElement]) -> None:
        self._page = PageBlocks()
        self._posts, self._tables = posts, tables
        # Of each open element, whether it is a box.
        self._is_box: list[bool] = []
        # Open links, and line breaks since the last text.
        self._links = self._breaks = 0

    def enter(self, element: HtmlElement) -> bool:
        """Read an element up to its first child; false if nothing in it is shown."""
        page, tag = self._page, element.tag
        is_block = tag in _BLOCK_TAGS
        hidden = _is_hidden(element)
        self._open_box(element, is_block, hidden)
        if tag == "a":
            self._links += 1
            page.contact |= _is_contact(element)
        elif tag == "br":
            self._break_line()
        if not is_block and page.open_tag in HEADINGS and _is_of_heading(element):
            page.note_mark(element)
        if tag == "sup" and not hidden:
            hidden = _is_mark(element)
            if not hidden:
                page.raise_text(element)
        if tag in _NOT_SHOWN or (hidden and not is_block):
            if tag == "noscript":
                page.without_script.append(element)
            return False
        if text := element.text:
            self._add(text)
        return True

    def leave(self, element: HtmlElement) -> None:
        """Read what follows an element."""
        if self._is_box.pop():
            self._page.close_box()
        self._links -= element.tag == "a"
        text = element.tail
        self._page.element_ended = not text
        if text:
            self._add(text)

    def finished(self) -> PageBlocks:
        page = self._page
        page.break_block()
        page.boxes[0].end = len(page.blocks)
        return page

    def _open_box(self, element: HtmlElement, is_block: bool, hidden: bool) -> None:
        """Open the box that the element is, if it is one."""
        page, tag = self._page, element.tag
        name = boilerplate = ""
        # Inside a sentence names mean nothing: a "social" link is one to a social network.
        if is_block or not (self._links or page.in_sentence):
            name, boilerplate = _named(element)
        if tag in _BOILERPLATE_TAGS:
            boilerplate = "" if tag == "button" and page.open_tag in _LABELS else tag
        if hidden and is_block:
            boilerplate = HIDDEN
        is_box = is_block or boilerplate != ""
        if self._posts and element in self._posts:
            is_box = True
            page.posts.append((len(page.boxes), element))
        if tag == "table" and element in self._tables:
            page.tables.append((len(page.boxes), element))
        self._is_box.append(is_box)
        if is_box:
            page.open_box(tag, name, boilerplate)

    def _break_line(self) -> None:
        self._breaks += 1
        self._page.add(" ", False)
        if self._breaks == 2:  # how paragraphs were set before CSS, and sometimes still are
            self._page.break_block()

    def _add(self, text: str) -> None:
        self._page.add(text, self._links > 0)
        self._page.element_ended = False
        if self._breaks and not text.isspace():
            self._breaks = 0


def _unwrap_shown(tree: HtmlElement) -> None:
    """Keep the text in elements that only seem to hide it: `embed` is empty, but the parser takes
    what follows for its content, and a shadow root is a template that is shown.
    """
    lxml.etree.strip_tags(tree, "embed")
    for template in [*tree.iter("template")]:
        if "shadowrootmode" in template.attrib or "shadowroot" in template.attrib:
            template.tag = "span"


def _named(element: HtmlElement) -> tuple[str, str]:
    """The name that class and id give an element, and the boilerplate that it says it is, or ""."""
    classes, identifier = element.get("class"), element.get("id")
    if classes is None and identifier is None:
        return "", ""
    return _name_of(
        classes and classes[:_MAX_ATTRIBUTE], identifier and identifier[:_MAX_ATTRIBUTE]
    )


@lru_cache(maxsize=1 << 15)
def _name_of(classes: str | None, identifier: str | None) -> tuple[str, str]:
    name = classes or ""
    if identifier is not None:
        name = f"{name} {identifier}"
    return name, boilerplate_name(name) if name else ""


def _is_hidden(element: HtmlElement) -> bool:
    style = element.get("style")
    if style is not None and style_hides(style[:_MAX_ATTRIBUTE]):
        return True
    return element.get("hidden") is not None


def _is_of_heading(element: HtmlElement) -> bool:
    """Whether it is the mark with which a heading links to itself, or a wiki's link to edit it."""
    if element.tag == "a":
        text = "".join(islice(element.itertext(), _MAX_MARK_PARTS))
        return "#" in (element.get("href") or "") and _HEADING_MARK.fullmatch(text) is not None
    return "mw-editsection" in (element.get("class") or "").split()


def _is_mark(raised: HtmlElement) -> bool:
    """Whether a `sup` is a mark that leads to a footnote, or has it in a link that does."""
    if is_footnote_mark(raised):
        return True
    around = raised.getparent()
    return (
        around.tag == "a"
        and raised.getprevious() is None
        and raised.getnext() is None
        and is_footnote_mark(around)
    )


def _in_lines(text: str) -> str:
    """The paragraphs of a text that was set in lines of its own."""
    text = _EMPTY_LINE.sub("\n\n", _BELOW_HEADING.sub(r"\1\n", f"\n{text}"))
    lines = (" ".join(part.split()) for part in text.split("\n\n"))
    return "\n".join(line for line in lines if line)


def _is_contact(link: HtmlElement) -> bool:
    return _CONTACT.match(link.get("href", "")[:_MAX_ATTRIBUTE].strip()) is not None


def sums(values: Iterable[float]) -> list[float]:
    """Running sums from 0, so that the sum of a range is a difference."""
    return list(accumulate(values, initial=0.0))
