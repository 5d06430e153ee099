"""Inputs that broke or shrank since the previous build."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from factmill.schemas.input_source import InputSource


@dataclass(frozen=True, slots=True)
class InputChange:
    """An input file, or a folder of pages, with its problem and its pages before and now."""

    path: str
    fault: str
    before: int
    now: int


def input_changes(
    before: Sequence[InputSource] | None, now: Sequence[InputSource] | None
) -> list[InputChange]:
    """The inputs that broke, are empty, are gone or have fewer pages; largest loss first. None
    stands for a build that did not record its inputs.
    """
    found = list(_changes(before or (), now or ()))
    return sorted(found, key=lambda change: (change.now - change.before, change.path))


def _changes(before: Sequence[InputSource], now: Sequence[InputSource]) -> Iterator[InputChange]:
    old = {source.path: source for source in before}
    for source in now:
        was = old.pop(source.path, None)
        pages = was.read if was else 0
        fault = ""
        if source.broken and (was is None or source.broken > was.broken or source.read < pages):
            fault = "broken"
        elif was and source.read < pages:
            fault = "fewer pages" if source.read else "empty"
        if fault:
            yield InputChange(source.path, fault, pages, source.read)
    for source in old.values():
        if source.read:
            yield InputChange(source.path, "gone", source.read, 0)
