"""Evidence of a page's kind: words of its URL, title, markup, structured data and labels, and
counts of tags.

A sign is a word with a letter for its source: `u:forum` is in the URL's path, `c:post` in a class
or id, `C:post` in those of at least five elements, `w:reply` in a label, `W:reply` in at least
five labels.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from urllib.parse import urlsplit

from lxml.etree import XPath
from lxml.html import HtmlElement

from factmill.models.pages.kind_model import PageSigns

# A word on this many elements belongs to a repeated part: a post, a card.
_SEVERAL = 5
# Longer attributes are data, not names.
_MAX_ATTRIBUTE = 300
# Longer texts are not labels: the words of a button, the heading of a part. Labels begin with what
# they are about.
_MAX_LABEL = 40
_LABEL_WORDS = 4
_MAX_SCRIPT = 200_000
# Elements whose class and id describe the whole page.
_WHOLE = ("html", "body")
_COUNTED_TAGS = (
    "a", "p", "li", "img", "pre", "code", "table", "h1", "h2", "h3", "form", "input", "button",
    "article", "section", "time", "blockquote", "svg", "iframe", "video", "select", "option",
    "details", "dl", "textarea",
)  # fmt: skip
_NAME_WORD = re.compile(r"[A-Za-z][a-z]+|[A-Z]+(?![a-z])")
_LETTERS = re.compile(r"[a-z]+")
_WORD = re.compile(r"\w+")
_LABEL_WORD = re.compile(r"[^\W\d_]+")
# The pattern is matched where its key is found: finding a text takes a tenth of the time.
_TYPE_KEY = '"@type"'
_TYPE = re.compile(r'"@type"\s*:\s*(?:"([^"]{1,60})"|\[([^\]]{1,200})\])')
_QUOTED = re.compile(r'"([^"]+)"')
_ITEM_TYPES = XPath("//@itemtype", smart_strings=False)
_ITEM_PROPERTIES = XPath("//@itemprop", smart_strings=False)
_TOLD = ("product:", "article:", "og:price", "og:availab")


def page_signs(tree: HtmlElement, url: str, title: str) -> PageSigns:
    """The signs of a page; `url` is "" if there is none."""
    words = set(_address_words(url))
    words.update(f"t:{word}" for word in _WORD.findall(title.lower()))
    elements = list(tree.iter("*"))
    words.update(_label_signs(elements))
    tags: defaultdict[str, int] = defaultdict(int)
    named: defaultdict[str, int] = defaultdict(int)
    for (tag, classes, identifier), count in Counter(
        [(e.tag, e.get("class"), e.get("id")) for e in elements]
    ).items():
        tags[tag] += count
        signs = _name_signs(classes, identifier) if classes or identifier else ()
        for sign in signs:
            named[sign] += count
        if tag in _WHOLE:
            words.update(f"b{sign[1:]}" for sign in signs)
    words.update(named)
    words.update(f"C{sign[1:]}" for sign, count in named.items() if count >= _SEVERAL)
    for meta in tree.iter("meta"):
        words.update(_told(meta))
    for script in tree.iter("script"):
        if "ld+json" in script.get("type", ""):
            words.update(_types(script.text or ""))
    words.update(f"j:{_last(name)}" for name in _ITEM_TYPES(tree))
    words.update(f"i:{name.lower()[:_MAX_ATTRIBUTE]}" for name in _ITEM_PROPERTIES(tree))
    return PageSigns(frozenset(words), _address_numbers(url) | _tag_numbers(tags))


def _label_signs(elements: Iterable[HtmlElement]) -> Iterator[str]:
    """The words that short texts begin with: "Reply", "Add to cart", "Related products"."""
    texts = Counter([text for e in elements if (text := e.text) and len(text) < _MAX_LABEL])
    named: defaultdict[str, int] = defaultdict(int)
    for text, count in texts.items():
        for sign in _label_words(text):
            named[sign] += count
    yield from named
    for sign, count in named.items():
        if count >= _SEVERAL:
            yield f"W{sign[1:]}"


@lru_cache(maxsize=1 << 14)
def _label_words(text: str) -> tuple[str, ...]:
    """A sign `w:` for each of the words that a text begins with; a word may occur twice."""
    return tuple([f"w:{word}" for word in _LABEL_WORD.findall(text.lower())[:_LABEL_WORDS]])


def _address_words(url: str) -> Iterator[str]:
    host, path = _host_and_path(url)
    for word in _LETTERS.findall(path.lower()):
        yield f"u:{word}"
    for word in _LETTERS.findall(host):
        yield f"h:{word}"


def _host_and_path(url: str) -> tuple[str, str]:
    try:
        parts = urlsplit(url)
        return (parts.hostname or "").lower(), parts.path
    except ValueError:
        return "", ""


def _address_numbers(url: str) -> dict[str, float]:
    _, path = _host_and_path(url)
    last = path.rstrip("/").rsplit("/", 1)[-1]
    return {
        "path_characters": len(path),
        "path_parts": sum(1 for part in path.split("/") if part),
        "path_digits": sum(map(str.isdigit, path)),
        "path_hyphens": path.count("-"),
        "last_hyphens": last.count("-"),
        "has_query": "?" in url,
        "is_file": path.endswith((".html", ".htm")),
        "has_year": re.search(r"/20\d\d/", path) is not None,
        "no_address": not url,
    }


def _tag_numbers(tags: Mapping[str, int]) -> dict[str, float]:
    found = {f"tag_{tag}": math.log1p(tags.get(tag, 0)) for tag in _COUNTED_TAGS}
    found["elements"] = math.log1p(sum(tags.values()))
    found["pictures_by_paragraphs"] = tags.get("img", 0) / (1 + tags.get("p", 0))
    found["links_by_paragraphs"] = tags.get("a", 0) / (1 + tags.get("p", 0))
    return found


@lru_cache(maxsize=1 << 14)
def _name_signs(classes: str | None, identifier: str | None) -> tuple[str, ...]:
    """A sign `c:` for each word of an element's class and id."""
    both = f"{classes or ''} {identifier or ''}"
    words = _NAME_WORD.findall(both) if len(both) < _MAX_ATTRIBUTE else ()
    return tuple({f"c:{word.lower()}" for word in words})


def _told(meta: HtmlElement) -> Iterator[str]:
    """The words of a meta element about the kind: Open Graph's type, a price, the generator."""
    name = (meta.get("property") or meta.get("name") or "").lower()
    if name.startswith(_TOLD):
        yield f"m:{name}"
    elif name in ("og:type", "generator"):
        content = (meta.get("content") or "")[:_MAX_ATTRIBUTE].lower()
        if name == "og:type":
            yield f"o:{content}"
        elif generator := _LETTERS.search(content):
            yield f"g:{generator.group()}"


def _types(script: str) -> Iterator[str]:
    """The item types in JSON-LD. Read by pattern, because broken JSON is common."""
    read = script[:_MAX_SCRIPT]
    position = read.find(_TYPE_KEY)
    while position >= 0:
        found = _TYPE.match(read, position)
        if found:
            for name in [found[1]] if found[1] else _QUOTED.findall(found[2] or ""):
                yield f"j:{_last(name)}"
        position = read.find(_TYPE_KEY, found.end() if found else position + 1)


def _last(address: str) -> str:
    return address[:_MAX_ATTRIBUTE].rstrip("/").rsplit("/", 1)[-1].lower()
