"""The atomic pairs that Llama-3.1-8B and GPT-4 wrote for CompactRAG's passages, in our format.

A recorded answer is often a sentence instead of a span ("Peter Levin is American."). It is kept
unchanged as the pair's answer. One of more than three words that ends with a full stop is a
sentence, so it is also kept as a statement.
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
    """The passages of a file, each with its recorded items."""
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
