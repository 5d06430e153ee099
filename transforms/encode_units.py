"""Units and segments of a shard to codes and embeddings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from operator import attrgetter

import apache_beam as beam
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from models.encoder import Encoder, Floats
from models.hash_head import HashHead
from schemas.layout import BuildDir
from schemas.manifest import StageCounts
from schemas.tables import VECTORS, vectors_schema
from transforms.known_vectors import Integers, KnownVectors, known_to_parent, saved_vectors
from transforms.pieces import DoPieces
from transforms.shards import shard_writers
from transforms.unit_texts import UnitText, unit_texts

STAGE = "encode"
# Texts are sorted by length within a batch, so batches are large.
_TEXTS_PER_BATCH = 8192


def vectors_table(units: list[UnitText], embeddings: Floats, head: HashHead) -> pa.Table:
    """Rows of `40_vectors`. Codes come from the stored float16 values, so that whoever has the
    table can compute them again."""
    stored = embeddings.astype(np.float16)
    codes = head.codes(stored.astype(np.float32))
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
    """Encode a shard, on so many threads. What the parent build or the job learn encoded with the
    same model is not encoded again."""

    build: BuildDir
    encoder: Encoder
    parent: BuildDir | None
    threads: int

    def __call__(self, shard: int) -> StageCounts:
        import torch

        torch.set_num_threads(self.threads)
        head = HashHead.load(self.build.hash_head)
        of_parent = known_to_parent(self.parent, shard, head.encoder)
        of_learning = saved_vectors(self.build, head.encoder)
        rows, reused = 0, 0
        schema = vectors_schema(head.bits, head.dimension)
        with shard_writers(self.build, shard, {VECTORS: schema}) as (writer,):
            # Equal texts are mostly of one page: together, they come into one batch.
            by_page = sorted(unit_texts(self.build, shard), key=attrgetter("page_id"))
            for units in _batches(by_page):
                embeddings = np.empty((len(units), head.dimension), dtype=np.float32)
                missing = np.ones(len(units), dtype=bool)
                reused += _take_over(of_parent, units, embeddings, missing)
                _take_over(of_learning, units, embeddings, missing)
                self._encode(units, np.flatnonzero(missing), embeddings)
                writer.add_table(vectors_table(units, embeddings, head))
                rows += len(units)
        return StageCounts(rows, rows, {}, {VECTORS: rows, "reused": reused})

    def _encode(self, units: list[UnitText], new: Integers, embeddings: Floats) -> None:
        """Fill in the rows of `new`; units of one text, such as a segment of one sentence and its
        proposition, are encoded once."""
        places = {text: n for n, text in enumerate(dict.fromkeys(units[i].text for i in new))}
        if places:
            encoded = self.encoder.encode(list(places))
            embeddings[new] = encoded[[places[units[i].text] for i in new]]


def _take_over(
    known: KnownVectors | None,
    units: list[UnitText],
    embeddings: Floats,
    missing: npt.NDArray[np.bool_],
) -> int:
    """Fill in the rows that are missing and known; how many those are."""
    if known is None:
        return 0
    found = known.find([unit.unit_id for unit in units])
    taken = np.flatnonzero(missing & (found >= 0))
    embeddings[taken] = known.vectors[found[taken]]
    missing[taken] = False
    return len(taken)


def _batches(units: Iterable[UnitText]) -> Iterator[list[UnitText]]:
    remaining = iter(units)
    while batch := list(islice(remaining, _TEXTS_PER_BATCH)):
        yield batch


class EncodeUnits(beam.PTransform):  # type: ignore[misc]
    """(shard, shard) -> shard, once its vectors are written."""

    def __init__(self, work: EncodeShard) -> None:
        super().__init__()
        self._work = work

    def expand(self, shards: beam.PCollection) -> beam.PCollection:
        return shards | "Encode units" >> DoPieces(self._work.build, STAGE, self._work)
