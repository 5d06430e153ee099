"""The mapped files of one build's `50_index`."""

from __future__ import annotations

from collections.abc import Iterable

from factmill.models.arrays import Codes
from factmill.models.codes.hash_head import HashHead
from factmill.runtime.lexical.bm25_scores import LexicalIndex
from factmill.runtime.lexical.lexical_shard import LexicalShard
from factmill.runtime.lexical.segment_links import ShardLinks
from factmill.runtime.search.index_shard import Shard, map_codes
from factmill.schemas.errors import CorruptStore
from factmill.schemas.index_files import CENTROIDS, EMBEDDINGS
from factmill.schemas.layout import INDEX, BuildDir
from factmill.schemas.link_files import LINKS


class IndexFiles:
    """The file shared by all shards, and those of some shards."""

    def __init__(self, build: BuildDir, shards: Iterable[int], head: HashHead) -> None:
        """Raises CorruptStore when a file is missing, damaged or inconsistent with the others."""
        folder = build.root / INDEX
        # Centroids of the inverted lists, if any.
        self.centroids: Codes | None = None
        self._centroids_file: object = None
        if (folder / CENTROIDS).is_file():
            self._centroids_file, self.centroids = map_codes(folder / CENTROIDS)
            if 8 * self.centroids.shape[1] != head.bits or not len(self.centroids):
                raise CorruptStore(
                    f"{folder / CENTROIDS}: its centroids do not have {head.bits} bits"
                )
        folders = [build.shard(INDEX, number) for number in shards]
        self.has_embeddings = any((folder / EMBEDDINGS).is_file() for folder in folders)
        self.shards = [
            Shard.open(
                folder,
                0 if self.centroids is None else len(self.centroids),
                head.dimension if self.has_embeddings else 0,
            )
            for folder in folders
        ]
        for shard in self.shards:
            if len(shard.codes) and shard.bits != head.bits:
                raise CorruptStore(
                    f"{shard.folder}: codes of {shard.bits} bits, head of {head.bits}"
                )
        words = [LexicalShard.open(folder) for folder in folders]
        for shard, lexical in zip(self.shards, words, strict=True):
            if len(lexical) != len(shard.segments):
                raise CorruptStore(
                    f"{shard.folder}: words of {len(lexical)} segments, not {len(shard.segments)}"
                )
        # A build older than links has none.
        self.has_links = any((folder / LINKS).is_file() for folder in folders)
        links = [ShardLinks.open(shard) for shard in words] if self.has_links else []
        self.lexical = LexicalIndex(words, links)
