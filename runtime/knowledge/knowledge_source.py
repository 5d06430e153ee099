"""What a source of knowledge is: functions with JSON schemas, and what a call of one returns.

A source runs what it is asked and bounds what it returns. Its texts are material, as pages are.
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
    """A function by its name. `parameters` is the JSON schema of an object with its arguments."""

    name: str
    about: str
    parameters: Schema


def text_arguments(required: Sequence[str], optional: Sequence[str] = ()) -> Schema:
    """The JSON schema of arguments that are texts."""
    properties = {name: {"type": "string"} for name in (*required, *optional)}
    return {"type": "object", "properties": properties, "required": list(required)}


@dataclass(frozen=True, slots=True)
class KnowledgeAnswer:
    """One thing that a call returned, and where that stands: an address without credentials.
    `citation` leads into the store, for what stands there. `fetched_at` says how fresh it is,
    None where nobody says."""

    text: str
    url: str
    citation: Citation | None = None
    fetched_at: datetime | None = None


class CallFailed(Exception):
    """A call that gave nothing; the message says why, on one line."""


class KnowledgeSource(Protocol):
    """Thread-safe; several calls may run at once."""

    @property
    def functions(self) -> Sequence[KnowledgeFunction]: ...

    def call(self, name: str, arguments: Mapping[str, Any]) -> Sequence[KnowledgeAnswer]:
        """At least one answer. Raises CallFailed."""
