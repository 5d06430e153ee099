"""Many conversations at once: how many, in what order they are kept, and how they end."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from factmill.models.llm.completion import Usage
from factmill.models.readers.llm.extracted_items import ExtractedItems
from factmill.models.readers.llm.reader import BatchResult
from factmill.models.readers.llm.segment_batches import SegmentBatch
from factmill.schemas.errors import BudgetSpent, ServerDown
from factmill.schemas.records import Segment
from factmill.transforms.extract.ask_segments import ask_all


def batch(number: int) -> SegmentBatch:
    return SegmentBatch("Title", (Segment(f"s{number}", "p", number, "text", "Text.", "", 0, 5),))


class BlockingReader:
    """Answers when it is let, and counts how many ask at once."""

    def __init__(self, fails: dict[str, BaseException] | None = None) -> None:
        self.fails = fails or {}
        self.asking = self.most = 0
        self.released = asyncio.Event()

    async def read(self, asked: SegmentBatch) -> BatchResult:
        self.asking += 1
        self.most = max(self.most, self.asking)
        try:
            await self.released.wait()
        finally:
            self.asking -= 1
        key = asked.segments[0].segment_id
        if key in self.fails:
            raise self.fails[key]
        return BatchResult({key: ExtractedItems((key,))}, Usage(1, 10, 1))


def run(
    count: int, at_once: int, fails: dict[str, BaseException] | None = None
) -> tuple[BlockingReader, list[str], BaseException | None]:
    kept: list[str] = []
    drawn: list[int] = []

    def source() -> Iterator[tuple[int, SegmentBatch]]:
        for number in range(count):
            drawn.append(number)
            yield number % 3, batch(number)

    async def all_of_it() -> BlockingReader:
        reader = BlockingReader(fails)
        task = asyncio.ensure_future(
            ask_all(source(), reader.read, lambda _, said: kept.extend(said.outcomes), at_once)
        )
        while reader.asking < min(at_once, count):
            await asyncio.sleep(0)
        # Nothing is drawn from the source before somebody is free to ask about it.
        assert len(drawn) == min(at_once, count)
        reader.released.set()
        await asyncio.wait([task])
        errors.append(task.exception())
        assert not reader.asking
        return reader

    errors: list[BaseException | None] = []
    reader = asyncio.run(all_of_it())
    return reader, kept, errors[0]


@pytest.mark.parametrize("at_once", [1, 7, 100])
def test_ask_all_keeps_every_answer_once(at_once: int) -> None:
    reader, kept, error = run(50, at_once)

    assert error is None
    assert sorted(kept) == sorted(f"s{number}" for number in range(50))
    assert reader.most == min(at_once, 50)


@pytest.mark.parametrize("kind", [ServerDown, BudgetSpent])
def test_ask_all_that_must_stop_keeps_what_was_on_its_way(kind: type[Exception]) -> None:
    _, kept, error = run(50, 8, {"s3": kind("why")})

    assert type(error) is kind
    # The other seven were asked already; each of them may end, and none is followed by many.
    assert set(kept) >= {f"s{number}" for number in range(8)} - {"s3"}
    assert len(kept) < 50


def test_ask_all_bug_ends_it_at_once() -> None:
    _, kept, error = run(50, 8, {"s3": ZeroDivisionError()})

    assert isinstance(error, ZeroDivisionError)
    assert len(kept) < 50


def test_ask_all_of_nothing_returns() -> None:
    asyncio.run(ask_all(iter(()), BlockingReader().read, lambda _, __: None, 4))
