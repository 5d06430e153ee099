"""Segments of a shard to propositions and QA pairs, by a reader."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import apache_beam as beam

from models.readers.reading import Reader, to_units
from schemas.errors import Rejected
from schemas.layout import BuildDir
from schemas.manifest import StageCounts
from schemas.records import Reject, Segment
from transforms.pieces import DoPieces
from transforms.shards import column_map, read_records, shard_writers

STAGE = "extract"
TABLES = ["20_propositions", "21_qa_pairs", "29_rejects"]


@dataclass(frozen=True)
class ExtractShard:
    """Read every segment of a shard: it ends as units or as a reject."""

    build: BuildDir
    reader: Reader

    def __call__(self, shard: int) -> StageCounts:
        segments = 0
        rejected: Counter[str] = Counter()
        titles = column_map(self.build.part("10_pages", shard), "page_id", "title")
        with shard_writers(self.build, shard, TABLES) as writers:
            propositions, pairs, rejects = writers
            for segment in read_records(self.build.part("11_segments", shard), Segment):
                segments += 1
                try:
                    reading = self.reader.read(segment, titles[segment.page_id])
                except Rejected as why:
                    rejected[why.reason] += 1
                    rejects.add([Reject(STAGE, why.reason, segment.segment_id, "", why.detail)])
                    continue
                units = to_units(segment, reading, self.reader.fingerprint)
                propositions.add(units[0])
                pairs.add(units[1])
        produced = {
            "20_propositions": propositions.rows,
            "21_qa_pairs": pairs.rows,
            "29_rejects": rejects.rows,
        }
        return StageCounts(segments, segments - sum(rejected.values()), dict(rejected), produced)


class ExtractUnits(beam.PTransform):  # type: ignore[misc]
    """(shard, shard) -> shard, once its propositions and QA pairs are written."""

    def __init__(self, build: BuildDir, reader: Reader) -> None:
        super().__init__()
        self._build, self._reader = build, reader

    def expand(self, shards: beam.PCollection) -> beam.PCollection:
        work = ExtractShard(self._build, self._reader)
        return shards | "Read segments" >> DoPieces(self._build, STAGE, work)
