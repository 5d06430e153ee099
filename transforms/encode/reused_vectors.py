"""Vectors stored by earlier builds or jobs, by unit id.

They come from the parent build, from a build that was begun and never published, and from the job
learn, which leaves those of its sample of this build in the working folder. An id determines the
text, so equal ids have equal vectors. Vectors stay in arrays: one Python object per row would take
too much memory. Knows nothing of texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from factmill.models.arrays import Codes, Halves, Integers
from factmill.models.codes.hash_head import HashHead
from factmill.schemas.errors import CorruptStore
from factmill.schemas.layout import PART, BuildDir, shard_name
from factmill.schemas.storage.atomic import whole_file
from factmill.schemas.storage.paths import StoragePath, local_copy
from factmill.schemas.tables import VECTORS, vectors_schema
from factmill.transforms.tasks.reused_files import intact
from factmill.transforms.tasks.shard_files import read_batches
from factmill.transforms.tasks.task_results import TaskResults

Ids = npt.NDArray[np.bytes_]

# The step whose finished tasks are shards of vectors.
ENCODE_STAGE = "encode"
_ID_BYTES = 32
_ENCODER = b"encoder"


@dataclass(frozen=True)
class StoredVectors:
    """`ids` ascend; `rows` gives the row of each in `vectors`, shape (n, dimension), and in
    `codes`, if requested.
    """

    ids: Ids
    rows: Integers
    vectors: Halves
    codes: Codes | None = None

    def find(self, unit_ids: Sequence[str]) -> Integers:
        """The row in `vectors` of each unit, -1 for missing ones."""
        if not len(self.ids):
            return np.full(len(unit_ids), -1, dtype=np.int64)
        wanted = _id_array(unit_ids)
        nearest = np.minimum(np.searchsorted(self.ids, wanted), len(self.ids) - 1)
        return np.where(self.ids[nearest] == wanted, self.rows[nearest], -1)


def reusable_vectors(
    parent: BuildDir | None, shard: int, encoder: str, codes: bool = False
) -> StoredVectors | None:
    """The embeddings in the parent's table, if its encoder has this fingerprint, optionally with
    their codes. A damaged table counts as missing.
    """
    found = intact(parent, f"{VECTORS}/{shard_name(shard)}/{PART}")
    if parent is None or found is None:
        return None
    head = HashHead.load(parent.hash_head)
    if head.encoder != encoder:
        return None
    try:
        schema = pq.read_schema(local_copy(found))
        is_sound = schema.equals(vectors_schema(head.bits, head.dimension))
        return _read(found, codes) if is_sound else None
    except (OSError, pa.ArrowException):
        return None


def unpublished_vectors(begun: BuildDir | None, shard: int, encoder: str) -> StoredVectors | None:
    """The embeddings of a build that was begun and never published, if it finished this shard with
    the encoder of this fingerprint. A damaged table counts as missing.
    """
    if begun is None or not TaskResults.of(begun, ENCODE_STAGE).is_finished(shard):
        return None
    try:
        if HashHead.load(begun.hash_head).encoder != encoder:
            return None
        return _read(begun.part(VECTORS, shard), codes=False)
    except (OSError, pa.ArrowException, CorruptStore):
        return None


def _read(stored: StoragePath, codes: bool) -> StoredVectors:
    path = local_copy(stored)
    rows = pq.read_metadata(path).num_rows
    schema = pq.read_schema(path)
    dimension, width = (
        schema.field("embedding").type.list_size,
        schema.field("code").type.byte_width,
    )
    ids = np.empty(rows, dtype=f"S{_ID_BYTES}")
    vectors = np.empty((rows, dimension), dtype=np.float16)
    found_codes = np.empty((rows, width), dtype=np.uint8) if codes else None
    start = 0
    for batch in read_batches(path, ["unit_id", "embedding", *["code"] * codes]):
        stop = start + batch.num_rows
        ids[start:stop] = _id_array(batch["unit_id"].to_pylist())
        vectors[start:stop] = batch["embedding"].flatten().to_numpy().reshape(-1, dimension)
        if found_codes is not None:
            joined = b"".join(batch["code"].to_pylist())
            found_codes[start:stop] = np.frombuffer(joined, np.uint8).reshape(-1, width)
        start = stop
    order = np.argsort(ids)
    return StoredVectors(ids[order], order, vectors, found_codes)


def save_vectors(build: BuildDir, encoder: str, unit_ids: Sequence[str], vectors: Halves) -> None:
    """Store the vectors of distinct units, made by the encoder with this fingerprint, for the job
    encode. Atomic; replaces earlier ones.
    """
    ids = _id_array(unit_ids)
    order = np.argsort(ids)
    dimension = vectors.shape[1]
    schema = pa.schema(
        [
            pa.field("unit_id", pa.binary(_ID_BYTES), nullable=False),
            pa.field("embedding", pa.list_(pa.float16(), dimension), nullable=False),
        ],
        metadata={_ENCODER: encoder.encode()},
    )
    columns = [
        pa.FixedSizeBinaryArray.from_buffers(
            schema.field("unit_id").type, len(ids), [None, pa.py_buffer(ids[order].tobytes())]
        ),
        pa.FixedSizeListArray.from_arrays(
            pa.array(vectors[order].reshape(-1)), type=schema.field("embedding").type
        ),
    ]
    with whole_file(_saved(build)) as temporary, pa.ipc.new_file(str(temporary), schema) as writer:
        writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=schema))


def saved_vectors(build: BuildDir, encoder: str) -> StoredVectors | None:
    """The vectors that `save_vectors` stored for this encoder, mapped from their file."""
    path = _saved(build)
    if not path.is_file():
        return None
    file = pa.ipc.open_file(pa.memory_map(str(local_copy(path))))
    if file.schema.metadata[_ENCODER] != encoder.encode():
        return None
    batch = file.get_batch(0)
    embeddings = batch["embedding"]
    ids = np.frombuffer(batch["unit_id"].buffers()[1], f"S{_ID_BYTES}", count=batch.num_rows)
    vectors = embeddings.flatten().to_numpy().reshape(-1, embeddings.type.list_size)
    return StoredVectors(ids, np.arange(len(ids)), vectors)


def _saved(build: BuildDir) -> StoragePath:
    return build.work / "vectors.arrow"


def _id_array(unit_ids: Sequence[str]) -> Ids:
    return np.array(unit_ids, dtype=f"S{_ID_BYTES}")
