"""The sample of a build and its questions as vectors: the examples that the hash head learns from.

What is encoded of the units is left in the build's working folder, so that the job encode does not
encode it again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from models.encoder import Encoder, Floats
from models.hard_negatives import hard_negatives
from models.hash_training import Examples, Rows
from schemas.layout import BuildDir
from transforms.known_vectors import known_to_parent, save_vectors
from transforms.training_sample import SampledUnit, own_questions, pages_of, sample_units

_NEGATIVES = 32
# Rows of a labelled page that count as answers: the nearest to the question.
_SOURCES_PER_PAGE = 2
# How often a labelled question counts: it was asked by a person, the others were made from units.
_LABELLED_WEIGHT = 10


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """A question and the pages that answer it, by page id or source id."""

    text: str
    gold_ids: frozenset[str]


@dataclass(frozen=True, slots=True)
class BuildExamples:
    """Examples with the texts that their vectors are of: `unit_texts` as the units, `query_texts`
    as the queries. `labelled` counts the labelled questions that have a page in the build."""

    vectors: Examples
    unit_texts: list[str]
    query_texts: list[str]
    labelled: int


def encode_sample(
    build: BuildDir, parent: BuildDir | None, encoder: Encoder, sample: Sequence[SampledUnit]
) -> Floats:
    """Vectors of the sample, shape (n, dimension), rounded to half precision as the tables hold
    them; those that the parent build has are not encoded."""
    vectors = np.empty((len(sample), encoder.dimension), dtype=np.float16)
    by_shard: dict[int, list[int]] = defaultdict(list)
    for place, sampled in enumerate(sample):
        by_shard[sampled.shard].append(place)
    missing: list[int] = []
    for shard, places in by_shard.items():
        known = known_to_parent(parent, shard, encoder.fingerprint)
        if known is None:
            missing += places
            continue
        found = known.find([sample[place].unit.unit_id for place in places])
        for place, row in zip(places, found, strict=True):
            if row < 0:
                missing.append(place)
            else:
                vectors[place] = known.vectors[row]
    if missing:
        texts = list(dict.fromkeys(sample[place].unit.text for place in missing))
        encoded = dict(zip(texts, encoder.encode(texts).astype(np.float16), strict=True))
        for place in missing:
            vectors[place] = encoded[sample[place].unit.text]
    save_vectors(build, encoder.fingerprint, [s.unit.unit_id for s in sample], vectors)
    return vectors.astype(np.float32)


def build_examples(
    build: BuildDir,
    shards: int,
    encoder: Encoder,
    labelled: Sequence[LabelledQuestion] = (),
    parent: BuildDir | None = None,
) -> BuildExamples:
    """The examples of a build, from its own questions and labelled ones."""
    own = own_questions(build, shards)
    pages = pages_of(build, shards, frozenset().union(*(q.gold_ids for q in labelled)))
    gold = [
        sorted({page for name in question.gold_ids for page in pages.get(name, ())})
        for question in labelled
    ]
    wanted = frozenset(source for question in own for source in question.sources)
    sample = sample_units(build, shards, wanted, frozenset().union(*gold))
    units = encode_sample(build, parent, encoder, sample)
    places = {sampled.unit.unit_id: place for place, sampled in enumerate(sample)}
    groups, rows_of_page = _groups(sample)

    texts: list[str] = []
    text_of: list[int] = []
    sources: list[int] = []
    for question in own:
        texts.append(question.text)
        found = [places[source] for source in question.sources if source in places]
        text_of += [len(texts) - 1] * len(found)
        sources += found
    answered = [
        (question.text, page) for question, page in zip(labelled, gold, strict=True) if page
    ]
    texts += [text for text, _ in answered]
    vectors = encoder.encode(texts)
    for number, (_, page_ids) in enumerate(answered, len(own)):
        for page in page_ids:
            rows = rows_of_page.get(page, [])
            nearest = np.argsort(-(units[rows] @ vectors[number]), kind="stable")
            for place in nearest[:_SOURCES_PER_PAGE]:
                text_of += [number] * _LABELLED_WEIGHT
                sources += [rows[place]] * _LABELLED_WEIGHT

    source = np.array(sources, dtype=np.int64)
    # Equal queries of one source page have equal negatives: found once.
    keys, first, where = np.unique(
        np.stack([np.array(text_of, dtype=np.int64), groups[source]], axis=1),
        axis=0, return_index=True, return_inverse=True,
    )  # fmt: skip
    negatives = hard_negatives(
        vectors[keys[:, 0]], units, groups, groups[source[first]], _NEGATIVES
    )[where.ravel()]
    return BuildExamples(
        Examples(units, groups, vectors[text_of], source, negatives),
        [sampled.unit.text for sampled in sample],
        [texts[number] for number in text_of],
        len(answered),
    )


def _groups(sample: Sequence[SampledUnit]) -> tuple[Rows, dict[str, list[int]]]:
    """A number for each unit's page, and the places of each page's units."""
    numbers: dict[str, int] = {}
    rows: dict[str, list[int]] = defaultdict(list)
    groups = np.empty(len(sample), dtype=np.int64)
    for place, sampled in enumerate(sample):
        page = sampled.unit.page_id
        groups[place] = numbers.setdefault(page, len(numbers))
        rows[page].append(place)
    return groups, rows
