"""The page check: a build that lost input of the published one is not published.

Input counts as lost in three cases: the number of pages fell by more than a share, in total or in
one input source; a file that had pages is broken; a file that had pages of its own is empty or
gone. A single page is not evidence, because pages do disappear. A missing file is fine when other
files came to its folder (archives with a date in their names), and so is a missing folder when
another came: their page counts are compared instead.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from factmill.schemas.input_source import InputSource
from factmill.schemas.storage.paths import is_url

# Kept here so that the command line has the default without loading Beam.
DEFAULT_MAX_PAGE_DROP = 0.1
# Further ones are counted, not named.
_NAMED = 3
# Shares are floats: less than this is rounding.
_EPSILON = 1e-9


@dataclass(frozen=True, slots=True)
class PageCheck:
    """The share of the published build's pages that a build may lose; 1 allows everything. `given`
    are the real paths of the input files that were named one by one: each is judged by itself,
    while files of a folder are judged together.
    """

    max_drop: float = DEFAULT_MAX_PAGE_DROP
    given: frozenset[str] = frozenset()

    def fell(self, before: int, now: int) -> bool:
        """A single page counts only when no page may be lost."""
        alone = 1 if self.max_drop > 0 else 0
        return before - now > alone and now < before * (1 - self.max_drop) - _EPSILON


@dataclass(frozen=True, slots=True)
class BuildPages:
    """The number of pages of a build and its sources; None for builds that did not store them."""

    total: int
    sources: Sequence[InputSource] | None = None


def real_path(path: str) -> str:
    """The absolute path of an input file, without links; a URL unchanged."""
    return path if is_url(path) else os.path.realpath(path)


def lost_input(check: PageCheck, before: BuildPages, now: BuildPages) -> str:
    """A description of the missing input; "" when the build may be published."""
    if check.max_drop >= 1:
        return ""
    lost: list[str] = []
    if before.sources is not None and now.sources is not None:
        lost = list(_lost_sources(check, before.sources, now.sources))
    if check.fell(before.total, now.total):
        lost.append(f"{now.total} pages in all, {before.total} before")
    more = [f"and {len(lost) - _NAMED} more"] if len(lost) > _NAMED else []
    return "; ".join(lost[:_NAMED] + more)


def broken_inputs(sources: Sequence[InputSource]) -> list[str]:
    """A line for each source that could not be read to its end."""
    return [f"{source.path} is broken: {_pages(source.read)} read" for source in sources
            if source.broken]  # fmt: skip


def _lost_sources(
    check: PageCheck, before: Sequence[InputSource], now: Sequence[InputSource]
) -> Iterator[str]:
    by_path = {source.path: source for source in now}
    came = _came(before, now)
    named: set[str] = set()
    for source in before:
        fault = _fault(check, source, by_path.get(source.path), came) if source.kept else ""
        if fault:
            named.add(source.root)
            yield fault
    kept, read = _by_root(before, "kept"), _by_root(now, "read")
    for root in sorted(kept.keys() & read.keys() - named):
        if check.fell(kept[root], read[root]):
            yield f"{root}: {read[root]} pages, {kept[root]} before"


def _fault(
    check: PageCheck, source: InputSource, now: InputSource | None, came: Mapping[str, bool]
) -> str:
    """The problem of a source that had pages; "" for none."""
    if now is None:
        # A folder with nothing left may have moved.
        replaced = not source.alone or came.get(source.root, came[""])
        return "" if replaced else f"{source.path} is gone: {_pages(source.kept)} before"
    change = f"{_pages(now.read)}, {source.kept} before"
    if now.broken > source.broken and not (source.is_folder and now.read >= source.kept):
        return f"{source.path} is broken: {change}"
    if not now.read and source.alone:
        return f"{source.path} is empty: {change}"
    if check.fell(source.kept, now.read) and real_path(source.path) in check.given:
        return f"{source.path}: {change}"
    return ""


def _came(before: Sequence[InputSource], now: Sequence[InputSource]) -> dict[str, bool]:
    """For each input folder, whether it has a new source; under "", whether there is a new
    folder.
    """
    paths, roots = {source.path for source in before}, {source.root for source in before}
    came = {source.root: False for source in now}
    for source in now:
        came[source.root] |= source.path not in paths and source.read > 0
    came[""] = any(source.root not in roots and source.read > 0 for source in now)
    return came


def _by_root(sources: Sequence[InputSource], count: str) -> dict[str, int]:
    totals: dict[str, int] = {}
    for source in sources:
        totals[source.root] = totals.get(source.root, 0) + getattr(source, count)
    return totals


def _pages(count: int) -> str:
    return "1 page" if count == 1 else f"{count} pages"
