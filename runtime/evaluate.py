"""Recall of the index on a question file, and TREC run files for other tools.

`recall@k` is the share of a question's gold pages among the top k pages; `complete_recall@k` tells
whether all of them are; `answer_recall@k` whether one of the top k segments contains an answer.
`ndcg@10` and `mrr` have binary relevance. All are means over questions.
"""

from __future__ import annotations

import bz2
import gzip
import json
import math
import re
import zlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TextIO, TypeVar

from factmill.models.text.gold_ids import GoldIds, GoldMatch
from factmill.runtime.crag_questions import asked_at, crag_fields, is_crag
from factmill.runtime.index import Hit, Index
from factmill.runtime.query_checks import check_query
from factmill.runtime.search.scoring import DEFAULT_SCORING, Scoring
from factmill.schemas.errors import OptionError
from factmill.schemas.storage.atomic import whole_file
from factmill.schemas.storage.paths import StoragePath, local_copy

T = TypeVar("T")
# Figures by name, of all questions and of each data set.
Figures = dict[str, dict[str, float]]

_QUESTIONS_PER_BATCH = 256
_BLANK = re.compile(r"\s")


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its gold data. `gold_ids` are source ids, page ids or URLs; `answers` may be
    empty. `asked_at` is when it was asked, None for now. A question that asks several things has
    `answer_parts`: the right answers of each part.
    """

    id: str
    text: str
    answers: tuple[str, ...]
    gold_ids: frozenset[str]
    dataset: str
    asked_at: datetime | None = None
    answer_parts: tuple[tuple[str, ...], ...] = ()


def read_questions(
    path: StoragePath, option: str = "--questions", needs_gold: bool = True
) -> list[Question]:
    """Read a question file. Raises OptionError, with the option and the line, for an invalid line.
    `needs_gold`: every question must have gold ids.
    """
    questions = []
    try:
        with _opened(path) as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    where = f"{option} {path}, line {number}"
                    questions.append(_question(line, where, needs_gold))
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise OptionError(f"{option} {path}: {error}") from None
    if not questions:
        raise OptionError(f"{option} {path}: the file has no questions")
    return questions


def _opened(path: StoragePath) -> TextIO:
    """The open file, decompressed. It is read line by line: CRAG's lines contain whole pages."""
    local = local_copy(path)
    if path.name.endswith(".bz2"):
        return bz2.open(local, "rt", encoding="utf-8")
    if path.name.endswith(".gz"):
        return gzip.open(local, "rt", encoding="utf-8")
    return local.open(encoding="utf-8")


def _question(line: str, where: str, needs_gold: bool) -> Question:
    """Raises OptionError for an invalid line."""
    try:
        raw = json.loads(line)
        if not isinstance(raw, dict):
            raise TypeError(f"a JSON {type(raw).__name__}, not an object")
        at = asked_at(raw)
        if is_crag(raw):
            raw = crag_fields(raw)
        question = Question(
            str(raw["id"]), str(raw["question"]),
            tuple(map(str, _list(raw.get("answers") or []))),
            frozenset(map(str, _list(_gold(raw, needs_gold)))), str(raw.get("dataset") or ""), at,
            tuple(tuple(map(str, _list(part))) for part in _list(raw.get("answer_parts") or [])),
        )  # fmt: skip
        check_query(question.text)
    except OptionError as error:
        raise OptionError(f"{where}: {error}") from None
    except json.JSONDecodeError as error:
        raise OptionError(
            f"{where}: not a question (not JSON: {error.msg}, column {error.colno})"
        ) from None
    except KeyError as error:
        raise OptionError(f"{where}: not a question (no {error.args[0]})") from None
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise OptionError(f"{where}: not a question ({error})") from None
    return question


def _gold(raw: dict[str, Any], needed: bool) -> Any:
    return raw["gold_ids"] if needed else raw.get("gold_ids") or []


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(f"{value!r} is not a list")
    return value


def gold_in(indexes: Iterable[Index], questions: Iterable[Question]) -> GoldMatch:
    """The number of gold ids of the questions, and how many of them name a page of an index."""
    wanted = GoldIds(name for question in questions for name in question.gold_ids)
    found: set[str] = set()
    for index in indexes:
        for names in index.page_names():
            found |= wanted.of_page(*names)
    return GoldMatch(len(wanted), len(found))


def evaluate(
    index: Index,
    questions: Sequence[Question],
    depths: Sequence[int],
    run: Path | None = None,
    scoring: Scoring = DEFAULT_SCORING,
) -> Figures:
    """Metrics for all questions and for each data set; writes a TREC run file if asked."""
    depth = max(*depths, 10)
    scores: list[dict[str, float]] = []
    lines: list[str] = []
    for start in range(0, len(questions), _QUESTIONS_PER_BATCH):
        batch = questions[start : start + _QUESTIONS_PER_BATCH]
        texts = [question.text for question in batch]
        found = index.search_many(texts, depth, scoring)
        for question, hits in zip(batch, found, strict=True):
            scores.append(question_scores(question, hits, depths))
            lines.extend(_run_lines(question, hits, scoring.relevance))
    if run is not None:
        with whole_file(run) as temporary:
            temporary.write_text("".join(lines), encoding="utf-8")
    return mean_figures(questions, scores)


def question_scores(
    question: Question, hits: Sequence[Hit], depths: Sequence[int]
) -> dict[str, float]:
    """All metrics of one question."""
    # Pages that share a source id share a gold id, which counts once.
    gold: list[frozenset[str]] = []
    found_before: set[str] = set()
    gold_ids = GoldIds(question.gold_ids)
    for hit in hits:
        named = gold_ids.of_page(hit.page_id, hit.source_id, hit.url)
        gold.append(named - found_before)
        found_before |= gold[-1]
    answers = [normalised(answer) for answer in question.answers if normalised(answer)]
    holds = [any(answer in normalised(hit.text) for answer in answers) for hit in hits]
    scores: dict[str, float] = {}
    for depth in depths:
        found = set().union(*gold[:depth])
        scores[f"recall@{depth}"] = (
            len(found) / len(question.gold_ids) if question.gold_ids else 0.0
        )
        scores[f"complete_recall@{depth}"] = float(
            bool(question.gold_ids) and len(found) == len(question.gold_ids)
        )
        scores[f"answer_recall@{depth}"] = float(any(holds[:depth]))
    first = next((rank for rank, relevant in enumerate(gold, 1) if relevant), None)
    scores["mrr"] = 1.0 / first if first else 0.0
    gain = sum(1.0 / math.log2(rank + 1) for rank, hit in enumerate(gold[:10], 1) if hit)
    ideal = sum(1.0 / math.log2(rank + 1) for rank in range(1, min(10, len(question.gold_ids)) + 1))
    scores["ndcg@10"] = gain / ideal if ideal else 0.0
    return scores


def normalised(text: str) -> str:
    """Lower case, punctuation as blanks, one blank between words and around the whole."""
    words = re.findall(r"\w+", text.lower())
    return f" {' '.join(words)} " if words else ""


def by_dataset(questions: Sequence[Question], rows: Sequence[T]) -> dict[str, list[T]]:
    """The rows of questions, one each: all of them as "all", and those of each data set."""
    groups: dict[str, list[T]] = defaultdict(list)
    for question, row in zip(questions, rows, strict=True):
        groups["all"].append(row)
        if question.dataset and question.dataset != "all":
            groups[question.dataset].append(row)
    return groups


def mean_figures(questions: Sequence[Question], rows: Sequence[dict[str, float]]) -> Figures:
    """Means of the figures of questions, over all and over each data set, with their number."""
    return {group: _means(of_group) for group, of_group in by_dataset(questions, rows).items()}


def _means(rows: Sequence[dict[str, float]]) -> dict[str, float]:
    means = {name: sum(row[name] for row in rows) / len(rows) for name in rows[0]}
    return {name: round(mean, 4) for name, mean in means.items()} | {"questions": len(rows)}


def _run_lines(question: Question, hits: Sequence[Hit], relevance: bool) -> list[str]:
    """The lines of a TREC run file; blanks in ids become underscores, as its fields have none. With
    relevance, the order is not that of the scores, by which trec_eval sorts: numbers that count
    down stand for them.
    """
    name = _BLANK.sub("_", question.id)
    return [
        f"{name} Q0 {_BLANK.sub('_', hit.source_id)} {hit.rank} {score:.6f} factmill\n"
        for hit in hits
        for score in [len(hits) + 1 - hit.rank if relevance else hit.score]
    ]
