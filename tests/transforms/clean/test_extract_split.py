from __future__ import annotations

from collections.abc import Iterator

from factmill.transforms.clean.extract_split import _READ_AHEAD, _READ_AHEAD_BYTES, _read_ahead
from factmill.transforms.inputs.raw_page import RawPage


def test_reading_ahead_keeps_every_record_in_order() -> None:
    records = [RawPage(str(number), text="") for number in range(2 * _READ_AHEAD + 3)]
    assert list(_read_ahead(records)) == records


def test_reading_ahead_holds_few_large_records() -> None:
    drawn: list[int] = []

    def read() -> Iterator[RawPage]:
        for number in range(_READ_AHEAD):
            drawn.append(number)
            yield RawPage(str(number), html=bytes(_READ_AHEAD_BYTES * 2 // 3))

    next(_read_ahead(read()))
    assert drawn == [0, 1]
