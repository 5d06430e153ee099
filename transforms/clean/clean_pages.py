"""The steps of the job clean: from splits of the input to the tables of pages, segments and
rejects.

    extract_split    reads every split, extracts its pages and spools them by shard
    keep_missing     spools pages of the parent build that a partial crawl lacks
    compare_pages    compares the pages of all splits
    merge_shard      segments and writes every shard

Only numbers pass between steps. Extractions of the same records by the parent build, and the
segments of unchanged pages, are reused.
"""

from __future__ import annotations

from dataclasses import dataclass

import apache_beam as beam

from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import StageCounts
from factmill.transforms.clean.clean_options import CleanOptions
from factmill.transforms.clean.compare_pages import ComparePages
from factmill.transforms.clean.extract_split import ExtractSplit
from factmill.transforms.clean.keep_missing import KeepMissing
from factmill.transforms.clean.merge_shard import MergeShard
from factmill.transforms.inputs.discovery import Split
from factmill.transforms.tasks.run_tasks import RunTasks, wait_for

SPLITS, COMPARED, SHARDS = "clean-splits", "clean-compared", "clean-shards"


@dataclass(eq=False)
class CleanPages(beam.PTransform):  # type: ignore[misc]
    """Splits -> shards whose pages and segments are written.

    Without a `parent`, nothing is reused. `reuse_segments`: the parent's segments were made by the
    same code and options. `keep` is the number of splits if the parent's pages that are in none of
    them are to be kept.
    """

    build: BuildDir
    shards: int
    options: CleanOptions
    parent: BuildDir | None = None
    reuse_segments: bool = False
    keep: int | None = None

    def expand(self, splits: beam.PCollection) -> beam.PCollection:
        extract = ExtractSplit(self.build, self.shards, self.options, self.parent)
        compare = ComparePages(self.build, self.shards, self.options)
        merge = MergeShard(self.build, self.options, self.parent, self.reuse_segments)
        extracted = (
            splits
            | "Number splits" >> beam.Map(_numbered)
            | "Extract pages" >> RunTasks(self.build, SPLITS, extract)
        )
        if self.keep is not None:
            extracted = self._keep_missing(splits.pipeline, extracted, self.keep)
        compared = (
            splits.pipeline
            | "All pages" >> beam.Create([(0, 0)])
            | "After all splits" >> beam.Map(wait_for, beam.pvalue.AsIter(extracted))
            | "Compare pages" >> RunTasks(self.build, COMPARED, compare)
        )
        shards = [(shard, shard) for shard in range(self.shards)]
        return (
            splits.pipeline
            | "Shards" >> beam.Create(shards, reshuffle=False)
            | "After comparing" >> beam.Map(wait_for, beam.pvalue.AsIter(compared))
            | "Merge shards" >> RunTasks(self.build, SHARDS, merge)
        )

    def _keep_missing(
        self, pipeline: beam.Pipeline, extracted: beam.PCollection, splits: int
    ) -> beam.PCollection:
        """Counted like splits: these pages come in beside the input."""
        keep = KeepMissing(self.build, self.shards, self.parent, splits)
        tasks = [(splits + shard, shard) for shard in range(self.shards)]
        return (
            pipeline
            | "Shards of the parent" >> beam.Create(tasks, reshuffle=False)
            | "After reading" >> beam.Map(wait_for, beam.pvalue.AsIter(extracted))
            | "Keep missing pages" >> RunTasks(self.build, SPLITS, keep)
        )


def _numbered(split: Split) -> tuple[int, Split]:
    return split.ordinal, split


def clean_counts(splits: StageCounts, shards: StageCounts) -> StageCounts:
    """Counts of the whole job: records in, pages out, rejects of extracting and of merging. Pages
    kept from the parent build count as input too, and in `produced`.
    """
    total = splits + shards
    return StageCounts(splits.records_in, shards.records_out, total.rejected, total.produced)
