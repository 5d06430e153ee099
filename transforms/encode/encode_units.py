"""Units and segments of a shard to codes and embeddings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from operator import attrgetter

import apache_beam as beam
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from factmill.models.arrays import Codes, Flags, Floats, Integers
from factmill.models.codes.hash_head import HashHead
from factmill.models.encoding.device import cores
from factmill.models.encoding.encoder import Encoder
from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import StageCounts
from factmill.schemas.progress_events import progress_within, report_progress
from factmill.schemas.storage.atomic import same_bytes
from factmill.schemas.storage.paths import local_copy
from factmill.schemas.tables import VECTORS, vectors_schema
from factmill.transforms.encode.reused_vectors import (
    ENCODE_STAGE,
    StoredVectors,
    reusable_vectors,
    saved_vectors,
    unpublished_vectors,
)
from factmill.transforms.encode.unit_texts import TABLES as TEXT_TABLES
from factmill.transforms.encode.unit_texts import UnitText, unit_texts
from factmill.transforms.tasks.reused_files import reuse_shard
from factmill.transforms.tasks.run_tasks import RunTasks
from factmill.transforms.tasks.shard_files import shard_writers

# Large batches, because texts are sorted by length within them.
_TEXTS_PER_BATCH = 8192


def codes_of(head: HashHead, embeddings: Floats) -> Codes:
    """The codes of vectors as they are stored, in float16, so that readers of the table can
    reproduce them."""
    return head.codes(embeddings.astype(np.float16).astype(np.float32))


def vectors_table(
    units: list[UnitText], embeddings: Floats, head: HashHead, codes: Codes | None = None
) -> pa.Table:
    """Rows of `40_vectors`; `codes` that are passed in are those of `codes_of`."""
    stored = embeddings.astype(np.float16)
    if codes is None:
        codes = codes_of(head, embeddings)
    schema = vectors_schema(head.bits, stored.shape[1])
    columns = [
        pa.array([unit.unit_id for unit in units], pa.string()),
        pa.array([unit.page_id for unit in units], pa.string()),
        pa.array([unit.kind for unit in units], pa.string()),
        pa.FixedSizeBinaryArray.from_buffers(
            pa.binary(head.bits // 8), len(units), [None, pa.py_buffer(codes.tobytes())]
        ),
        pa.FixedSizeListArray.from_arrays(
            pa.array(stored.reshape(-1)), type=schema.field("embedding").type
        ),
    ]
    return pa.Table.from_arrays(columns, schema=schema)


@dataclass(frozen=True)
class EncodeShard:
    """Encodes a shard, on `threads` threads (None: one per core). Vectors that the parent build or
    the job learn made with the same encoder are reused, and codes made with the same head too; of
    a build `begun` before and never published, the vectors.
    """

    build: BuildDir
    encoder: Encoder
    parent: BuildDir | None
    threads: int | None
    begun: BuildDir | None = None

    def __call__(self, shard: int) -> StageCounts:
        import torch

        before = torch.get_num_threads()
        torch.set_num_threads(self.threads or cores())
        try:
            return self._encoded(shard)
        finally:
            torch.set_num_threads(before)  # for whatever else this process does

    def _encoded(self, shard: int) -> StageCounts:
        head = HashHead.load(self.build.hash_head)
        same_head = self.parent is not None and same_bytes(
            self.parent.hash_head, self.build.hash_head
        )
        if same_head and reuse_shard(self.build, self.parent, shard, TEXT_TABLES, [VECTORS]):
            rows = pq.read_metadata(local_copy(self.build.part(VECTORS, shard))).num_rows
            return StageCounts(rows, rows, {}, {VECTORS: rows, "reused": rows})
        of_parent = reusable_vectors(self.parent, shard, head.encoder, codes=same_head)
        of_learning = saved_vectors(self.build, head.encoder)
        of_begun = unpublished_vectors(self.begun, shard, head.encoder)
        rows, reused = 0, 0
        schema = vectors_schema(head.bits, head.dimension)
        with shard_writers(self.build, shard, {VECTORS: schema}, self.parent) as (writer,):
            # Equal texts are mostly of one page; keeping pages together puts them into one batch.
            by_page = sorted(unit_texts(self.build, shard), key=attrgetter("page_id"))
            for units in _batches(by_page):
                embeddings = np.empty((len(units), head.dimension), dtype=np.float32)
                missing = np.ones(len(units), dtype=bool)
                taken, found = _take_over(of_parent, units, embeddings, missing)
                reused += len(taken)
                reused += len(_take_over(of_begun, units, embeddings, missing)[0])
                _take_over(of_learning, units, embeddings, missing)
                with progress_within(rows, len(by_page)):
                    self._encode(units, np.flatnonzero(missing), embeddings)
                codes = None
                if of_parent is not None and of_parent.codes is not None:
                    codes = np.empty((len(units), head.bits // 8), dtype=np.uint8)
                    codes[taken] = of_parent.codes[found]
                    new = np.setdiff1d(np.arange(len(units)), taken)
                    codes[new] = codes_of(head, embeddings[new])
                writer.add_table(vectors_table(units, embeddings, head, codes))
                rows += len(units)
                report_progress("", rows, len(by_page))
        return StageCounts(rows, rows, {}, {VECTORS: rows, "reused": reused})

    def _encode(self, units: list[UnitText], new: Integers, embeddings: Floats) -> None:
        """Fill in the rows of `new`. Units with the same text, such as a one-sentence segment and
        its proposition, are encoded once.
        """
        rows = {text: n for n, text in enumerate(dict.fromkeys(units[i].text for i in new))}
        if rows:
            encoded = self.encoder.encode(list(rows))
            embeddings[new] = encoded[[rows[units[i].text] for i in new]]


def _take_over(
    stored: StoredVectors | None,
    units: list[UnitText],
    embeddings: Floats,
    missing: Flags,
) -> tuple[Integers, Integers]:
    """Fill in the missing rows that are stored; returns which rows, and where they were found."""
    if stored is None:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    found = stored.find([unit.unit_id for unit in units])
    taken = np.flatnonzero(missing & (found >= 0))
    embeddings[taken] = stored.vectors[found[taken]]
    missing[taken] = False
    return taken, found[taken]


def _batches(units: Iterable[UnitText]) -> Iterator[list[UnitText]]:
    remaining = iter(units)
    while batch := list(islice(remaining, _TEXTS_PER_BATCH)):
        yield batch


@dataclass(eq=False)
class EncodeUnits(beam.PTransform):  # type: ignore[misc]
    """(shard, shard) -> shard, once its vectors are written."""

    work: EncodeShard

    def __post_init__(self) -> None:
        super().__init__()

    def expand(self, shards: beam.PCollection) -> beam.PCollection:
        return shards | "Encode units" >> RunTasks(self.work.build, ENCODE_STAGE, self.work)
