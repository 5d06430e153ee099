"""Documents for agents: found pages, and the page, segment or unit of an id.

    query -> hits -> FoundPages
    id -> page, segment or unit -> FetchedDocument

The formats are those that chat products expect of the tools `search` and `fetch`. Texts are cut so
that one call cannot fill a context. Knows nothing of the protocol.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pydantic import BaseModel, Field

from factmill.runtime.answers.answer import Answer
from factmill.runtime.index import Index
from factmill.runtime.search.hits import Hit
from factmill.schemas.errors import NoSuchRow
from factmill.schemas.records import Page, Proposition, QAPair, Segment

# More text is rarely read, and costs tokens on every call.
MAX_PAGES = 10
MAX_CHARACTERS = 50_000


class FoundPage(BaseModel):
    """One page of a result."""

    id: str = Field(description="id to fetch the whole page with")
    title: str = Field(description="title of the page")
    url: str = Field(description="address of the page, for citations; empty where it has none")
    text: str = Field(description="the passage of the page that fits the query best, verbatim")


class FoundPages(BaseModel):
    """Pages with facts on a query, best first."""

    results: list[FoundPage]


class FetchedDocument(BaseModel):
    """A page, or a passage or fact of one."""

    id: str
    title: str = Field(description="title of the page")
    text: str = Field(description="the verbatim text; tables are Markdown at its end")
    url: str = Field(description="address of the page, for citations; empty where it has none")
    metadata: dict[str, str] = Field(description="kind, date, language, and ids to fetch next")


class CitedPassage(BaseModel):
    """A sentence that supports an answer."""

    id: str = Field(description="id to fetch the passage with")
    page_id: str
    title: str
    url: str
    quote: str = Field(description="the words of the page")


class FoundAnswer(BaseModel):
    """An answer with its citations."""

    text: str = Field(description="the answer, or I don't know")
    known: bool = Field(description="whether there is an answer")
    confidence: float = Field(
        description="from 0 to 1; calibrated where no LLM answered", ge=0, le=1
    )
    unsupported: bool = Field(description="no cited passage supports the answer")
    citations: list[CitedPassage]
    notice: str = Field(
        description="why another strategy answered than the requested one; usually empty"
    )
    build_id: str = Field(description="the build of the index that answered")


def found_pages(hits: Iterable[Hit]) -> FoundPages:
    """A search result in the form that agents read."""
    return FoundPages(
        results=[
            FoundPage(id=hit.page_id, title=hit.title, url=hit.url, text=hit.text[:MAX_CHARACTERS])
            for hit in hits
        ]
    )


def fetched_document(index: Index, wanted: str) -> FetchedDocument:
    """The page, segment or unit with an id. Raises NoSuchRow, or CorruptStore for a table that
    cannot be read.
    """
    readers: tuple[Callable[[Index, str], FetchedDocument], ...] = (
        lambda index, one: _page_document(index, index.page(one)),
        lambda index, one: _segment_document(index, index.segment(one)),
        lambda index, one: _unit_document(index, index.unit(one)),
    )
    for reader in readers:
        try:
            return reader(index, wanted)
        except NoSuchRow:
            continue
    raise NoSuchRow("page, segment or unit", wanted)


def found_answer(answer: Answer) -> FoundAnswer:
    """An answer in the form that agents read, without its steps."""
    return FoundAnswer(
        text=answer.text,
        known=answer.known,
        confidence=answer.confidence,
        unsupported=answer.unsupported,
        citations=[
            CitedPassage(
                id=one.segment_id,
                page_id=one.page_id,
                title=one.title,
                url=one.url,
                quote=one.quote,
            )
            for one in answer.citations
        ],
        notice=answer.notice,
        build_id=answer.build_id,
    )


def _page_document(index: Index, page: Page) -> FetchedDocument:
    text = "\n\n".join([page.text, *index.tables_of(page.page_id)])
    return _document(page.page_id, page, text, {"kind": "page"})


def _segment_document(index: Index, segment: Segment) -> FetchedDocument:
    metadata = {
        "kind": segment.kind,
        "page_id": segment.page_id,
        "heading": segment.heading,
        "author": segment.author or "",
        "published": segment.published.isoformat() if segment.published else "",
    }
    return _document(segment.segment_id, index.page(segment.page_id), segment.text, metadata)


def _unit_document(index: Index, unit: Proposition | QAPair) -> FetchedDocument:
    if isinstance(unit, QAPair):
        kind, text = "qa_pair", f"{unit.question} {unit.answer}"
    else:
        kind, text = "proposition", unit.text
    metadata = {"kind": kind, "page_id": unit.page_id, "segment_id": unit.segment_id}
    return _document(unit.unit_id, index.page(unit.page_id), text, metadata)


def _document(row_id: str, page: Page, text: str, metadata: dict[str, str]) -> FetchedDocument:
    """A document of a page; unset and empty metadata is left out."""
    more = metadata | {
        "language": page.lang,
        "fetched_at": page.fetched_at.isoformat() if page.fetched_at else "",
        "characters_left_out": str(max(0, len(text) - MAX_CHARACTERS) or ""),
    }
    return FetchedDocument(
        id=row_id,
        title=page.title,
        text=text[:MAX_CHARACTERS],
        url=page.url,
        metadata={name: value for name, value in more.items() if value},
    )
