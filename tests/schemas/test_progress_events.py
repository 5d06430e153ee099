from __future__ import annotations

from factmill.schemas.progress_events import (
    ProgressEvent,
    progress_to,
    progress_within,
    report_progress,
)


def test_tell_reaches_the_innermost_listener_or_nobody() -> None:
    outer: list[ProgressEvent] = []
    inner: list[ProgressEvent] = []
    report_progress("a", 1, 2)
    with progress_to(outer.append):
        report_progress("b", 1, 2)
        with progress_to(inner.append):
            report_progress("c", 1, 2)
        report_progress("d", 2, 2)
    report_progress("e", 1, 2)
    assert outer == [ProgressEvent("b", 1, 2), ProgressEvent("d", 2, 2)]
    assert inner == [ProgressEvent("c", 1, 2)]


def test_tell_in_a_part_counts_for_the_whole() -> None:
    events: list[ProgressEvent] = []
    with progress_to(events.append), progress_within(100, 300):
        report_progress("encoding", 7, 50)
    assert events == [ProgressEvent("", 107, 300)]
    with progress_within(1, 2):
        report_progress("nobody", 1, 1)
