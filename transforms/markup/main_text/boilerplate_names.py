"""Class names and ids that mark a box as boilerplate.

They are English words on pages of every language, like HTML itself. A name is compared word by
word: `entry-meta`, `entryMeta` and `entry_meta` have the same two.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

COMMENTS = frozenset("comment comments commentlist disqus respond".split())
_NAMES = COMMENTS | frozenset(
    "share sharing shares sharebar sharethis addthis addtoany social socials sociable follow "
    "related recommended recommendations recirc outbrain taboola trending popular most-read "
    "read-more read-next up-next teaser teasers carousel pager pagination "
    "newsletter newsletters subscribe subscription signup register login signin donate donation "
    "promo promos promotion sponsor sponsored sponsors "
    "ad ads advert adverts advertisement advertising dfp "
    "sidebar footer nav navbar navigation menu breadcrumb breadcrumbs toolbar skip-link "
    "byline author authors bio meta metadata timestamp published pubdate "
    "tags taglist tagcloud caption credit credits copyright "
    "cookie cookies consent gdpr popup modal overlay lightbox "
    "navbox infobox hatnote ambox toc editsection thumbcaption "  # wikis
    "noprint print-only sr-only visually-hidden screen-reader".split()
)
# Words after these describe something beside the box, in it, or absent: "page-with-sidebar",
# "no-ads".
_OF_OTHERS = re.compile(
    r"(?:(?<![A-Za-z])(?:with|without|has|no)(?=[-_A-Z])|(?<=[a-z])(?:With|Without|Has|No)(?=[A-Z]))"
    r"\S*"
)
# Random parts of names hold no words ("column-28c65ad00c"), but the sizes of an advertisement may.
_PART = re.compile(r"[A-Za-z0-9]+")
_RANDOM = re.compile(r"\d(?!x\d)[A-Za-z]+\d")
# Embedded posts are quoted in the text, although they come from a "social" network.
_QUOTED = "embed"
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")


@lru_cache(maxsize=1 << 15)
def boilerplate_name(name: str) -> str:
    """The first word or pair of words that marks boilerplate, or ""."""
    if not _first(name):
        return ""
    return _first(_OF_OTHERS.sub("", without_random_parts(name)))


def without_random_parts(name: str) -> str:
    """Class names and ids without the parts that a program has drawn, which hold no words."""
    return _PART.sub(_unless_random, name) if _RANDOM.search(name) else name


def _unless_random(part: re.Match[str]) -> str:
    return "" if _RANDOM.search(part.group()) else part.group()


@lru_cache(maxsize=1 << 15)
def name_words(name: str) -> tuple[str, ...]:
    """The words of class names and ids, in lower case."""
    return tuple(word.lower() for word in _WORDS.findall(name))


def _first(name: str) -> str:
    words = name_words(name)
    if _QUOTED in words:
        return ""
    pairs = (f"{first}-{second}" for first, second in pairwise(words))
    return next((word for word in (*words, *pairs) if word in _NAMES), "")
