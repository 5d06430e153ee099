from __future__ import annotations

import pytest

from factmill.schemas.input_source import InputSource
from factmill.transforms.report.input_changes import InputChange, input_changes


def _source(path: str, read: int, broken: int = 0) -> InputSource:
    return InputSource(path, "/crawl", read, read, read, broken)


@pytest.mark.parametrize(
    ("before", "now", "fault"),
    [
        (_source("a", 9), _source("a", 9), ""),
        (_source("a", 9), _source("a", 10), ""),
        (_source("a", 9), _source("a", 8), "fewer pages"),
        (_source("a", 9), _source("a", 0), "empty"),
        (_source("a", 9), _source("a", 9, 1), "broken"),
        (_source("a", 9), _source("a", 3, 1), "broken"),
        (_source("a", 9, 1), _source("a", 9, 1), ""),
        (_source("a", 9, 1), _source("a", 3, 1), "broken"),
        (_source("a", 9), None, "gone"),
        (_source("a", 0), None, ""),
        (None, _source("a", 0, 1), "broken"),
        (None, _source("a", 0), ""),
    ],
)
def test_input_changes_say_what_is_wrong(
    before: InputSource | None, now: InputSource | None, fault: str
) -> None:
    found = input_changes([before] if before else [], [now] if now else None)
    pages = (before.read if before else 0, now.read if now else 0)
    assert found == ([InputChange("a", fault, *pages)] if fault else [])


def test_input_changes_begin_with_the_largest_loss() -> None:
    before = [_source(name, pages) for name, pages in (("a", 5), ("b", 900), ("c", 30))]
    found = input_changes(before, [_source("b", 890)])
    assert [change.path for change in found] == ["c", "b", "a"]
    assert input_changes(None, [_source("b", 890)]) == []
