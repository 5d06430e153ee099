"""Stored rows as documents, field by field."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal

from pydantic import Field

from factmill.runtime.service.search_documents import WireDocument
from factmill.schemas.records import Page, Proposition, QAPair, Segment


class PageDocument(WireDocument):
    """A cleaned page."""

    page_id: str = Field(description="Id of the page")
    source_id: str = Field(description="The page's id in the input")
    url: str = Field(description='URL of the page; "" if the input gave none')
    title: str = Field(description="Title of the page")
    text: str = Field(description="Main text; offsets of segments and quotes count in it")
    lang: str = Field(description="Language of the page, as a code")
    fetched_at: str | None = Field(description="When it was fetched (ISO 8601, UTC)")
    content_hash: str = Field(description="A hash that identifies the version of the page")


class EntityDocument(WireDocument):
    """A name, date or number in a segment."""

    text: str = Field(description="What stands there")
    label: str = Field(description="What it is")
    start: int = Field(description="Where it starts in the segment")
    end: int = Field(description="Where it ends")


class SegmentDocument(WireDocument):
    """A few sentences or one table of a page, or the structured data of one item."""

    segment_id: str = Field(description="Id of the segment")
    page_id: str = Field(description="Id of its page")
    ordinal: int = Field(description="Its number within the page, from 0")
    kind: Literal["text", "table", "data"] = Field(description="What the segment is")
    text: str = Field(description="The segment; Markdown for a table")
    heading: str = Field(description='The nearest heading above a text segment, or ""')
    start: int | None = Field(description="Where it starts in the page; null but for text")
    end: int | None = Field(description="Where it ends: page.text[start:end]")
    entities: list[EntityDocument] = Field(description="Names, dates and numbers in it")
    post: int | None = Field(description="The number of its post in a thread, from 0, or null")
    author: str | None = Field(description="Who wrote that post, where the page says it")
    published: str | None = Field(description="When that post was written (ISO 8601, UTC)")


class UnitDocument(WireDocument):
    """A proposition, or a question with its answer. Fields of the other kind are null."""

    unit_id: str = Field(description="Id of the unit")
    kind: Literal["proposition", "qa_pair"] = Field(description="What the unit is")
    segment_id: str = Field(description="Id of its segment")
    page_id: str = Field(description="Id of its page")
    ordinal: int = Field(description="Its number within the segment, from 0")
    text: str | None = Field(description="The proposition")
    question: str | None = Field(description="The question of a pair")
    answer: str | None = Field(description="The answer of a pair, word for word in the segment")
    start: int = Field(description="Where the evidence, or the answer, starts in the segment")
    end: int = Field(description="Where it ends: segment.text[start:end]")
    proposition_ids: list[str] | None = Field(
        description="Propositions that state the same as a pair"
    )
    reader: str = Field(description="The reader that drew it from the segment")


def page_json(page: Page) -> dict[str, Any]:
    """The fields of a PageDocument."""
    fetched = page.fetched_at
    document = {name: getattr(page, name) for name in PageDocument.model_fields}
    return {**document, "fetched_at": fetched and fetched.isoformat()}


def segment_json(segment: Segment) -> dict[str, Any]:
    """The fields of a SegmentDocument."""
    published = segment.published
    return {**asdict(segment), "published": published and published.isoformat()}


def unit_json(unit: Proposition | QAPair) -> dict[str, Any]:
    """The fields of a UnitDocument."""
    both = {
        "unit_id": unit.unit_id,
        "segment_id": unit.segment_id,
        "page_id": unit.page_id,
        "ordinal": unit.ordinal,
        "reader": unit.reader,
    }
    if isinstance(unit, Proposition):
        return {
            **both,
            "kind": "proposition",
            "text": unit.text,
            "question": None,
            "answer": None,
            "start": unit.evidence_start,
            "end": unit.evidence_end,
            "proposition_ids": None,
        }
    return {
        **both,
        "kind": "qa_pair",
        "text": None,
        "question": unit.question,
        "answer": unit.answer,
        "start": unit.answer_start,
        "end": unit.answer_end,
        "proposition_ids": list(unit.proposition_ids),
    }
