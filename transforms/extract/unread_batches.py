"""The batches of a shard that still have to be asked about."""

from __future__ import annotations

from collections.abc import Iterator

from factmill.models.readers.llm.segment_batches import SegmentBatch, batches
from factmill.schemas.layout import BuildDir
from factmill.transforms.extract.page_segments import page_segments
from factmill.transforms.extract.reading_log import read_log


def unread_batches(
    build: BuildDir, reader: str, shard: int, most: int
) -> Iterator[tuple[SegmentBatch | None, int]]:
    """Each batch without the segments in the log (None if none is left), and the number of those.
    `reader` is a fingerprint, `most` the number of segments in a batch.

    Batches are formed over all segments before those already read are removed, so the batches do
    not depend on where a run was killed.
    """
    log = read_log(build.store.readings(reader, shard))
    for page in page_segments(build, shard):
        for batch in batches(page.context.title, page.segments, most):
            ids = {segment.segment_id for segment in batch.segments}
            unread = {key for key in ids if not log.settled(key)}
            yield batch.only(unread), len(ids) - len(unread)
