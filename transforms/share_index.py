"""The index files of a shard: the parent build's own where nothing changed, else written."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow.parquet as pq

from schemas.index_files import CENTROIDS
from schemas.layout import INDEX, BuildDir
from schemas.manifest import StageCounts
from schemas.places import local_copy
from schemas.tables import VECTORS
from schemas.writing import same_bytes
from transforms.index_shards import IndexShard
from transforms.sharing import share_equal, take_over
from transforms.unit_texts import TABLES

STAGE = "index"


@dataclass(frozen=True, slots=True)
class ShareIndexShard:
    """`parent` is a build whose index was made by the same code and options."""

    build: BuildDir
    embeddings: bool
    parent: BuildDir | None

    def __call__(self, shard: int) -> StageCounts:
        made_of = (*TABLES, VECTORS)
        if self._same_lists() and take_over(self.build, self.parent, shard, made_of, [INDEX]):
            rows = pq.read_metadata(local_copy(self.build.part(VECTORS, shard))).num_rows
            return StageCounts(rows, rows, {}, {INDEX: rows})
        counts = IndexShard(self.build, self.embeddings, self.parent)(shard)
        share_equal(self.build, self.parent, self.build.shard(INDEX, shard).iterdir())
        return counts

    def _same_lists(self) -> bool:
        if self.parent is None:
            return False
        ours, theirs = (build.root / INDEX / CENTROIDS for build in (self.build, self.parent))
        return same_bytes(ours, theirs) or not (ours.is_file() or theirs.is_file())
