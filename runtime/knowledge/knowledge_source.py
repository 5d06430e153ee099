"""The protocol of a knowledge source: functions with JSON schemas, and the answers of a call.

A source runs calls and bounds what they return. Its texts are untrusted, like those of pages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from factmill.models.llm.json_schemas import Schema
from factmill.runtime.answers.answer import Citation


@dataclass(frozen=True, slots=True)
class KnowledgeFunction:
    """A named function. `parameters` is the JSON schema of an object with its arguments."""

    name: str
    about: str
    parameters: Schema


def text_arguments(required: Sequence[str], optional: Sequence[str] = ()) -> Schema:
    """The JSON schema of arguments that are texts."""
    properties = {name: {"type": "string"} for name in (*required, *optional)}
    return {"type": "object", "properties": properties, "required": list(required)}


@dataclass(frozen=True, slots=True)
class KnowledgeAnswer:
    """One result of a call, and its origin: an address without credentials. `citation` points into
    the store for facts from it. `fetched_at` is how fresh the result is, None if not stated by the
    source.
    """

    text: str
    url: str
    citation: Citation | None = None
    fetched_at: datetime | None = None


class CallFailed(Exception):
    """A call that returned nothing; the message says why, on one line."""


class KnowledgeSource(Protocol):
    """A source of facts. Thread-safe; calls may run concurrently."""

    @property
    def functions(self) -> Sequence[KnowledgeFunction]: ...

    def call(self, name: str, arguments: Mapping[str, Any]) -> Sequence[KnowledgeAnswer]:
        """One or more answers. Raises CallFailed."""
