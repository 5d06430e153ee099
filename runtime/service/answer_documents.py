"""Request and response of `/v1/answer`, field by field: the document of `Answer.as_json`."""

from __future__ import annotations

from pydantic import Field

from factmill.runtime.service.search_documents import (
    MAX_CHARACTERS,
    SAID,
    FilterDocument,
    WireDocument,
)


class AnswerRequest(WireDocument):
    """A question."""

    question: str = Field(
        pattern=SAID, max_length=MAX_CHARACTERS, description="One question, in words"
    )
    strategy: str | None = Field(
        None, max_length=100, description="How to answer: a name of `strategies` of GET /v1/build"
    )
    filters: FilterDocument | None = Field(None, description="Which pages may be used")


class CitationDocument(WireDocument):
    """A passage that supports an answer."""

    unit_id: str | None = Field(description="Unit in the passage, if any")
    segment_id: str = Field(description="Segment of the passage")
    page_id: str = Field(description="Page of the passage")
    url: str = Field(description="URL of the page")
    title: str = Field(description="Title of the page")
    start: int | None = Field(description="Where the quote starts in the page; null in a table")
    end: int | None = Field(description="Where it ends: page.text[start:end] == quote")
    quote: str = Field(description="The passage, word for word")


class StepHitDocument(WireDocument):
    """A page that a step found."""

    page_id: str = Field(description="Id of the page")
    title: str = Field(description="Title of the page")
    score: float = Field(description="Comparable within one step")
    segment_id: str = Field(description="The segment that fits best")


class StepDocument(WireDocument):
    """A step on the way to the answer."""

    id: str = Field(description="Names the step within the answer")
    kind: str = Field(description="What was done")
    question: str = Field(description="The question of this step")
    rewritten_question: str = Field(description="The question with earlier answers put in")
    needs: list[str] = Field(description="Ids of the steps whose answers it used")
    hits: list[StepHitDocument] = Field(description="The pages found")
    answer: str = Field(description='The result; "" for none')
    seconds: float = Field(description="Duration")


class LedgerDocument(WireDocument):
    """What an answer cost."""

    calls: int = Field(description="Conversations sent to the LLM, answered or not")
    prompt_tokens: int = Field(description="Tokens sent to the LLM")
    completion_tokens: int = Field(description="Tokens returned by the LLM")
    seconds: dict[str, float] = Field(description="Seconds by kind of step")
    elapsed: float = Field(description="Wall-clock seconds")


class AnswerDocument(WireDocument):
    """An answer with its citations, steps and costs."""

    question: str = Field(description="The question as received")
    text: str = Field(description='The answer, or "I don\'t know"')
    known: bool = Field(description='false exactly when the text is "I don\'t know"')
    confidence: float = Field(description="How sure the answer is, from 0 to 1")
    unsupported: bool = Field(
        description="No cited passage supports the answer, or one was cited that was not shown"
    )
    citations: list[CitationDocument] = Field(description="The passages that support the answer")
    steps: list[StepDocument] = Field(description="The steps, in the order in which they ended")
    ledger: LedgerDocument = Field(description="What it took")
    strategy: str = Field(description="The strategy that answered")
    notice: str = Field(description="Why it differs from the requested strategy")
    build_id: str = Field(description="The build that answered")
