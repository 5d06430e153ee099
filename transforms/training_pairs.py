"""Training pairs for the hash head, from the build itself: a question and its source unit.

Where a corpus yields few questions, propositions stand in for them, with the segment they come from
as source unit (HASH-RAG trains on propositions alone).
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from models.encoder import Encoder, segment_text, unit_text
from models.hash_training import Pairs
from schemas.ids import content_id
from schemas.layout import BuildDir
from transforms.shards import column_map, read_batches

MAX_PAIRS = 6000


@dataclass(frozen=True, slots=True, order=True)
class TextPair:
    """`rank` is a hash of the unit's id: the pairs with the lowest ranks are the sample, the same
    on every machine and however the shards are read."""

    rank: str
    query: str
    unit_id: str
    unit: str


def text_pairs(build: BuildDir, shards: int, limit: int = MAX_PAIRS) -> list[TextPair]:
    """At most `limit` pairs with distinct units: questions first, then propositions."""
    questions = _sample(_pairs(build, shards, questions=True), limit)
    return questions + _sample(_pairs(build, shards, questions=False), limit - len(questions))


def _sample(pairs: Iterable[TextPair], limit: int) -> list[TextPair]:
    """The pairs with the lowest ranks, one a unit. Holds a few times `limit` pairs at most."""
    lowest: dict[str, TextPair] = {}
    for pair in pairs:
        if pair.unit_id not in lowest or pair < lowest[pair.unit_id]:
            lowest[pair.unit_id] = pair
        if len(lowest) > 4 * limit + 1000:
            lowest = {kept.unit_id: kept for kept in heapq.nsmallest(limit, lowest.values())}
    return heapq.nsmallest(limit, lowest.values())


def _pairs(build: BuildDir, shards: int, questions: bool) -> Iterator[TextPair]:
    for shard in range(shards):
        titles = column_map(build.part("10_pages", shard), "page_id", "title")
        if questions:
            yield from _question_pairs(build, shard, titles)
        else:
            yield from _proposition_pairs(build, shard, titles)


def _question_pairs(build: BuildDir, shard: int, titles: dict[str, str]) -> Iterator[TextPair]:
    texts = column_map(build.part("20_propositions", shard), "unit_id", "text")
    columns = ["unit_id", "page_id", "question", "proposition_ids"]
    for batch in read_batches(build.part("21_qa_pairs", shard), columns):
        for row in batch.to_pylist():
            if row["proposition_ids"]:
                source = row["proposition_ids"][0]
                text = unit_text(titles[row["page_id"]], texts[source])
                yield TextPair(content_id("sample", row["unit_id"]), row["question"], source, text)


def _proposition_pairs(build: BuildDir, shard: int, titles: dict[str, str]) -> Iterator[TextPair]:
    texts = column_map(build.part("11_segments", shard), "segment_id", "text")
    columns = ["unit_id", "page_id", "segment_id", "text"]
    for batch in read_batches(build.part("20_propositions", shard), columns):
        for row in batch.to_pylist():
            source = row["segment_id"]
            text = segment_text(titles[row["page_id"]], texts[source])
            yield TextPair(content_id("sample", row["unit_id"]), row["text"], source, text)


def encode_pairs(pairs: Sequence[TextPair], encoder: Encoder) -> Pairs:
    """Vectors of the queries and of their units."""
    return Pairs(
        encoder.encode([pair.query for pair in pairs]),
        encoder.encode([pair.unit for pair in pairs]),
    )
