"""The texts of the hash head's training sample: questions with the units that answer them, and
further units of the corpus.

Questions are those of the build's own QA pairs; if a corpus yields few, propositions stand in for
them, with their segment as answer (HASH-RAG trains on propositions alone). Samples are the items
with the lowest hashes of their ids: the same on every machine and for any order of shards.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from factmill.models.text.gold_ids import GoldIds
from factmill.schemas.ids import content_id
from factmill.schemas.layout import BuildDir
from factmill.schemas.tables import PAGES_TABLE, PROPOSITIONS_TABLE, QA_PAIRS_TABLE
from factmill.transforms.encode.unit_texts import UnitText, unit_ids, unit_texts
from factmill.transforms.tasks.shard_files import read_rows

# Enough to see whether codes fit; the nightly measurement must be cheap. At most the smallest
# training sample (sample_sizes.py), so that every sample contains what is measured.
MEASURED_QUESTIONS = 250
MEASURED_UNITS = 2_000

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SourcedQuestion:
    """A question; `sources` are the ids of the units that answer it: a proposition and its
    segment.
    """

    text: str
    sources: tuple[str, ...]
    rank: str


@dataclass(frozen=True, slots=True)
class SampledUnit:
    """A unit of the sample and its shard."""

    shard: int
    unit: UnitText


def own_questions(build: BuildDir, shards: int, limit: int) -> list[SourcedQuestion]:
    """At most `limit` questions of the build, at most one per source: QA pairs first, then
    propositions.
    """
    questions = _sample_questions(_of_pairs(build, shards), limit)
    rest = limit - len(questions)
    return questions + _sample_questions(_of_propositions(build, shards), rest)


def sample_units(
    build: BuildDir,
    shards: int,
    wanted: frozenset[str],
    pages: frozenset[str],
    limit: int,
) -> list[SampledUnit]:
    """The units with these ids, all units of these pages, and at most `limit` others."""
    kept: list[SampledUnit] = []

    def others() -> Iterator[SampledUnit]:
        for shard in range(shards):
            for unit in unit_texts(build, shard):
                if unit.unit_id in wanted or unit.page_id in pages:
                    kept.append(SampledUnit(shard, unit))
                else:
                    yield SampledUnit(shard, unit)

    drawn = _lowest(others(), limit, lambda sampled: content_id("sample", sampled.unit.unit_id))
    return kept + drawn


def measured_ids(unit_ids: Iterable[str], questions: Iterable[SourcedQuestion]) -> set[str]:
    """The units for measuring codes with these questions: their answers, and a sample of
    `unit_ids`. It is the same for all units of a build and for its training sample.
    """
    found = set(_lowest(unit_ids, MEASURED_UNITS, lambda unit: content_id("sample", unit)))
    return found.union(source for question in questions for source in question.sources)


def measured_units(
    build: BuildDir, shards: int, questions: Sequence[SourcedQuestion]
) -> list[SampledUnit]:
    """The units of a build with `measured_ids`."""
    every = (unit for shard in range(shards) for unit in unit_ids(build, shard))
    wanted = measured_ids(every, questions)
    return [
        SampledUnit(shard, unit)
        for shard in range(shards)
        for unit in unit_texts(build, shard, wanted)
    ]


def gold_pages_of(build: BuildDir, shards: int, ids: frozenset[str]) -> dict[str, list[str]]:
    """The page ids that gold ids name, by gold id."""
    wanted = GoldIds(ids)
    found: dict[str, list[str]] = {}
    for shard in range(shards):
        for row in read_rows(build.part(PAGES_TABLE, shard), ["page_id", "source_id", "url"]):
            for name in wanted.of_page(row["page_id"], row["source_id"], row["url"]):
                found.setdefault(name, []).append(row["page_id"])
    return found


def _kept_at_once(limit: int) -> int:
    """How many items may be held before the highest are dropped, which bounds memory."""
    return 4 * limit + 1000


def _lowest(items: Iterable[T], limit: int, rank: Callable[[T], str]) -> list[T]:
    """The items with the lowest ranks. Holds a few times `limit` items at most."""
    if limit <= 0:
        for _ in items:
            pass
        return []
    kept: list[tuple[str, int, T]] = []
    for number, item in enumerate(items):
        kept.append((rank(item), number, item))
        if len(kept) > _kept_at_once(limit):
            kept = heapq.nsmallest(limit, kept)
    return [item for _, _, item in heapq.nsmallest(limit, kept)]


def _sample_questions(questions: Iterable[SourcedQuestion], limit: int) -> list[SourcedQuestion]:
    if limit <= 0:
        return []
    lowest: dict[str, SourcedQuestion] = {}
    for question in questions:
        source = question.sources[0]
        if source not in lowest or question.rank < lowest[source].rank:
            lowest[source] = question
        if len(lowest) > _kept_at_once(limit):
            kept = heapq.nsmallest(limit, lowest.values(), key=lambda kept: kept.rank)
            lowest = {question.sources[0]: question for question in kept}
    return heapq.nsmallest(limit, lowest.values(), key=lambda kept: kept.rank)


def _of_pairs(build: BuildDir, shards: int) -> Iterator[SourcedQuestion]:
    columns = ["unit_id", "segment_id", "question", "proposition_ids"]
    for shard in range(shards):
        for row in read_rows(build.part(QA_PAIRS_TABLE, shard), columns):
            sources = (*row["proposition_ids"][:1], row["segment_id"])
            yield SourcedQuestion(row["question"], sources, content_id("sample", row["unit_id"]))


def _of_propositions(build: BuildDir, shards: int) -> Iterator[SourcedQuestion]:
    columns = ["unit_id", "segment_id", "text"]
    for shard in range(shards):
        for row in read_rows(build.part(PROPOSITIONS_TABLE, shard), columns):
            rank = content_id("sample", row["unit_id"])
            yield SourcedQuestion(row["text"], (row["segment_id"],), rank)
