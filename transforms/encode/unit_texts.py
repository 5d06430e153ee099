"""The texts to encode for a shard: segments, propositions, QA pairs, each with its context.

The context is the page's title and the segment's heading. Units are stored without it, because it
is shown beside them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from factmill.models.encoding.encoder import headed_text, segment_text, unit_text
from factmill.schemas.layout import BuildDir
from factmill.schemas.records import UnitKind
from factmill.transforms.tasks.shard_files import column_map, read_batches

# Tables that the texts come from.
TABLES = ("10_pages", "11_segments", "20_propositions", "21_qa_pairs")


@dataclass(frozen=True, slots=True)
class UnitText:
    """A future row of `40_vectors`."""

    unit_id: str
    page_id: str
    kind: UnitKind
    text: str


def unit_texts(
    build: BuildDir, shard: int, wanted: Collection[str] | None = None
) -> Iterator[UnitText]:
    """Everything in a shard that gets a vector, or only the `wanted` ids; a QA pair's text is its
    question and answer.
    """
    ids = None if wanted is None else pa.array(list(wanted), pa.string())
    titles = column_map(build.part("10_pages", shard), "page_id", "title")
    path = build.part("11_segments", shard)
    headings = column_map(path, "segment_id", "heading")
    for batch in read_batches(path, ["segment_id", "page_id", "heading", "text"]):
        for row in _of(batch, ids):
            text = headed_text(row["heading"], row["text"])
            text = segment_text(titles[row["page_id"]], text)
            yield UnitText(row["segment_id"], row["page_id"], "segment", text)
    path = build.part("20_propositions", shard)
    for batch in read_batches(path, ["unit_id", "page_id", "segment_id", "text"]):
        for row in _of(batch, ids):
            text = headed_text(headings[row["segment_id"]], row["text"])
            text = unit_text(titles[row["page_id"]], text)
            yield UnitText(row["unit_id"], row["page_id"], "proposition", text)
    path = build.part("21_qa_pairs", shard)
    for batch in read_batches(path, ["unit_id", "page_id", "segment_id", "question", "answer"]):
        for row in _of(batch, ids):
            text = headed_text(headings[row["segment_id"]], f"{row['question']} {row['answer']}")
            text = unit_text(titles[row["page_id"]], text)
            yield UnitText(row["unit_id"], row["page_id"], "qa_pair", text)


def unit_ids(build: BuildDir, shard: int) -> Iterator[str]:
    """The ids of everything in a shard that gets a vector."""
    tables = (
        ("11_segments", "segment_id"),
        ("20_propositions", "unit_id"),
        ("21_qa_pairs", "unit_id"),
    )
    for table, column in tables:
        for batch in read_batches(build.part(table, shard), [column]):
            yield from batch[column].to_pylist()


def _of(batch: pa.RecordBatch, ids: pa.Array | None) -> list[dict[str, Any]]:
    """The rows of a batch whose first column is one of these ids; all rows without ids."""
    if ids is not None:
        batch = batch.filter(pc.is_in(batch.column(0), ids))
    rows: list[dict[str, Any]] = batch.to_pylist()
    return rows
