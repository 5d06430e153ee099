"""QA pairs to `22_composed_questions`, in three steps; only numbers pass between them.

21_qa_pairs --read--> atomic questions with the name each is about, by shard
            --link--> groups: questions about one entity, chains; by shard of their first pair
            --compose--> rows
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

import apache_beam as beam
import pyarrow.parquet as pq

from factmill.models.composing.answer_description import description
from factmill.models.composing.chained_question import bridge_name, can_follow, chain
from factmill.models.composing.composition import Composition, joined_answer
from factmill.models.composing.compound_question import compounds
from factmill.models.composing.parsed_question import (
    AtomicPair,
    ParsedQuestion,
    name_key,
    read_question,
)
from factmill.models.text.titles import read_title
from factmill.schemas.ids import composed_question_id
from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import StageCounts
from factmill.schemas.records import ComposedPart, ComposedQuestion
from factmill.schemas.storage.atomic import whole_file
from factmill.schemas.storage.paths import local_copy
from factmill.transforms.compose.link_questions import (
    QUESTIONS,
    TITLES,
    LinkablePair,
    PageName,
    link_questions,
    questions_file,
)
from factmill.transforms.tasks.run_tasks import RunTasks, wait_for
from factmill.transforms.tasks.shard_files import (
    ShardWriter,
    column_map,
    read_rows,
    shard_writers,
)

QUESTIONS_READ, QUESTIONS_LINKED, COMPOSE_STAGE = "compose-read", "compose-linked", "compose"
TABLE = "22_composed_questions"
# The maximum number of rows of one page and kind: the first by id, which is a content hash.
MAX_OF_PAGE = 12

# By page and kind, then by question.
_Kept = dict[tuple[str, str], dict[str, ComposedQuestion]]


@dataclass(frozen=True, slots=True)
class ReadQuestions:
    """Find the subject of each question of a shard."""

    build: BuildDir

    def __call__(self, shard: int) -> StageCounts:
        found = column_map(self.build.part("10_pages", shard), "page_id", "title")
        titles = {page: read_title(title) for page, title in found.items()}
        with whole_file(questions_file(self.build, "titles", shard)) as temporary:
            writer = ShardWriter(temporary, TITLES)
            writer.add(
                PageName(page, name_key(title.name), title.shared) for page, title in titles.items()
            )
            writer.close()
        columns = ["unit_id", "page_id", "question", "answer"]
        with whole_file(questions_file(self.build, "questions", shard)) as temporary:
            writer = ShardWriter(temporary, QUESTIONS)
            for row in read_rows(self.build.part("21_qa_pairs", shard), columns):
                title = titles[row["page_id"]]
                asked = read_question(row["question"], title)
                if asked:
                    writer.add([_question(row, shard, asked, name_key(title.name))])
            writer.close()
        return StageCounts()


def _question(row: dict[str, Any], shard: int, asked: ParsedQuestion, title: str) -> LinkablePair:
    bridge = bridge_name(row["answer"]) if description(asked, of_person=True) else None
    key = name_key(asked.entity)
    return LinkablePair(
        row["unit_id"], row["page_id"], shard, row["question"], row["answer"],
        asked.start, asked.end, key, key == title, asked.predicate,
        name_key(bridge) if bridge else None, can_follow(asked),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class LinkQuestions:
    """Group related questions over all shards."""

    build: BuildDir
    shards: int

    def __call__(self, _task: int) -> StageCounts:
        link_questions(self.build, self.shards)
        return StageCounts()


@dataclass(frozen=True, slots=True)
class ComposeShard:
    """Write the composed questions whose first part is in a shard. Every pair is considered."""

    build: BuildDir
    parent: BuildDir | None = None

    def __call__(self, shard: int) -> StageCounts:
        pages: _Kept = {}
        groups = read_rows(questions_file(self.build, "groups", shard))
        for (kind, _name), rows in groupby(groups, itemgetter("kind", "name")):
            members = list(rows)
            shards = {row["unit_id"]: row["shard"] for row in members}
            for composed in _compose(kind, [_fact(row) for row in members]):
                if shards[composed.parts[0].unit_id] == shard:
                    _keep(pages, _record(composed))
        kinds = {"compound": 0, "chain": 0}
        with shard_writers(self.build, shard, [TABLE], self.parent) as (writer,):
            for page in sorted(pages):
                for record in _first(pages[page].values()):
                    kinds[record.kind] += 1
                    writer.add([record])
        pairs = pq.read_metadata(local_copy(self.build.part("21_qa_pairs", shard))).num_rows
        return StageCounts(pairs, pairs, {}, {TABLE: writer.rows, **kinds})


def _fact(row: dict[str, Any]) -> AtomicPair:
    asked = ParsedQuestion(row["question"], row["start"], row["end"])
    return AtomicPair(row["unit_id"], row["page_id"], asked, row["answer"])


def _compose(kind: str, facts: list[AtomicPair]) -> list[Composition]:
    if kind == "compound":
        return compounds(facts)
    composed = chain(facts)
    return [composed] if composed else []


def _keep(pages: _Kept, record: ComposedQuestion) -> None:
    """Keep a row, and of equal questions of a page the first by id. Bounds the rows waiting for a
    page.
    """
    kept = pages.setdefault((record.page_id, record.kind), {})
    same = kept.get(record.question)
    if same is None or record.composed_id < same.composed_id:
        kept[record.question] = record
    if len(kept) > 4 * MAX_OF_PAGE:
        pages[record.page_id, record.kind] = {row.question: row for row in _first(kept.values())}


def _first(records: Iterable[ComposedQuestion]) -> list[ComposedQuestion]:
    return heapq.nsmallest(MAX_OF_PAGE, records, key=lambda record: record.composed_id)


def _record(composed: Composition) -> ComposedQuestion:
    parts = composed.parts
    return ComposedQuestion(
        composed_question_id(
            composed.kind, composed.question, [part.unit_id for part in parts]
        ),
        parts[0].page_id,
        composed.kind,
        composed.entity,
        composed.question,
        joined_answer(composed.kind, [part.answer for part in parts]),
        tuple(
            ComposedPart(part.unit_id, part.page_id, part.asked.question, part.answer, asked)
            for part, asked in zip(parts, composed.asked, strict=True)
        ),
    )  # fmt: skip


@dataclass(eq=False)
class ComposeQuestions(beam.PTransform):  # type: ignore[misc]
    """(shard, shard) -> shard, once its composed questions are written."""

    build: BuildDir
    shards: int
    parent: BuildDir | None = None

    def expand(self, shards: beam.PCollection) -> beam.PCollection:
        read = shards | "Read questions" >> RunTasks(
            self.build, QUESTIONS_READ, ReadQuestions(self.build)
        )
        link = LinkQuestions(self.build, self.shards)
        compose = ComposeShard(self.build, self.parent)
        linked = (
            shards.pipeline
            | "All questions" >> beam.Create([(0, 0)])
            | "After reading" >> beam.Map(wait_for, beam.pvalue.AsIter(read))
            | "Link questions" >> RunTasks(self.build, QUESTIONS_LINKED, link)
        )
        return (
            shards
            | "After linking" >> beam.Map(wait_for, beam.pvalue.AsIter(linked))
            | "Compose questions" >> RunTasks(self.build, COMPOSE_STAGE, compose)
        )
