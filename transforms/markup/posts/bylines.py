"""The author and date of a post, from its element."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass
from datetime import datetime, timezone

from lxml.html import HtmlElement

from factmill.transforms.markup.page_data.written_dates import written_time

_MAX_AUTHOR = 60
_MAX_DATE = 80
_MAX_TAIL = 200
# Names and dates, with surrounding white space.
_MAX_TEXT = 2000
_MAX_ATTRIBUTE = 300
# How many elements of a post to examine: names and dates are around the text, not deep inside.
_MAX_ELEMENTS = 600
_AUTHOR_ATTRIBUTES = ("data-author", "data-username", "data-user-name", "author")
_AUTHOR_NAME = re.compile(
    r"(?:^|[^a-z])(?:author|user-?_?name|poster(?:-?name)?|creator|nick(?:-?name)?|display-?name"
    r"|user-?link|member-?name|posted-?by|full-?name)(?:$|[^a-z])|username|bigusername"
)
_PROFILE = re.compile(
    r"/(?:users?|members?|profiles?|u|authors?|people|uid|~[^/]+)(?:/|\.php|$)|[?;&]u(?:ser)?=\d"
    r"|[?;&]action=profile|memberlist\.php|member\.php|profile\.php"
)
_DATE_NAME = re.compile(r"date|time|posted|published|created|when|age|meta|header|head|info")
_DATE_PROPERTIES = frozenset({"datePublished", "dateCreated", "dateposted", "commentTime"})
_DATE_ATTRIBUTES = ("datetime", "content", "data-datetime", "data-date", "title", "data-tooltip")
# Seconds, or milliseconds.
_SINCE_1970 = re.compile(r"1\d{9}(?:\d{3})?")
_SINCE_ATTRIBUTES = ("data-time", "data-timestamp", "data-epoch", "data-created")
# Dates of an account, or of an edit.
_OTHER_DATE = re.compile(
    r"join|regist|since|founded|edited|modified|updated|posts?:|online", re.IGNORECASE
)
# Quotations and form fields are not by the post's author.
_NOT_OF_POST = frozenset(
    {"blockquote", "form", "script", "style", "select", "textarea", "noscript"}
)
_LETTER = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class PostByline:
    """`author` is "" and `published` None if the post does not state them. `shown` are the texts of
    the elements that do, in lower case.
    """

    author: str = ""
    published: datetime | None = None
    shown: frozenset[str] = frozenset()


def post_byline(post: HtmlElement, others: Set[HtmlElement]) -> PostByline:
    """The author and time stated in an element, outside of the `others` in it."""
    elements = list(_own_elements(post, others))
    named = _author(post, elements)
    dated = _published(elements)
    shown = frozenset(text.lower() for text in (named[1], dated[1]) if text)
    return PostByline(named[0], dated[0], shown)


def _own_elements(post: HtmlElement, others: Set[HtmlElement]) -> Iterator[HtmlElement]:
    """The elements of a post that are neither in another post nor quoted, in order."""
    waiting = [post]
    left = _MAX_ELEMENTS
    while waiting and left:
        element = waiting.pop()
        left -= 1
        yield element
        for child in reversed(element):
            if child not in others and child.tag not in _NOT_OF_POST:
                waiting.append(child)


def _author(post: HtmlElement, elements: list[HtmlElement]) -> tuple[str, str]:
    """The name, and the text that shows it; machine-readable statements come first."""
    for attribute in _AUTHOR_ATTRIBUTES:
        for element in (post, *elements[:3]):
            if name := _name_of(element.get(attribute) or ""):
                return name, name
    ways = (_stated_author, _called_author, _linked_author)
    for way in ways:
        for element in elements:
            if way(element) and (name := _name_of(_author_text(element))):
                return name, name
    return "", ""


def _stated_author(element: HtmlElement) -> bool:
    return (element.get("itemprop") or "") in ("author", "creator")


def _called_author(element: HtmlElement) -> bool:
    name = element.get("class") or element.get("id")
    return name is not None and _AUTHOR_NAME.search(name[:_MAX_ATTRIBUTE].lower()) is not None


def _linked_author(element: HtmlElement) -> bool:
    return (
        element.tag == "a"
        and _PROFILE.search((element.get("href") or "")[:_MAX_ATTRIBUTE]) is not None
    )


def _author_text(element: HtmlElement) -> str:
    """The name in an element: an item's name, or a box's first link."""
    if "itemscope" in element.attrib:
        for part in element.iter():
            if part.get("itemprop") == "name":
                return str(part.get("content") or _one_line(part))
    if element.tag != "a":
        for link in element.iter("a"):
            if shown := _one_line(link):
                return shown
    return str(element.get("content") or _one_line(element))


def _name_of(text: str) -> str:
    """A name on one line, or "" for anything else."""
    name = " ".join(text.split()).strip(" ,:·•|–-")
    if not _LETTER.search(name) or len(name) > _MAX_AUTHOR or written_time(name):
        return ""
    return name


def _published(elements: list[HtmlElement]) -> tuple[datetime | None, str]:
    """The time, and the text that shows it; machine-readable statements come first."""
    for element in elements:
        is_date = element.tag == "time" or (element.get("itemprop") or "") in _DATE_PROPERTIES
        if is_date and (time := _stated_time(element)):
            return time, _short(element)
    for element in elements:
        if time := _stated_time(element):
            return time, _short(element)
    for element in elements:
        name = (element.get("class") or "") + (element.get("id") or "")
        if _DATE_NAME.search(name[:_MAX_ATTRIBUTE].lower()) and (time := _shown_time(element)):
            return time, _short(element)
    for element in elements:
        if time := _shown_time(element):
            return time, _short(element)
    for element in elements[1:]:
        text = " ".join((element.tail or "")[:_MAX_TAIL].split())
        if len(text) <= _MAX_DATE and not _OTHER_DATE.search(text) and (time := written_time(text)):
            return time, text
    return None, ""


def _stated_time(element: HtmlElement) -> datetime | None:
    for attribute in _SINCE_ATTRIBUTES:
        value = element.get(attribute) or ""
        if _SINCE_1970.fullmatch(value):
            return datetime.fromtimestamp(int(value[:10]), timezone.utc)
    for attribute in _DATE_ATTRIBUTES:
        value = (element.get(attribute) or "")[:_MAX_DATE].strip()
        if value and not _OTHER_DATE.search(value) and (time := written_time(value)):
            return time
    return None


def _shown_time(element: HtmlElement) -> datetime | None:
    text = _short(element)
    time = written_time(text) if text else None
    label = element.getprevious()
    if time and label is not None and _OTHER_DATE.search(_one_line(label)[:_MAX_DATE]):
        return None
    return time


def _short(element: HtmlElement) -> str:
    """The element's text on one line, or "" when it is too long for a date."""
    text = _one_line(element)
    return text if len(text) <= _MAX_DATE and not _OTHER_DATE.search(text) else ""


def _one_line(element: HtmlElement) -> str:
    """The element's text on one line; "" when it is long (it is not read to its end)."""
    text = ""
    for part in element.itertext():
        text += part
        if len(text) > _MAX_TEXT:
            return ""
    return " ".join(text.split())
