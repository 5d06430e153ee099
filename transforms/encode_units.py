"""Units and segments of a shard to codes and embeddings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import apache_beam as beam
import numpy as np
import pyarrow as pa

from models.encoder import Encoder, Floats
from models.hash_head import HashHead
from schemas.layout import BuildDir
from schemas.manifest import StageCounts
from schemas.tables import VECTORS, vectors_schema
from transforms.pieces import DoPieces
from transforms.shards import read_batches, shard_writers
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
    """Encode a shard; what the parent build encoded with the same model is not encoded again."""

    build: BuildDir
    encoder: Encoder
    parent: BuildDir | None
    threads: int

    def __call__(self, shard: int) -> StageCounts:
        import torch

        torch.set_num_threads(self.threads)
        head = HashHead.load(self.build.hash_head)
        known = self._known(shard, head)
        rows, reused = 0, 0
        schema = vectors_schema(head.bits, head.dimension)
        with shard_writers(self.build, shard, {VECTORS: schema}) as (writer,):
            for units in _batches(unit_texts(self.build, shard)):
                embeddings = np.empty((len(units), head.dimension), dtype=np.float32)
                new = [i for i, unit in enumerate(units) if unit.unit_id not in known]
                # A segment of one sentence and its proposition are the same text.
                texts = {text: n for n, text in enumerate({units[i].text: None for i in new})}
                if new:
                    encoded = self.encoder.encode(list(texts))
                    embeddings[new] = encoded[[texts[units[i].text] for i in new]]
                for i, unit in enumerate(units):
                    if unit.unit_id in known:
                        embeddings[i] = known[unit.unit_id]
                writer.add_table(vectors_table(units, embeddings, head))
                rows, reused = rows + len(units), reused + len(units) - len(new)
        return StageCounts(rows, rows, {}, {VECTORS: rows, "reused": reused})

    def _known(self, shard: int, head: HashHead) -> dict[str, np.ndarray]:
        """The parent's embeddings of this shard by unit id, if its encoder is the same."""
        path = self.parent.part(VECTORS, shard) if self.parent else None
        if self.parent is None or path is None or not path.is_file():
            return {}
        if HashHead.load(self.parent.hash_head).encoder != head.encoder:
            return {}
        known: dict[str, np.ndarray] = {}
        for batch in read_batches(path, ["unit_id", "embedding"]):
            values = batch["embedding"].flatten().to_numpy().reshape(batch.num_rows, -1)
            known.update(zip(batch["unit_id"].to_pylist(), values, strict=True))
        return known


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
