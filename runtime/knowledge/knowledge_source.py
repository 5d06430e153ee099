"""What a source of knowledge is: functions with JSON schemas, and what a call of one returns.

A source runs what it is asked and bounds what it returns. Its texts are material, as pages are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from factmill.models.llm.json_schemas import Schema


@dataclass(frozen=True, slots=True)
class KnowledgeFunction:
    """A function by its name. `parameters` is the JSON schema of an object with its arguments."""

    name: str
    about: str
    parameters: Schema


@dataclass(frozen=True, slots=True)
class KnowledgeAnswer:
    """What a call returned, and where that stands: an address without credentials."""

    text: str
    url: str


class CallFailed(Exception):
    """A call that gave nothing; the message says why, on one line."""


class KnowledgeSource(Protocol):
    """Thread-safe; several calls may run at once."""

    @property
    def functions(self) -> Sequence[KnowledgeFunction]: ...

    def call(self, name: str, arguments: Mapping[str, Any]) -> KnowledgeAnswer:
        """Raises CallFailed."""
