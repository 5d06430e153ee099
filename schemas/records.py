"""The records that travel between jobs, one class per table."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

SegmentKind = Literal["text", "table", "data"]
PageKind = Literal[
    "article", "documentation", "service", "forum", "product", "listing", "collection"
]
UnitKind = Literal["proposition", "qa_pair", "segment"]
ComposedKind = Literal["compound", "chain"]


@dataclass(frozen=True, slots=True)
class Page:
    """A cleaned page. `url` is "" if the input gave none.

    `kind` is a `PageKind` and `kind_confidence` its probability; they are "" and None for a page
    without markup or from a build that did not tell kinds. `author` and `published` are what the
    page states about itself ("" and None if it does not). `text_confidence`, from 0 to 1, is the
    estimated confidence that `text` is the page's main content; None if `text` came as plain text
    or from a fallback extractor.
    """

    page_id: str
    source_id: str
    url: str
    title: str
    text: str
    lang: str
    fetched_at: datetime | None
    content_hash: str
    kind: str = ""
    kind_confidence: float | None = None
    author: str = ""
    published: datetime | None = None
    text_confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Entity:
    """A named entity, date or number; `segment.text[start:end] == text`."""

    text: str
    label: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Segment:
    """A few sentences or one table of a page, or the structured data of one item.

    For text, `page.text[start:end] == text`. A table (GitHub-flavoured Markdown) has no offsets,
    because tables are taken out of the page's text. Neither has data (lines of key and value under
    a line with the item's kind and name), which need not occur in the text. `heading` is the
    nearest heading above a text segment, or ""; the heading of a table is part of its text.

    A segment of a thread belongs to one post: `post` is its number on the page, from 0; `author`
    and `published` (UTC) say who wrote it and when. They are None outside of posts or when the page
    does not say.
    """

    segment_id: str
    page_id: str
    ordinal: int
    kind: SegmentKind
    text: str
    heading: str
    start: int | None
    end: int | None
    entities: tuple[Entity, ...] = ()
    post: int | None = None
    author: str | None = None
    published: datetime | None = None


@dataclass(frozen=True, slots=True)
class Proposition:
    """A self-contained statement drawn from `segment.text[evidence_start:evidence_end]`."""

    unit_id: str
    segment_id: str
    page_id: str
    ordinal: int
    text: str
    evidence_start: int
    evidence_end: int
    reader: str


@dataclass(frozen=True, slots=True)
class QAPair:
    """An atomic question; `segment.text[answer_start:answer_end] == answer`."""

    unit_id: str
    segment_id: str
    page_id: str
    ordinal: int
    question: str
    answer: str
    answer_start: int
    answer_end: int
    proposition_ids: tuple[str, ...]
    reader: str


@dataclass(frozen=True, slots=True)
class ComposedPart:
    """A QA pair within a composed question. `asked` is the question before earlier answers are put
    in ("When was the designer of X born?"); `question` has the name instead.
    """

    unit_id: str
    page_id: str
    question: str
    answer: str
    asked: str


@dataclass(frozen=True, slots=True)
class ComposedQuestion:
    """A question that needs several atomic ones, in order. `page_id` is the page of the first part
    and `entity` the name in it. `answer` is the last part's for a chain, and all parts' for a
    compound.
    """

    composed_id: str
    page_id: str
    kind: ComposedKind
    entity: str
    question: str
    answer: str
    parts: tuple[ComposedPart, ...]


@dataclass(frozen=True, slots=True)
class Reject:
    """A record that was not used, and why.

    `page_id` is the page of the record, or the one its URL would have become; None without a URL.
    `kept_page_id` is the page that was kept instead.
    """

    stage: str
    reason: str
    record_id: str
    url: str
    detail: str
    site: str = ""
    page_id: str | None = None
    kept_page_id: str | None = None
