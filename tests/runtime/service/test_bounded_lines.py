"""Lines of standard input: the long ones are dropped, wherever they end."""

from __future__ import annotations

from io import BytesIO

import pytest

from factmill.runtime.service.bounded_lines import MAX_LINE_CHARACTERS, BoundedLines


@pytest.mark.parametrize("more", [1, 2, MAX_LINE_CHARACTERS, 2 * MAX_LINE_CHARACTERS + 1])
def test_line_that_is_too_long_is_dropped_and_the_next_is_read(more: int) -> None:
    long = "é" * (MAX_LINE_CHARACTERS + more)
    lines = BoundedLines(BytesIO(f"first\n{long}\nlast".encode()), encoding="utf-8")

    assert [lines.readline() for _ in range(4)] == ["first\n", "\n", "last", ""]


def test_line_that_never_ends_is_no_message() -> None:
    lines = BoundedLines(BytesIO(b"a" * 2 * MAX_LINE_CHARACTERS), encoding="utf-8")

    assert [lines.readline(), lines.readline()] == ["\n", ""]
