"""Reuses a shard's index files from the parent build if nothing changed, else writes them."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow.parquet as pq

from factmill.schemas.index_files import CENTROIDS
from factmill.schemas.layout import INDEX, BuildDir
from factmill.schemas.manifest import StageCounts
from factmill.schemas.storage.atomic import same_bytes
from factmill.schemas.storage.paths import local_copy
from factmill.schemas.tables import VECTORS
from factmill.transforms.encode.unit_texts import TABLES
from factmill.transforms.index.index_shards import IndexShard
from factmill.transforms.tasks.reused_files import link_equal, reuse_shard

INDEX_STAGE = "index"


@dataclass(frozen=True, slots=True)
class ShareIndexShard:
    """`parent` is a build whose index was made by the same code and options."""

    build: BuildDir
    embeddings: bool
    parent: BuildDir | None

    def __call__(self, shard: int) -> StageCounts:
        made_of = (*TABLES, VECTORS)
        if self._same_centroids() and reuse_shard(self.build, self.parent, shard, made_of, [INDEX]):
            rows = pq.read_metadata(local_copy(self.build.part(VECTORS, shard))).num_rows
            return StageCounts(rows, rows, {}, {INDEX: rows})
        counts = IndexShard(self.build, self.embeddings, self.parent)(shard)
        link_equal(self.build, self.parent, self.build.shard(INDEX, shard).iterdir())
        return counts

    def _same_centroids(self) -> bool:
        if self.parent is None:
            return False
        ours, theirs = (build.root / INDEX / CENTROIDS for build in (self.build, self.parent))
        return same_bytes(ours, theirs) or not (ours.is_file() or theirs.is_file())
