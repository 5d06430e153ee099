"""The atomic pairs that Llama-3.1-8B and GPT-4 wrote for CompactRAG's passages, in our own format.

The recorded answer is often a sentence and not a span ("Peter Levin is American."): it is kept as
the pair's answer, as it was recorded, and is a fact too where it states something, which is where
it has a subject and a verb; that it ends with a full stop tells.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from factmill.models.readers.llm.extracted_items import ExtractedItems, ExtractedPair
from factmill.models.readers.question_rules import words


class Recorded(NamedTuple):
    title: str
    passage: str
    items: ExtractedItems


def recorded(path: Path) -> Iterator[Recorded]:
    """The passages of a file, each with what was recorded of it."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            pairs = tuple(
                ExtractedPair(str(pair["question"]), str(pair["answer"]))
                for pair in row["qa"] or ()
                if pair.get("answer") is not None
            )
            facts = tuple(pair.answer for pair in pairs if _is_statement(pair.answer))
            yield Recorded(row["title"], row["passage"], ExtractedItems(facts, pairs))


def _is_statement(answer: str) -> bool:
    return answer.rstrip().endswith(".") and len(words(answer)) > 3
