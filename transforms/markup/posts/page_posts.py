"""The posts of a page in terms of its blocks: which block belongs to which post, and who wrote it
when.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from lxml.html import HtmlElement

from factmill.transforms.markup.main_text.blocks import Box, PageBlocks
from factmill.transforms.markup.page_data.data_items import DataItem, every_item
from factmill.transforms.markup.page_data.written_dates import read_time, written_time
from factmill.transforms.markup.posts.bylines import PostByline, post_byline
from factmill.transforms.markup.posts.post import Post
from factmill.transforms.markup.posts.post_elements import POST_TYPES

# A block of this length is more than a byline.
_MAX_BYLINE = 100
# Words around names and dates.
_LABELS = frozenset(
    "a ago am an and answered apr april asked at aug august author b by commented date day days "
    "dec december edited feb february fri friday from h hour hours hr hrs jan january jul july "
    "jun june last link m mar march may min mins minute minutes mo mon monday month months nov "
    "november number oct october of on op over permalink pm post posted poster posts re replied "
    "reply said sat saturday says sep sept september starter sun sunday th the thread thu "
    "thursday today tue tuesday wed wednesday week weeks writes wrote y year years yesterday yr "
    "yrs".split()
)
_WORD = re.compile(r"[^\W\d_]+")
# Because of time zones, a date may be shown as the day before or after its UTC day.
_A_DAY = timedelta(days=1)
# This many first words identify the post of a text in structured data.
_BEGINNING = 6
_ANY_WORD = re.compile(r"\w+")
# Names of controls ("quote-button"), and of texts from which a reader may quote ("selectToQuote").
_NO_QUOTATION = re.compile(r"select|button|btn|icon|link|control|repl|multi")
# Some forums set posts themselves as block quotes.
_POST_TEXT = re.compile(r"post|message|msg|signature")


@dataclass(frozen=True, slots=True)
class PagePosts:
    """`of_block` has the post number of each block, -1 for none; a block of a nested reply belongs
    to the reply. `bylines` are those of the posts, by number. `quoted` are the blocks in
    quotations, which are not by the post's author.
    """

    of_block: tuple[int, ...]
    bylines: tuple[PostByline, ...] = ()
    quoted: frozenset[int] = frozenset()

    def is_byline(self, page: PageBlocks, index: int) -> bool:
        """Whether a block is nothing but the byline of its post."""
        post = self.of_block[index]
        return post >= 0 and _is_byline(page.blocks[index].text, self.bylines[post])


def page_posts(
    page: PageBlocks, elements: Sequence[HtmlElement], items: Sequence[DataItem]
) -> PagePosts:
    """The posts of a page whose blocks were read with these `elements` as posts."""
    if not elements:
        return PagePosts((-1,) * len(page.blocks))
    boxes = [-1] * len(page.boxes)
    in_quotation = [False] * len(page.boxes)
    numbers = {element: number for number, element in enumerate(elements)}
    for index, element in page.posts:
        boxes[index] = numbers[element]
    for index, box in enumerate(page.boxes):
        if boxes[index] < 0 and index:
            boxes[index] = boxes[box.parent]
            in_quotation[index] = in_quotation[box.parent] or _is_quotation(box)
    of_block = tuple(boxes[block.box] for block in page.blocks)
    quoted = frozenset(i for i, block in enumerate(page.blocks) if in_quotation[block.box])
    others = frozenset(elements)
    bylines = [post_byline(element, others) for element in elements]
    if items and not all(one.author and one.published for one in bylines):
        by_author = [-1 if i in quoted else number for i, number in enumerate(of_block)]
        bylines = _completed(page, by_author, bylines, items)
    return PagePosts(of_block, tuple(bylines), quoted)


def text_with_posts(
    page: PageBlocks, chosen: Sequence[int], posts: PagePosts
) -> tuple[str, tuple[Post, ...]]:
    """The text of the chosen blocks, one block a line, and the spans of its posts, in characters.

    Bylines are left out of the text, because `Post` has their data. What a post quotes is in no
    span.
    """
    lines: list[str] = []
    found: list[Post] = []
    at, joined = 0, False
    for index in chosen:
        number = posts.of_block[index]
        if number >= 0 and posts.is_byline(page, index):
            continue
        if index in posts.quoted:
            number = -1
        lines.append(page.blocks[index].text)
        end = at + len(lines[-1])
        if number >= 0:
            start = found.pop().start if found and found[-1].number == number and joined else at
            byline = posts.bylines[number]
            found.append(Post(number, byline.author or None, byline.published, start, end))
        joined = number >= 0
        at = end + 1
    return "\n".join(lines), tuple(found)


def _is_quotation(box: Box) -> bool:
    name = box.name.lower()
    if any("quote" in part and not _NO_QUOTATION.search(part) for part in name.split()):
        return True
    return box.tag == "blockquote" and not _POST_TEXT.search(name)


def _is_byline(text: str, byline: PostByline) -> bool:
    if len(text) > _MAX_BYLINE:
        return False
    rest = text.lower()
    says = False
    for shown in sorted(byline.shown, key=len, reverse=True):
        says = says or shown in rest
        rest = rest.replace(shown, " ")
    if not says and byline.published:
        time = written_time(text)
        says = time is not None and abs(time - byline.published) <= _A_DAY
    return says and all(word in _LABELS for word in _WORD.findall(rest))


def _completed(
    page: PageBlocks,
    of_block: Sequence[int],
    bylines: Sequence[PostByline],
    items: Sequence[DataItem],
) -> list[PostByline]:
    """The bylines, completed from JSON-LD posts that begin with the same words."""
    stated: dict[tuple[str, ...], DataItem] = {}
    for item in every_item(items):
        if item.kind in POST_TYPES and (beginning := _beginning(item.text("text"))):
            stated.setdefault(beginning, item)
    found = list(bylines)
    if not stated:
        return found
    for block, number in zip(page.blocks, of_block, strict=True):
        said = stated.get(_beginning(block.text)) if number >= 0 else None
        if said is not None:
            one = found[number]
            dates = (said.text(name) for name in ("datePublished", "dateCreated"))
            found[number] = replace(
                one,
                author=one.author or said.text("author"),
                published=one.published or next((t for d in dates if (t := read_time(d))), None),
            )
    return found


def _beginning(text: str) -> tuple[str, ...]:
    """The first words of a text; () for a shorter one."""
    words = _ANY_WORD.findall(text[:200].lower())[:_BEGINNING]
    return tuple(words) if len(words) == _BEGINNING else ()
