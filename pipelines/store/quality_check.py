"""The quality check: a build that finds less than the published one is not published.

Both indexes are asked the same questions now; the figures are kept in the build,
`60_quality/recall.json`. The check fails when mean recall falls by more than is allowed. A single
question is not evidence unless it is the only one: with few questions its loss would be a large
fall, and pages do disappear.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from factmill.models.text.gold_ids import GoldMatch
from factmill.pipelines.store.publish_checks import QualityCheck
from factmill.runtime.evaluate import Question, gold_in, question_scores, read_questions
from factmill.runtime.index import Index
from factmill.runtime.opening import open_build
from factmill.schemas.errors import FactmillError
from factmill.schemas.layout import BuildDir, Store
from factmill.schemas.storage.atomic import write_text
from factmill.schemas.storage.paths import StoragePath

QUALITY = "60_quality"
_DEPTH = 20
_QUESTIONS_PER_BATCH = 256
# The report names at most this many questions that got worse.
_NAMED = 100
# Recall is a ratio of small numbers: smaller differences are rounding.
_EPSILON = 1e-9


@dataclass(frozen=True, slots=True)
class QualityVerdict:
    """Recall at 20 of each question, in the build and in the published one; `before` is empty when
    there was no published build to ask. `gold` says how many gold ids name pages of either build.
    """

    questions: Sequence[Question]
    before: Sequence[float]
    after: Sequence[float]
    max_drop: float
    compared_with: str | None
    gold: GoldMatch

    @property
    def worse(self) -> list[str]:
        """Ids of the questions that find less than before."""
        pairs = zip(self.questions, self.before, self.after, strict=False)
        return [question.id for question, was, now in pairs if now < was - _EPSILON]

    @property
    def fell(self) -> bool:
        """Whether recall fell too much to publish the build."""
        if not self.before:
            return False
        drop = _mean(self.before) - _mean(self.after)
        return drop > self.max_drop + _EPSILON and len(self.worse) >= min(2, len(self.questions))

    @property
    def passed(self) -> bool:
        """Whether the build may be published."""
        return self.gold.measures and not self.fell

    def line(self) -> str:
        """Why it did not pass, for a person."""
        if not self.gold.measures:
            return f"the quality check measured nothing: only {self.gold.line()}"
        return (
            f"recall@{_DEPTH} fell from {_mean(self.before):.3f} to {_mean(self.after):.3f}"
            f" on {len(self.questions)} questions, by more than {self.max_drop:g}"
        )

    def as_json(self) -> dict[str, Any]:
        """The figures as stored in the build."""
        return {
            "depth": _DEPTH,
            "questions": len(self.questions),
            "gold_ids": self.gold.total,
            "gold_ids_found": self.gold.found,
            "compared_with": self.compared_with,
            "before": round(_mean(self.before), 4) if self.before else None,
            "after": round(_mean(self.after), 4),
            "max_drop": self.max_drop,
            "fell": self.fell,
            "worse": len(self.worse),
            "worse_ids": self.worse[:_NAMED],
        }

    def save(self, build: BuildDir) -> StoragePath:
        """Write the figures into the build."""
        path = build.root / QUALITY / "recall.json"
        write_text(path, json.dumps(self.as_json(), ensure_ascii=False, indent=1) + "\n")
        return path


def judge(check: QualityCheck, new: Index, store: Store) -> QualityVerdict:
    """Ask the new index and the published one. A published index that cannot be opened or searched
    is not worth keeping, so it is not compared with.
    """
    questions = read_questions(check.questions)
    after = recalls(new, questions)
    try:
        published = store.published()
        old = open_build(published, like=new)
        before = recalls(old, questions)
        gold = gold_in([new, old], questions)
        compared_with: str | None = published.build_id
    except FactmillError:
        before, compared_with = [], None
        gold = gold_in([new], questions)
    return QualityVerdict(questions, before, after, check.max_drop, compared_with, gold)


def recalls(index: Index, questions: Sequence[Question]) -> list[float]:
    """The share of each question's gold pages among the first hits."""
    found = []
    for start in range(0, len(questions), _QUESTIONS_PER_BATCH):
        batch = questions[start : start + _QUESTIONS_PER_BATCH]
        answers = index.search_many([question.text for question in batch], _DEPTH)
        for question, hits in zip(batch, answers, strict=True):
            found.append(question_scores(question, hits, (_DEPTH,))[f"recall@{_DEPTH}"])
    return found


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
