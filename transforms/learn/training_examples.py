"""The training examples of the hash head: a sample of the build and its questions, as vectors.

    gather_examples (texts) -> encode_sample, questions (vectors) -> pairs -> hard negatives

Vectors of units are left in the build's working folder, so that the job encode need not compute
them again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from factmill.models.arrays import Floats, Halves
from factmill.models.codes.hard_negatives import hard_negatives
from factmill.models.codes.hash_examples import Examples, Rows
from factmill.models.encoding.device import best_device
from factmill.models.encoding.encoder import Encoder
from factmill.schemas.ids import content_id
from factmill.schemas.layout import BuildDir
from factmill.transforms.encode.reused_vectors import (
    StoredVectors,
    reusable_vectors,
    save_vectors,
    saved_vectors,
)
from factmill.transforms.learn.sample_sizes import SampleSizes
from factmill.transforms.learn.training_sample import (
    SampledUnit,
    SourcedQuestion,
    gold_pages_of,
    own_questions,
    sample_units,
)

_NEGATIVES = 32
# How many rows of a labelled page count as answers: those nearest to the question.
_SOURCES_PER_PAGE = 2
# The weight of a labelled question: a person asked it, the others were made from units.
_LABELLED_WEIGHT = 10


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """A question and the pages that answer it, by page id or source id."""

    text: str
    gold_ids: frozenset[str]


@dataclass(frozen=True, slots=True)
class Gathered:
    """The texts to learn from: the sample of units, the build's own questions, and labelled ones,
    each with one or more pages of the build that answer it.
    """

    units: list[SampledUnit]
    own: list[SourcedQuestion]
    labelled: list[tuple[str, list[str]]]

    @property
    def questions(self) -> list[str]:
        """The build's own, then the labelled ones."""
        return [question.text for question in self.own] + [text for text, _ in self.labelled]


@dataclass(frozen=True, slots=True)
class BuildExamples:
    """Examples with their texts: `unit_texts` of the units, `query_texts` of the queries. One
    question is the query of several examples; `questions` has each question's vector once.
    """

    vectors: Examples
    unit_texts: list[str]
    query_texts: list[str]
    questions: Floats


def gather_examples(
    build: BuildDir,
    shards: int,
    sizes: SampleSizes,
    labelled: Sequence[LabelledQuestion],
) -> Gathered:
    """Questions about a build, and the sample with all units that may answer them."""
    own = own_questions(build, shards, sizes.questions)
    gold = _about_few_pages(with_pages(build, shards, labelled), sizes.labelled_pages)
    units = sample_units(
        build,
        shards,
        frozenset(source for question in own for source in question.sources),
        frozenset(page for _, found in gold for page in found),
        sizes.units,
    )
    return Gathered(units, own, gold)


def _about_few_pages(
    labelled: list[tuple[str, list[str]]], limit: int
) -> list[tuple[str, list[str]]]:
    """The labelled questions with the lowest hashes, in order, as long as they are about at most
    `limit` pages; at least one.
    """
    pages: set[str] = set()
    kept: set[str] = set()
    for question, found in sorted(labelled, key=lambda one: content_id("sample", one[0])):
        if kept and len(pages.union(found)) > limit:
            break
        pages.update(found)
        kept.add(question)
    return [(question, found) for question, found in labelled if question in kept]


def with_pages(
    build: BuildDir, shards: int, labelled: Sequence[LabelledQuestion]
) -> list[tuple[str, list[str]]]:
    """Labelled questions that pages of the build answer, with these pages."""
    pages = gold_pages_of(build, shards, frozenset().union(*(q.gold_ids for q in labelled)))
    gold = [
        (
            question.text,
            sorted({page for name in question.gold_ids for page in pages.get(name, ())}),
        )
        for question in labelled
    ]
    return [(text, found) for text, found in gold if found]


def encode_sample(
    build: BuildDir,
    parent: BuildDir | None,
    encoder: Encoder,
    sample: Sequence[SampledUnit],
    questions: Sequence[str],
) -> tuple[Floats, Floats]:
    """Vectors of the sample, shape (n, dimension), rounded to half precision as in the tables, and
    of the questions. Vectors of the parent build, or left by a killed run, are reused; all others
    are encoded together with the questions.
    """
    stored = _stored_vectors(build, parent, encoder.fingerprint, sample)
    missing = [row for row in range(len(sample)) if row not in stored]
    texts = list(dict.fromkeys([*(sample[row].unit.text for row in missing), *questions]))
    encoded = encoder.encode(texts)
    number = {text: index for index, text in enumerate(texts)}
    vectors = np.empty((len(sample), encoded.shape[1]), dtype=np.float16)
    vectors[missing] = encoded[[number[sample[row].unit.text] for row in missing]]
    for row, vector in stored.items():
        vectors[row] = vector
    save_vectors(build, encoder.fingerprint, [s.unit.unit_id for s in sample], vectors)
    return vectors.astype(np.float32), encoded[[number[text] for text in questions]]


def _stored_vectors(
    build: BuildDir, parent: BuildDir | None, encoder: str, sample: Sequence[SampledUnit]
) -> dict[int, Halves]:
    """The available vectors of this encoder, by row of the sample."""
    by_shard: dict[int, list[int]] = defaultdict(list)
    for row, sampled in enumerate(sample):
        by_shard[sampled.shard].append(row)
    stored: dict[int, Halves] = {}

    def find(vectors: StoredVectors | None, rows: Sequence[int]) -> None:
        if vectors is not None:
            where = vectors.find([sample[row].unit.unit_id for row in rows])
            found = np.flatnonzero(where >= 0)
            # A copy, so that the whole shard's array can be freed.
            taken = vectors.vectors[where[found]]
            stored.update(zip((rows[number] for number in found.tolist()), taken, strict=True))

    for shard, rows in by_shard.items():
        find(reusable_vectors(parent, shard, encoder), rows)
    find(saved_vectors(build, encoder), range(len(sample)))
    return stored


def build_examples(
    build: BuildDir, encoder: Encoder, gathered: Gathered, parent: BuildDir | None
) -> BuildExamples:
    """Vectors of the gathered texts, as pairs of a question and its source, with hard negatives."""
    texts = gathered.questions
    units, questions = encode_sample(build, parent, encoder, gathered.units, texts)
    groups, rows_of_page = _groups(gathered.units)
    pairs = [*_own_pairs(gathered), *_labelled_pairs(gathered, rows_of_page, questions, units)]
    asked = np.array([question for question, _ in pairs], dtype=np.int64)
    source = np.array([row for _, row in pairs], dtype=np.int64)
    negatives = _negatives(questions, units, groups, asked, source)
    return BuildExamples(
        Examples(units, groups, questions[asked], source, negatives),
        [sampled.unit.text for sampled in gathered.units],
        [texts[question] for question in asked],
        questions,
    )


def _own_pairs(gathered: Gathered) -> Iterator[tuple[int, int]]:
    """Number of a question and row of a unit that answers it."""
    rows = {sampled.unit.unit_id: row for row, sampled in enumerate(gathered.units)}
    for number, question in enumerate(gathered.own):
        for source in question.sources:
            if source in rows:
                yield number, rows[source]


def _labelled_pairs(
    gathered: Gathered, rows_of_page: dict[str, list[int]], questions: Floats, units: Floats
) -> Iterator[tuple[int, int]]:
    """As `_own_pairs`: the rows nearest to a question, for each page that answers it."""
    for number, (_, pages) in enumerate(gathered.labelled, len(gathered.own)):
        for page in pages:
            rows = rows_of_page.get(page, [])
            nearest = np.argsort(-(units[rows] @ questions[number]), kind="stable")
            for index in nearest[:_SOURCES_PER_PAGE]:
                yield from [(number, rows[index])] * _LABELLED_WEIGHT


def _negatives(questions: Floats, units: Floats, groups: Rows, asked: Rows, source: Rows) -> Rows:
    """Hard negatives of each pair. Equal questions with one source page share theirs."""
    keys, first, where = np.unique(
        np.stack([asked, groups[source]], axis=1), axis=0, return_index=True, return_inverse=True
    )
    found = hard_negatives(
        questions[keys[:, 0]], units, groups, groups[source[first]], _NEGATIVES, best_device()
    )
    return found[where.ravel()]


def _groups(sample: Sequence[SampledUnit]) -> tuple[Rows, dict[str, list[int]]]:
    """A number for each unit's page, and the rows of each page's units."""
    numbers: dict[str, int] = {}
    rows: dict[str, list[int]] = defaultdict(list)
    groups = np.empty(len(sample), dtype=np.int64)
    for index, sampled in enumerate(sample):
        page = sampled.unit.page_id
        groups[index] = numbers.setdefault(page, len(numbers))
        rows[page].append(index)
    return groups, rows
