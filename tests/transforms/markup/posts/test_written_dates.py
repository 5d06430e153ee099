from __future__ import annotations

from datetime import datetime, timezone

import pytest

from factmill.transforms.markup.posts.written_dates import written_time


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Jul 9, 2022", (2022, 7, 9, 0, 0)),
        ("#1 30th March 2025, 16:26", (2025, 3, 30, 16, 26)),
        ("Sat Feb 24, 2024 12:41 am", (2024, 2, 24, 0, 41)),
        ("June 09, 2024, 03:29:46 PM", (2024, 6, 9, 15, 29)),
        ("feb 12 '11 at 1:30", (2011, 2, 12, 1, 30)),
        ("#2 2024-08-03 14:22:38", (2024, 8, 3, 14, 22)),
        ("24.12.2021", (2021, 12, 24, 0, 0)),
        ("2022-07-09T14:10:00+02:00", (2022, 7, 9, 12, 10)),
    ],
)
def test_written_time_is_read_from_what_people_write(
    text: str, expected: tuple[int, int, int, int, int]
) -> None:
    assert written_time(text) == datetime(*expected, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    "text",
    [
        "3/4/2022",
        "2 days ago",
        "Feb 31, 2022",
        "Mayor 5, 20223",
        "Version 1.2.2020.4",
        "",
        "ſep 9, 2022",
    ],
)
def test_written_time_of_what_is_no_day_is_none(text: str) -> None:
    assert written_time(text) is None
