"""A raw page to a page with its segments, or the reason why not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from models.entities import EntityFinder
from models.sentences import split_sentences
from schemas.errors import Rejected
from schemas.ids import content_hash, page_id, segment_id
from schemas.records import Page, Segment, SegmentKind
from transforms.chunks import chunk_sentences
from transforms.decoding import decode_html
from transforms.inputs.raw import RawPage, clean_id
from transforms.main_text import extract_main_text, parse_html
from transforms.markdown_tables import HtmlTable, extract_tables
from transforms.page_head import canonical_url, page_language, page_title

# A web page whose longest line is shorter than this is a menu.
MIN_LINE_CHARACTERS = 20


@dataclass(frozen=True, slots=True)
class CleanPage:
    """A page and all of its segments. `key` decides the shard."""

    page: Page
    segments: tuple[Segment, ...]
    key: str


def clean_page(raw: RawPage) -> CleanPage:
    """Extract text and tables and cut them into segments, without entities.

    Raises Rejected with the reason `no_text` when nothing is left.
    """
    title, lang, url = " ".join(clean_id(raw.title).split()), "", raw.url
    tables: list[HtmlTable] = []
    if raw.html is not None:
        html = decode_html(raw.html, raw.charset)
        tree = parse_html(html)
        if tree is None:
            raise Rejected("no_text", "no HTML element in the page")
        title = title or page_title(tree)
        lang, url = page_language(tree), url or canonical_url(tree)
        tables = list(extract_tables(tree))
        text = extract_main_text(tree)
        if not tables and max(map(len, text.split("\n"))) < MIN_LINE_CHARACTERS:
            raise Rejected("no_text", "only lines as short as menu entries, and no table")
    else:
        text = decode_html(raw.text or "").strip()
    if not text and not tables:
        raise Rejected("no_text", "no main text and no table")
    digest = content_hash(title, text + "".join(table.markdown() for table in tables))
    page = Page(
        page_id=page_id(raw.url, raw.source_id, digest),
        source_id=raw.source_id,
        url=url,
        title=title,
        text=text,
        lang=lang,
        fetched_at=raw.fetched_at,
        content_hash=digest,
    )
    return CleanPage(page, tuple(_segments(page, tables)), raw.url or raw.source_id)


def _segments(page: Page, tables: Iterable[HtmlTable]) -> Iterator[Segment]:
    seen: Counter[tuple[str, str]] = Counter()
    ordinal = 0

    def segment(kind: SegmentKind, text: str, start: int | None, end: int | None) -> Segment:
        nonlocal ordinal
        occurrence = seen[kind, text]
        seen[kind, text] += 1
        made = Segment(
            segment_id(page.page_id, page.title, kind, text, occurrence),
            page.page_id, ordinal, kind, text, start, end,
        )  # fmt: skip
        ordinal += 1
        return made

    for start, end in chunk_sentences(page.text, split_sentences(page.text)):
        yield segment("text", page.text[start:end], start, end)
    for table in tables:
        yield segment("table", table.markdown(), None, None)


def with_entities(pages: list[CleanPage], finder: EntityFinder) -> list[CleanPage]:
    """The pages with the entities of every segment filled in."""
    found = finder.find(segment.text for page in pages for segment in page.segments)
    return [
        replace(page, segments=tuple(replace(s, entities=next(found)) for s in page.segments))
        for page in pages
    ]  # fmt: skip
