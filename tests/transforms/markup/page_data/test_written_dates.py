from __future__ import annotations

from datetime import datetime, timezone

import pytest

from factmill.transforms.markup.page_data.written_dates import read_time, written_time


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
        ("9 Jul 2022 14:10:00 +0200", (2022, 7, 9, 12, 10)),
        ("2022/7/9 14:10", (2022, 7, 9, 14, 10)),
        ("Jan. 2nd, 2024 at 5:04 p.m. EST", (2024, 1, 2, 22, 4)),
        ("Tue Jan 02 2024 03:04:05 GMT+0100 (CET)", (2024, 1, 2, 2, 4)),
        ("02.01.2024, 17:04 CEST", (2024, 1, 2, 15, 4)),
        ("02/13/2024 5:04 PM", (2024, 2, 13, 17, 4)),
        ("13-02-2024, 17:04", (2024, 2, 13, 17, 4)),
        ("2. März 2024, 17:04 Uhr", (2024, 3, 2, 17, 4)),
        ("le 1er août 2024", (2024, 8, 1, 0, 0)),
        ("2 de enero de 2024", (2024, 1, 2, 0, 0)),
        ("2 января 2024 г.", (2024, 1, 2, 0, 0)),
        ("2024年1月2日 17:04", (2024, 1, 2, 17, 4)),
        ("2024년 1월 2일", (2024, 1, 2, 0, 0)),
    ],
)
def test_written_time_is_read_from_what_people_write(
    text: str, expected: tuple[int, int, int, int, int]
) -> None:
    assert written_time(text) == datetime(*expected, tzinfo=timezone.utc)


def test_dates_are_read_from_1990_on() -> None:
    assert read_time("1990-01-01") == datetime(1990, 1, 1, tzinfo=timezone.utc)
    assert read_time("1989-12-31") is None


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
        "12 lamps 2024",
        "13/13/2024",
    ],
)
def test_written_time_of_what_is_no_day_is_none(text: str) -> None:
    assert written_time(text) is None


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2020-02-03", "2020-02-03T00:00:00+00:00"),
        ("2020-02-03T04:05:06.789+02:00", "2020-02-03T02:05:06+00:00"),
        ("2020-02-03 04:05:06 -0330", "2020-02-03T07:35:06+00:00"),
        ("2020-02-03T04:05:06 UTC", "2020-02-03T04:05:06+00:00"),
        ("2020-02-03 04:05 GMT", "2020-02-03T04:05:00+00:00"),
        ("2020-02-03T04:05:06-05", "2020-02-03T09:05:06+00:00"),
        ("20200203", "2020-02-03T00:00:00+00:00"),
        ("20200203T040506Z", "2020-02-03T04:05:06+00:00"),
        ("20201399", None),
        ("2020-02-30", None),
        ("0001-01-01T00:00:00Z", None),
        ("9999-12-31T23:59:59-14:00", None),
        ("2020-02-03T04:05+99:99", None),
        ("3 February 2020", None),
        pytest.param(f"2020-02-03T04:05{' ' * 40_000}x", None, id="blanks"),
    ],
)
def test_read_time_is_in_utc_or_none(text: str, time: str | None) -> None:
    found = read_time(text)
    assert (found.isoformat() if found else None) == time
