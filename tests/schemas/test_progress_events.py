from __future__ import annotations

from factmill.schemas.progress_events import Told, listening, part_of_all, tell


def test_tell_reaches_the_innermost_listener_or_nobody() -> None:
    outer: list[Told] = []
    inner: list[Told] = []
    tell("a", 1, 2)
    with listening(outer.append):
        tell("b", 1, 2)
        with listening(inner.append):
            tell("c", 1, 2)
        tell("d", 2, 2)
    tell("e", 1, 2)
    assert outer == [Told("b", 1, 2), Told("d", 2, 2)]
    assert inner == [Told("c", 1, 2)]


def test_tell_in_a_part_counts_for_the_whole() -> None:
    heard: list[Told] = []
    with listening(heard.append), part_of_all(100, 300):
        tell("encoding", 7, 50)
    assert heard == [Told("", 107, 300)]
    with part_of_all(1, 2):
        tell("nobody", 1, 1)
