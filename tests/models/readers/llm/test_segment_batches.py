"""Which segments share a call."""

from hypothesis import given
from hypothesis import strategies as st

from factmill.models.readers.llm.segment_batches import (
    DEFAULT_BATCH_CHARACTERS,
    DEFAULT_BATCH_SEGMENTS,
    SegmentBatch,
    batches,
)
from factmill.schemas.records import Segment


def segments(*lengths: int) -> list[Segment]:
    return [
        Segment(f"segment-{index}", "page", index, "text", "x" * length, "", None, None)
        for index, length in enumerate(lengths)
    ]


def ids(batch: SegmentBatch) -> list[str]:
    return [segment.segment_id for segment in batch.segments]


def test_batches_short_segments_share_and_long_ones_do_not() -> None:
    found = [len(batch.segments) for batch in batches("t", segments(9, 9, 9, 9, 9, 4000, 9), 4, 99)]
    assert found == [4, 1, 1, 1]


@given(st.lists(st.integers(0, 5000), max_size=30))
def test_batches_hold_each_segment_once_in_order_within_bounds(lengths: list[int]) -> None:
    page = segments(*lengths)
    found = list(batches("t", page))
    assert [segment for batch in found for segment in batch.segments] == page
    for batch in found:
        characters = sum(len(segment.text) for segment in batch.segments)
        assert len(batch.segments) == 1 or (
            len(batch.segments) <= DEFAULT_BATCH_SEGMENTS and characters <= DEFAULT_BATCH_CHARACTERS
        )


def test_only_keeps_the_segments_asked_for_in_order() -> None:
    batch = SegmentBatch("t", tuple(segments(1, 2, 3)))
    left = batch.only({"segment-2", "segment-0", "another"})
    assert left is not None
    assert ids(left) == ["segment-0", "segment-2"]
    assert left.title == "t"
    assert batch.only(["another"]) is None
