"""Request and response of `/v1/search`, field by field."""

from __future__ import annotations

from datetime import date, datetime, time, timezone
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from factmill.runtime.search.hits import Hit
from factmill.runtime.search.search_filter import MAX_VALUES, SearchFilter
from factmill.schemas.records import PageKind

MAX_CHARACTERS = 20_000
MAX_HITS_A_REQUEST = 100
# At least one character that is not a blank.
SAID = r"\S"


def _whole(value: object) -> object:
    """JSON Schema counts 20.0 as an integer."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


WHOLE_NUMBER = BeforeValidator(_whole)
_Hits = Annotated[int, Field(ge=1, le=MAX_HITS_A_REQUEST), WHOLE_NUMBER]
_HOST = r"^(?:[\w.-]+|\[[0-9a-fA-F:.]+\])$"
_CODE = r"^[A-Za-z]{2,3}([-_][A-Za-z0-9]+)*$"
_Site = Annotated[str, Field(pattern=_HOST, max_length=253)]
_Language = Annotated[str, Field(pattern=_CODE, max_length=20)]
# What a text has to be that does not match a pattern of these documents.
PATTERNS_IN_WORDS = {
    SAID: "must not be empty",
    _HOST: "must be a host, such as example.org",
    _CODE: "must be the code of a language, such as en",
}


class WireDocument(BaseModel):
    """Base class of the service's documents. It forbids undeclared fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class FilterDocument(WireDocument):
    """What may be found. One of several values must match, and all fields must."""

    sites: list[_Site] = Field(
        default_factory=list, max_length=MAX_VALUES,
        description="Hosts, with their subdomains: example.org",
    )  # fmt: skip
    languages: list[_Language] = Field(
        default_factory=list, max_length=MAX_VALUES, description="Languages of pages: en, de"
    )
    page_kinds: list[PageKind] = Field(
        default_factory=list, max_length=MAX_VALUES,
        description="Kinds of pages, in builds that record them",
    )  # fmt: skip
    segment_kinds: list[Literal["text", "table", "data"]] = Field(
        default_factory=list, max_length=MAX_VALUES, description="Kinds of segments"
    )
    unit_kinds: list[Literal["proposition", "qa_pair"]] = Field(
        default_factory=list, max_length=MAX_VALUES,
        description="Segments that have such a unit; only such units are shown",
    )  # fmt: skip
    fetched_from: datetime | date | None = Field(
        None, description="Pages fetched at this moment or later; a date means its beginning (UTC)"
    )
    fetched_until: datetime | date | None = Field(
        None, description="Pages fetched at this moment or before; a date means its end (UTC)"
    )

    def search_filter(self) -> SearchFilter:
        """Raises OptionError."""
        return SearchFilter(
            tuple(self.sites),
            tuple(self.languages),
            tuple(self.page_kinds),
            tuple(self.segment_kinds),
            tuple(self.unit_kinds),
            _moment(self.fetched_from, time.min),
            _moment(self.fetched_until, time.max),
        )


def _moment(value: datetime | date | None, of_day: time) -> datetime | None:
    if value is None or isinstance(value, datetime):
        return value
    return datetime.combine(value, of_day, timezone.utc)


class SearchRequest(WireDocument):
    """A query."""

    query: str = Field(pattern=SAID, max_length=MAX_CHARACTERS, description="The query, in words")
    k: _Hits = Field(20, description="How many pages to return at most")
    rerank: bool = Field(False, description="Score by stored embeddings; the build must have them")
    lexical: bool = Field(True, description="Also score the words that pages share with the query")
    filters: FilterDocument | None = Field(None, description="Which pages may be found")


class UnitHitDocument(WireDocument):
    """A unit of the segment found."""

    unit_id: str = Field(description="Id of the unit: GET /v1/units/{id}")
    kind: Literal["proposition", "qa_pair"] = Field(description="What the unit is")
    text: str = Field(description="The proposition, or the question and its answer")
    score: float = Field(description="Approximately the cosine with the query")
    start: int = Field(description="Where its evidence, or the answer, starts in the segment")
    end: int = Field(description="Where it ends: segment.text[start:end]")


class PathStepDocument(WireDocument):
    """A page that names the found page."""

    page_id: str = Field(description="Id of the page: GET /v1/pages/{id}")
    title: str = Field(description="Title of the page")
    segment_id: str = Field(description="The segment that names the found page")
    unit: UnitHitDocument | None = Field(
        description="The best unit of the segment that names it; null if none does"
    )


class HitDocument(WireDocument):
    """A found page, with its best segment."""

    rank: int = Field(description="1 for the best")
    score: float = Field(description="Comparable within one response")
    page_id: str = Field(description="Id of the page: GET /v1/pages/{id}")
    source_id: str = Field(description="The page's id in the input")
    url: str = Field(description='URL of the page; "" if the input gave none')
    title: str = Field(description="Title of the page")
    text: str = Field(description="The segment; Markdown for a table")
    segment_id: str = Field(description="Id of the segment: GET /v1/segments/{id}")
    start: int | None = Field(description="Where the segment starts in the page; null for a table")
    end: int | None = Field(description="Where it ends: page.text[start:end]")
    units: list[UnitHitDocument] = Field(description="Its best units, best first")
    path: list[PathStepDocument] = Field(
        description="The page that names this one and led to it, if any"
    )


class SearchResponse(WireDocument):
    """The found pages, best first."""

    query: str = Field(description="The query as received")
    build_id: str = Field(description="The build that answered")
    hits: list[HitDocument] = Field(description="At most k pages, best first")


def search_json(query: str, build_id: str, hits: list[Hit]) -> dict[str, Any]:
    """The fields of a SearchResponse."""
    return {"query": query, "build_id": build_id, "hits": [hit.as_json() for hit in hits]}
