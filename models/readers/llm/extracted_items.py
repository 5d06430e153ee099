"""An LLM's items for one segment before validation, as they are stored on disk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ExtractedPair:
    """A question and its answer as the LLM wrote them."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class ExtractedItems:
    """Facts and pairs of one segment, in the LLM's order. `lost` says what is missing, or ""."""

    facts: tuple[str, ...] = ()
    pairs: tuple[ExtractedPair, ...] = ()
    lost: str = ""

    def as_json(self) -> dict[str, Any]:
        raw = {"facts": self.facts, "pairs": [[p.question, p.answer] for p in self.pairs]}
        return {**raw, "lost": self.lost} if self.lost else raw

    @classmethod
    def from_json(cls, raw: dict[str, Any]) -> ExtractedItems:
        """Raises KeyError, TypeError or ValueError for anything not written by `as_json`."""
        pairs = tuple(
            ExtractedPair(str(question), str(answer)) for question, answer in raw["pairs"]
        )
        return cls(tuple(map(str, raw["facts"])), pairs, str(raw.get("lost", "")))
