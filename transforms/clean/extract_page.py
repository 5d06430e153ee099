"""A raw page to its text and tables, or the reason why not: what can be said of one capture alone.

What depends on other pages (duplicates, what a site repeats) comes later, and so does the cutting
into segments.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from factmill.models.pages.block_net import block_net
from factmill.models.pages.kind_model import KindGuess, kind_model
from factmill.models.text.language import LanguageFinder
from factmill.models.text.near_duplicates import band_keys, signature
from factmill.models.text.sentences import split_sentences
from factmill.models.text.span import Span
from factmill.models.text.url_credentials import without_credentials
from factmill.schemas.errors import Rejected
from factmill.schemas.ids import content_hash, page_id
from factmill.schemas.records import Page, Reject
from factmill.transforms.clean.invisible_characters import without_invisible
from factmill.transforms.clean.page_walls import reject_walls
from factmill.transforms.clean.reject_rules import (
    reject_empty,
    reject_for_programs,
    reject_kind,
    reject_language,
    reject_menu,
    reject_too_many_sentences,
)
from factmill.transforms.inputs.raw_page import (
    RawPage,
    clean_title,
    unreadable,
)
from factmill.transforms.markup.decoding import decode_html, html_as_utf8
from factmill.transforms.markup.formulas import write_formulas
from factmill.transforms.markup.html_tree import parse_html
from factmill.transforms.markup.inline_notes import drop_inline_notes
from factmill.transforms.markup.main_text.extract_text import (
    extract_main_text,
    load_other_extractors,
)
from factmill.transforms.markup.main_text.head import (
    canonical_url,
    page_headings,
    page_language,
    page_title,
)
from factmill.transforms.markup.page_data.byline import Byline, page_byline
from factmill.transforms.markup.page_data.data_lines import data_texts
from factmill.transforms.markup.page_data.json_ld import json_ld_items
from factmill.transforms.markup.page_data.marked_items import marked_items
from factmill.transforms.markup.page_kind.page_signs import page_signs
from factmill.transforms.markup.posts.post import Post
from factmill.transforms.markup.tables.table_markdown import read_tables
from factmill.transforms.markup.unseen_text import drop_unseen

# Shorter sentences ("Early life", "See also") repeat as part of the content.
_MIN_REPEATED_WORDS = 4
_NO_BYLINE = Byline()


@dataclass(frozen=True, slots=True)
class ExtractedPage:
    """The text of a capture, its tables as Markdown, what its structured data says (`page_data`),
    and what it is compared with others by.

    `headings` are the lines of the text that are headings. `posts` are those of a thread, by
    sentences. `repeats` has a number for every
    sentence that tells it from others, 0 for sentences that are not compared.
    """

    page: Page
    tables: tuple[str, ...]
    data: tuple[str, ...]
    headings: tuple[str, ...]
    posts: tuple[Post, ...]
    sentences: tuple[Span, ...]
    repeats: tuple[int, ...]
    signature: bytes
    bands: tuple[int, ...]


def extract_page(
    raw: RawPage, languages: Collection[str] = (), kinds: Collection[str] = ()
) -> ExtractedPage | Reject:
    """The capture's text and tables, or the reject that says why it has none.

    The reasons stand in `reject_rules` and `page_walls`; `languages` and `kinds` are those that
    are wanted, none for all.
    """
    try:
        return _extract(raw, languages, kinds)
    except Rejected as why:
        return unreadable(raw.source_id, why.reason, why.detail, raw.url)


@dataclass(frozen=True, slots=True)
class _Content:
    """The content of a page, and what it states about itself ("" for nothing)."""

    text: str
    tables: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()
    title: str = ""
    url: str = ""
    language: str = ""
    guess: KindGuess | None = None
    byline: Byline = _NO_BYLINE
    confidence: float | None = None
    posts: tuple[Post, ...] = ()


def _extract(raw: RawPage, languages: Collection[str], kinds: Collection[str]) -> ExtractedPage:
    content = _html_content(raw, kinds) if raw.html is not None else _text_content(raw)
    text = content.text
    reject_empty(text, content.tables)
    title = without_invisible(clean_title(raw.title)) or clean_title(content.title)
    reject_walls(title, text, (*content.tables, *content.data))
    lang = _language_finder().find(text, content.language)
    reject_language(lang, languages)
    digest = content_hash(title, "".join((text, *content.tables, *content.data)))
    page = Page(
        page_id=page_id(raw.url, raw.source_id, digest, content.url),
        source_id=raw.source_id,
        url=raw.url or without_credentials(content.url),
        title=title,
        text=text,
        lang=lang,
        fetched_at=raw.fetched_at,
        content_hash=digest,
        kind=content.guess.kind if content.guess else "",
        kind_confidence=content.guess.confidence if content.guess else None,
        author=clean_title(content.byline.author),
        published=content.byline.published,
        text_confidence=content.confidence,
    )
    sentences = tuple(split_sentences(text))
    reject_too_many_sentences(len(sentences))
    repeats = tuple(_repeat_key(text[start:end]) for start, end in sentences)
    signed = signature("\n".join((text, *content.tables)))
    return ExtractedPage(
        page, content.tables, content.data, content.headings,
        tuple(_by_sentences(content.posts, sentences)), sentences, repeats, signed,
        tuple(band_keys(signed)),
    )  # fmt: skip


def _html_content(raw: RawPage, kinds: Collection[str]) -> _Content:
    tree = parse_html(html_as_utf8(raw.html or "", raw.charset))
    if tree is None:
        raise Rejected("no_text", "no HTML element in the page")
    write_formulas(tree)
    drop_unseen(tree)
    drop_inline_notes(tree)
    # Everything else is read first, because finding the main text consumes the tree.
    stated_title, url = page_title(tree), canonical_url(tree)
    title = without_invisible(stated_title)
    language = page_language(tree)
    guess = kind_model().guess(page_signs(tree, raw.url or url, title))
    reject_kind(guess.kind, kinds)
    stated_headings = page_headings(tree)
    items = [*json_ld_items(tree), *marked_items(tree)]
    byline, data = page_byline(tree, items), _seen(data_texts(items, title))
    # Cells are values, which stay unchanged.
    found_tables = read_tables(tree)
    tables = tuple(part for table in found_tables.values() for part in table.segments())
    found = extract_main_text(tree, guess, items, stated_title, found_tables)
    text = without_invisible(found.text)
    headings = set(map(without_invisible, stated_headings | found.headings))
    posts = found.posts if text == found.text else tuple(_seen_posts(found.posts, found.text))
    lines = text.split("\n")
    reject_menu(lines, tables)
    kept = tuple(line for line in lines if line in headings)
    return _Content(
        text, tables, data, kept, title, url, language, guess, byline, found.confidence, posts
    )


def _seen_posts(posts: Sequence[Post], text: str) -> Iterator[Post]:
    """Posts with their offsets in the visible text. They are in the order of the text."""
    read = seen = 0
    for post in posts:
        start = seen + len(without_invisible(text[read : post.start]))
        read, seen = post.end, start + len(without_invisible(text[post.start : post.end]))
        yield replace(post, start=start, end=seen)


def _by_sentences(posts: Sequence[Post], sentences: Sequence[Span]) -> Iterator[Post]:
    """Posts counted in sentences, converted from posts counted in characters."""
    starts = [start for start, _ in sentences]
    for post in posts:
        first, stop = bisect_left(starts, post.start), bisect_left(starts, post.end)
        if first < stop:
            yield replace(post, start=first, end=stop)


def _text_content(raw: RawPage) -> _Content:
    text = without_invisible(decode_html(raw.text or "")).strip()
    reject_for_programs(text)
    return _Content(text)


def _seen(texts: Iterable[str]) -> tuple[str, ...]:
    """The visible forms of the texts, without empty ones."""
    return tuple(seen for text in texts if (seen := without_invisible(text)))


def load_models() -> None:
    """Load what `extract_page` needs, before it is timed."""
    _language_finder()
    kind_model()
    block_net()
    load_other_extractors()


@cache
def _language_finder() -> LanguageFinder:
    return LanguageFinder()


def _repeat_key(sentence: str) -> int:
    """A 64-bit hash of the words, ignoring case; 0 for a short sentence."""
    words = sentence.casefold().split()
    if len(words) < _MIN_REPEATED_WORDS:
        return 0
    return int.from_bytes(hashlib.blake2b(" ".join(words).encode(), digest_size=8).digest(), "big")
