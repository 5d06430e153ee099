"""An example of one ability of the Revelator, as a line of JSON.

    {"step": "route", "question": "Who directed Jaws?", "reply": {"type": "single"},
     "source": "store", "group": "jaws"}

`reply` is exactly what an LLM should answer in that step (docs/answers.md). Examples of one group
share an entity, a page or a template: they belong on one side of any split.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

from factmill.models.answering.decomposing.subquestions import SubQuestion
from factmill.models.answering.example_files import text_field
from factmill.models.answering.relevance.retrieved_document import RetrievedDocument
from factmill.models.answering.routing.route import Route

STEPS = ("route", "decompose", "refine", "relevance", "ending")
_FOLDS = 10


@dataclass(frozen=True, slots=True)
class AbilityExample:
    """`answered` are the steps so far, each with its answer (for refine and ending); `documents`
    are the search results (for relevance).
    """

    step: str
    question: str
    reply: dict[str, Any]
    source: str
    group: str
    answered: tuple[tuple[str, str], ...] = ()
    documents: tuple[RetrievedDocument, ...] = ()

    def as_json(self) -> dict[str, Any]:
        row: dict[str, Any] = {"step": self.step, "question": self.question}
        if self.step in {"refine", "ending"}:
            row["answered"] = [{"question": q, "answer": a} for q, a in self.answered]
        if self.step == "relevance":
            row["documents"] = [
                {name: getattr(document, name) for name in RetrievedDocument.__slots__}
                for document in self.documents
            ]
        return row | {"reply": self.reply, "source": self.source, "group": self.group}

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> AbilityExample:
        """Raises KeyError for a missing field, and ValueError for one of another type."""
        if not isinstance(row["reply"], dict):
            raise ValueError("reply is no object")
        return cls(
            text_field(row, "step"),
            text_field(row, "question"),
            row["reply"],
            text_field(row, "source"),
            text_field(row, "group"),
            tuple(
                (text_field(one, "question"), text_field(one, "answer"))
                for one in _objects(row, "answered")
            ),
            tuple(map(_document, _objects(row, "documents"))),
        )

    @property
    def is_held_out(self) -> bool:
        """Whether its group is in the tenth that figures are measured on."""
        return crc32(self.group.encode("utf-8")) % _FOLDS == 0


def read_route_example(row: Mapping[str, Any]) -> AbilityExample:
    """Raises KeyError for a missing field, and ValueError for a wrong one."""
    example = AbilityExample.from_json(row)
    Route(example.reply["type"])
    return example


def read_relevance_example(row: Mapping[str, Any]) -> AbilityExample:
    """Raises KeyError for a missing field, and ValueError for a wrong one."""
    example = AbilityExample.from_json(row)
    numbers = example.reply["relevant"]
    if not isinstance(numbers, list) or not all(isinstance(one, int) for one in numbers):
        raise ValueError("relevant is no list of numbers")
    if not example.documents:
        raise ValueError("no documents")
    return example


def _objects(row: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """A list of objects, empty if it is missing. Raises ValueError for anything else."""
    objects = row.get(name, [])
    if not isinstance(objects, list) or not all(isinstance(one, dict) for one in objects):
        raise ValueError(f"{name} is no list of objects")
    return objects


def _document(raw: Mapping[str, Any]) -> RetrievedDocument:
    """Raises KeyError for a missing field, and ValueError for one of another type."""
    numbers = {"score": raw["score"], "rank": raw["rank"], "unit_score": raw.get("unit_score", 0.0)}
    for name, value in numbers.items():
        if not isinstance(value, int | float):
            raise ValueError(f"{name} is no number")
    unit = text_field(raw, "unit") if "unit" in raw else ""
    return RetrievedDocument(
        text_field(raw, "title"), text_field(raw, "text"), unit=unit, **numbers
    )


def route_example(question: str, route: Route, source: str, group: str) -> AbilityExample:
    return AbilityExample("route", question, {"type": route.value}, source, group)


def decompose_example(
    question: str, parts: Sequence[SubQuestion], source: str, group: str
) -> AbilityExample:
    questions = [
        {"id": part.id, "question": part.question, "needs": list(part.needs)} for part in parts
    ]
    return AbilityExample("decompose", question, {"questions": questions}, source, group)


def relevance_example(
    question: str, documents: Sequence[RetrievedDocument], relevant: Sequence[int],
    source: str, group: str,
) -> AbilityExample:  # fmt: skip
    """`relevant` are positions in the documents; the reply numbers them from 1."""
    reply = {"relevant": [position + 1 for position in relevant]}
    return AbilityExample("relevance", question, reply, source, group, documents=tuple(documents))


def without_repeats(examples: Iterable[AbilityExample]) -> Iterator[AbilityExample]:
    """The examples without repeated questions of one step with the same answered steps, ignoring
    case.
    """
    seen = set()
    for example in examples:
        key = (example.step, example.question.casefold().strip(" ?"), example.answered)
        if key not in seen:
            seen.add(key)
            yield example


def lines(examples: Iterable[AbilityExample]) -> str:
    """The examples as JSONL."""
    return "".join(json.dumps(one.as_json(), ensure_ascii=False) + "\n" for one in examples)
