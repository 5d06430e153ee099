"""HANRAG's compound benchmark, from questions that a build composed of its QA pairs.

    compounds -> N entities with a limited number of pages -> train, dev, test, split by entity

Hashes of names decide which questions are taken and which split an entity is in: a build with more
pages keeps the same questions and adds others. (HANRAG, appendix B.1: 10,000 entities with 10
documents each; an LLM asks about them and combines 2 to 4 questions.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from factmill.models.composing.parsed_question import name_key
from factmill.schemas.ids import content_id
from factmill.schemas.records import ComposedQuestion

SPLITS = ("train", "dev", "test")
# Shares out of ten entities.
_TRAIN, _DEV = 8, 1


@dataclass(frozen=True, slots=True)
class BenchmarkSize:
    """The maximum number of entities, and of pages for each."""

    entities: int = 10_000
    pages: int = 10


def benchmark_questions(
    composed: Iterable[ComposedQuestion], size: BenchmarkSize
) -> dict[str, list[ComposedQuestion]]:
    """The compounds of each split, entity by entity."""
    compounds = [one for one in composed if one.kind == "compound"]
    compounds.sort(key=lambda one: (_order(one.entity), one.composed_id))
    chosen: dict[str, list[ComposedQuestion]] = {split: [] for split in SPLITS}
    for number, (_, of_entity) in enumerate(groupby(compounds, lambda one: _order(one.entity))):
        if number == size.entities:
            break
        questions = list(of_entity)
        chosen[split_of(questions[0].entity)] += _of_pages(questions, size.pages)
    return chosen


def split_of(entity: str) -> str:
    """The split of an entity, however it is spelled."""
    number = int(_order(entity)[-8:], 16) % 10
    return SPLITS[0] if number < _TRAIN else SPLITS[1] if number < _TRAIN + _DEV else SPLITS[2]


def question_line(question: ComposedQuestion) -> dict[str, Any]:
    """A line of a question file: the fields that `evaluate` reads, and the parts in the shape of
    the `decompose` step.
    """
    return {
        "id": question.composed_id,
        "question": question.question,
        "answers": [question.answer],
        "answer_parts": [[part.answer] for part in question.parts],
        "gold_ids": sorted({part.page_id for part in question.parts}),
        "dataset": f"compound-{len(question.parts)}",
        "entity": question.entity,
        "questions": [
            {"id": str(number), "question": part.question, "needs": []}
            for number, part in enumerate(question.parts, 1)
        ],
    }


def _order(entity: str) -> str:
    return content_id("benchmark", name_key(entity))


def _of_pages(questions: Sequence[ComposedQuestion], most: int) -> list[ComposedQuestion]:
    """The questions all of whose parts are on the first `most` pages by id."""
    pages = sorted({part.page_id for question in questions for part in question.parts})[:most]
    allowed = set(pages)
    return [one for one in questions if allowed.issuperset(part.page_id for part in one.parts)]
