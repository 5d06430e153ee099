"""The size of the hash head's training sample: a share of what the build encodes.

Most of the learning time goes into encoding the sample. So the sample is a share of the build's
texts, and learning takes a share of the encoding time on any machine. Sizes depend only on the
number of texts, so that equal builds learn equal heads.
"""

from __future__ import annotations

from dataclasses import dataclass

from factmill.schemas.layout import BuildDir
from factmill.schemas.tables import PAGES_TABLE, PROPOSITIONS_TABLE, QA_PAIRS_TABLE, SEGMENTS_TABLE
from factmill.transforms.tasks.shard_files import count_rows

# Each row of these tables is one text (transforms/encode/unit_texts.py).
_ROWS = (SEGMENTS_TABLE, PROPOSITIONS_TABLE, QA_PAIRS_TABLE)
# A sample has one text in this many, but at least what a head needs, and at most what still
# improves it (measured in docs/log.md).
_ONE_IN = 6
_MIN_TEXTS = 4_400
_MAX_TEXTS = 44_000


@dataclass(frozen=True, slots=True)
class SampleSizes:
    """The maximum number of the build's own questions, each with the two units that answer it; of
    further units; and of pages that labelled questions are about.
    """

    questions: int
    units: int
    labelled_pages: int


def sample_sizes(build: BuildDir, shards: int) -> SampleSizes:
    """The sizes for a build."""
    texts = sum(count_rows(build, table, shards) for table in _ROWS)
    return sizes_of(texts, count_rows(build, PAGES_TABLE, shards))


def sizes_of(texts: int, pages: int) -> SampleSizes:
    """The sizes for this many texts and pages: five elevenths are units, two are questions and four
    are their answers. Labelled pages have about as many units as the others.
    """
    sampled = min(_MAX_TEXTS, max(_MIN_TEXTS, texts // _ONE_IN))
    units = 5 * sampled // 11
    return SampleSizes(2 * sampled // 11, units, max(1, units * pages // max(1, texts)))
