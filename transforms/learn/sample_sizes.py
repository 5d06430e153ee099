"""How much of a build the hash head learns from: a share of what the build encodes.

Most of the time of learning goes into encoding its sample. So the sample is measured in texts, and
is a share of all texts of the build: then learning takes a share of the time that encoding takes,
on any machine. Sizes follow from the number of texts alone, so that equal builds learn equal heads.
"""

from __future__ import annotations

from dataclasses import dataclass

from factmill.schemas.layout import BuildDir
from factmill.transforms.tasks.shard_files import table_rows

# A row of each of these tables is one text (transforms/encode/unit_texts.py).
_ROWS = ("11_segments", "20_propositions", "21_qa_pairs")
# A sample has one text in so many, but no fewer than what makes a head at all, and no more than
# what makes a better one (measured in docs/log.md).
_ONE_IN = 6
_LEAST_TEXTS = 4_400
_MOST_TEXTS = 44_000


@dataclass(frozen=True, slots=True)
class SampleSizes:
    """At most so many questions of the build's own, each with the two units that answer it, and so
    many units besides; labelled questions are about at most so many pages."""

    questions: int
    units: int
    labelled_pages: int


def sample_sizes(build: BuildDir, shards: int) -> SampleSizes:
    """Sizes for this build."""
    texts = sum(table_rows(build, table, shards) for table in _ROWS)
    return sizes_of(texts, table_rows(build, "10_pages", shards))


def sizes_of(texts: int, pages: int) -> SampleSizes:
    """Sizes for a build of so many texts and pages: five elevenths are units, two are questions and
    four what answers them. The units of labelled pages are about as many as the others."""
    sampled = min(_MOST_TEXTS, max(_LEAST_TEXTS, texts // _ONE_IN))
    units = 5 * sampled // 11
    return SampleSizes(2 * sampled // 11, units, max(1, units * pages // max(1, texts)))
