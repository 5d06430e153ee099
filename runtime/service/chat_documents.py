"""Requests and responses of `/v1/chat/completions` and `/v1/models`, in OpenAI's format.

Unknown request fields are ignored, because clients send many that only their own LLM understands.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from factmill.runtime.service.answer_documents import CitationDocument
from factmill.runtime.service.search_documents import WHOLE_NUMBER, WireDocument

_One = Annotated[int, Field(ge=1, le=1), WHOLE_NUMBER]


class ChatPart(BaseModel):
    """A part of a message."""

    model_config = ConfigDict(extra="ignore")
    type: str = Field(max_length=100, description="Only parts of type text are read")
    text: str = Field("", description="The text")


class ChatMessage(BaseModel):
    """A message."""

    model_config = ConfigDict(extra="ignore")
    role: str = Field(max_length=100, description="Who speaks")
    content: str | Annotated[list[ChatPart], Field(fail_fast=True)] | None = Field(
        None, description="What is said"
    )

    @property
    def text(self) -> str:
        """The whole text of the message."""
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.type == "text")
        return self.content or ""


class StreamOptions(BaseModel):
    """How to stream."""

    model_config = ConfigDict(extra="ignore")
    include_usage: bool = Field(False, description="Whether to end with a chunk that has the usage")


class ChatRequest(BaseModel):
    """A conversation. The last user message is the question; the others are not read."""

    model_config = ConfigDict(extra="ignore")
    model: str = Field(max_length=200, description="A model of GET /v1/models")
    messages: list[ChatMessage] = Field(
        min_length=1, max_length=1000, description="The conversation"
    )
    stream: bool | None = Field(None, description="Whether to stream the answer")
    stream_options: StreamOptions | None = Field(None, description="How to stream")
    n: _One | None = Field(None, description="Only one answer is supported")

    @property
    def question(self) -> str:
        """The last user message; "" if there is none."""
        spoken = [message.text for message in self.messages if message.role == "user"]
        return spoken[-1] if spoken else ""


class UrlCitation(WireDocument):
    """A source of a part of the answer."""

    url: str = Field(description="URL of the page")
    title: str = Field(description="Title of the page")
    start_index: int = Field(description="Where the part starts in the content")
    end_index: int = Field(description="Where it ends")


class ChatAnnotation(WireDocument):
    """A citation in OpenAI's format."""

    type: Literal["url_citation"] = Field(description="What it is")
    url_citation: UrlCitation = Field(description="The source")


class ChatAnswer(WireDocument):
    """The assistant's message."""

    role: Literal["assistant"] = Field(description="Who speaks")
    content: str = Field(description="The answer")
    refusal: None = Field(description="Nothing is refused")
    annotations: list[ChatAnnotation] = Field(description="The sources of the content")


class ChatChoice(WireDocument):
    """The single choice."""

    index: int = Field(description="0")
    message: ChatAnswer = Field(description="The answer")
    finish_reason: Literal["stop"] = Field(description="It is whole")
    logprobs: None = Field(description="There are none")


class ChatUsage(WireDocument):
    """Tokens used by the LLM behind the answer; 0 without one."""

    prompt_tokens: int = Field(description="Tokens sent to the LLM")
    completion_tokens: int = Field(description="Tokens returned by the LLM")
    total_tokens: int = Field(description="Their sum")


class ChatCompletion(WireDocument):
    """An answer in OpenAI's format."""

    id: str = Field(description="Names this answer")
    object: Literal["chat.completion"] = Field(description="What it is")
    created: int = Field(description="When it was made, in seconds since 1970")
    model: str = Field(description="The requested model")
    choices: list[ChatChoice] = Field(description="One answer")
    usage: ChatUsage = Field(description="What it took")
    citations: list[CitationDocument] = Field(
        description="The passages that support the answer, with quotes"
    )


class ModelDocument(WireDocument):
    """A model: the default strategy, or one strategy."""

    id: str = Field(description="Its name")
    object: Literal["model"] = Field(description="What it is")
    created: int = Field(description="When the build was made, in seconds since 1970")
    owned_by: str = Field(description="factmill")


class ModelsDocument(WireDocument):
    """The available models."""

    object: Literal["list"] = Field(description="What it is")
    data: list[ModelDocument] = Field(description="The models")
