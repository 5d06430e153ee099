"""The graph of the pages: which names occur in the segments of each shard, once all names exist.

    names of the pages of all shards --find--> names of the build; which appeared or disappeared
    segments of a shard              --link--> which names occur in each

A segment is read if it is new, if it has a name that disappeared, or if it has all words of a name
that appeared. All others keep the parent's links. Only numbers pass between steps; the names are in
`.work`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import apache_beam as beam
import numpy as np
import pyarrow as pa

from factmill.models.arrays import Flags, Integers
from factmill.models.lexical.bm25 import Hashes, word_hashes
from factmill.models.lexical.names_in_texts import NameSet, distinct_names
from factmill.models.text.titles import read_title
from factmill.schemas.index_files import PAGES_FILE, SEGMENTS_FILE
from factmill.schemas.layout import INDEX, BuildDir, shard_name
from factmill.schemas.lexical_files import NAMES, POSTINGS, WORDS
from factmill.schemas.link_files import LINK_ENDS, LINK_FILES, LINK_NAMES
from factmill.schemas.manifest import StageCounts
from factmill.schemas.storage.paths import StoragePath
from factmill.transforms.index.link_shard import (
    NO_LINKS,
    FoundLinks,
    NameWords,
    joined,
    link_tables,
    links_of,
    read_links,
    segments_with_all,
)
from factmill.transforms.index.mapped_tables import read_mapped, read_parents, write_all_mapped
from factmill.transforms.tasks.reused_files import intact, link_equal
from factmill.transforms.tasks.run_tasks import RunTasks, run_task

NAMES_FOUND, PAGES_LINKED = "index-names", "index-links"

_FOLDER = "names"
_ALL, _GONE, _NEW = "all.arrow", "gone.arrow", "new.arrow"


@dataclass(frozen=True, slots=True)
class FindNames:
    """Write the names of all pages, those of the parent that disappeared, and the words of new
    ones. `parent` is a build whose index was made by the same code.
    """

    build: BuildDir
    shards: int
    parent: BuildDir | None

    def __call__(self, _task: int) -> StageCounts:
        of_shards = list(_page_names(self.build, self.shards))
        names = distinct_names(np.concatenate(of_shards))
        tables = {_ALL: pa.table({"name": names})}
        before = self._before()
        if before is not None:
            gone = np.setdiff1d(before, names, assume_unique=True)
            came = np.setdiff1d(names, before, assume_unique=True)
            words = {
                words
                for shard, of_pages in enumerate(of_shards)
                for words in _words_of(self.build, shard, np.isin(of_pages, came).nonzero()[0])
            }
            tables[_GONE] = pa.table({"name": gone})
            tables[_NEW] = pa.table({"words": pa.array(sorted(words), pa.list_(pa.uint64()))})
        write_all_mapped(self.build.work / _FOLDER, tables)
        return StageCounts()

    def _before(self) -> Hashes | None:
        """The parent's names; None if unavailable."""
        if self.parent is None or not all(
            intact(self.parent, _file(shard, NAMES)) for shard in range(self.shards)
        ):
            return None
        try:
            return distinct_names(np.concatenate(list(_page_names(self.parent, self.shards))))
        except (pa.ArrowException, KeyError):
            return None  # the manifest may be forged as well


def _page_names(build: BuildDir, shards: int) -> Iterator[Hashes]:
    """The names of the pages of each shard."""
    for shard in range(shards):
        yield read_mapped(build.root / _file(shard, NAMES))["name"].to_numpy()


def _words_of(build: BuildDir, shard: int, rows: Integers) -> Iterator[NameWords]:
    """The words of the names of some pages of a shard, given by their rows among pages with
    segments.
    """
    if not len(rows):
        return
    of_segments = read_mapped(build.root / _file(shard, SEGMENTS_FILE))["page"].to_numpy()
    pages = of_segments[np.flatnonzero(np.diff(of_segments, prepend=-1))][rows]
    titles = read_mapped(build.root / _file(shard, PAGES_FILE))["title"].take(pa.array(pages))
    for title in titles.to_pylist():
        yield tuple(sorted(set(word_hashes(read_title(title).name).tolist())))


def _file(shard: int, name: str) -> str:
    return f"{INDEX}/{shard_name(shard)}/{name}"


@dataclass(frozen=True, slots=True)
class LinkShard:
    """Write the links of a shard that has all other files. `parent` as in `FindNames`."""

    build: BuildDir
    parent: BuildDir | None

    def __call__(self, shard: int) -> StageCounts:
        folder = self.build.shard(INDEX, shard)
        segments = read_mapped(folder / SEGMENTS_FILE)
        kept, to_read = self._reused(shard, segments)
        names = NameSet(read_mapped(self._found(_ALL))["name"].to_numpy())
        read = read_links(segments["text"], to_read.nonzero()[0], names)
        words = read_mapped(folder / WORDS)["hash"].to_numpy()
        write_all_mapped(folder, link_tables(joined([kept, read]), len(segments), words))
        link_equal(self.build, self.parent, [folder / name for name in LINK_FILES])
        return StageCounts()

    def _reused(self, shard: int, segments: pa.Table) -> tuple[FoundLinks, Flags]:
        """The links that the parent's segments keep, and the segments to read."""
        links, positions = self._of_parent(shard)
        if not positions:
            return NO_LINKS, np.ones(len(segments), np.bool_)
        ids = segments["segment_id"].to_pylist()
        before = np.array([positions.get(name, -1) for name in ids], np.int32)
        to_read = before < 0
        new = read_mapped(self._found(_NEW))["words"].to_pylist()
        lexical = {
            name: read_mapped(self.build.root / _file(shard, name)) for name in (WORDS, POSTINGS)
        }
        to_read[segments_with_all(list(map(tuple, new)), lexical)] = True
        gone = read_mapped(self._found(_GONE))["name"].to_numpy()
        lost = np.zeros(len(positions), np.bool_)
        lost[links.segments[np.isin(links.names, gone)]] = True
        to_read |= lost[before]
        stays = np.flatnonzero(~to_read)
        moved_to = np.full(len(positions), -1, np.int32)
        moved_to[before[stays]] = stays
        return links.moved(moved_to), to_read

    def _of_parent(self, shard: int) -> tuple[FoundLinks, dict[str, int]]:
        """The links of the parent's shard, with its segments' positions by id; none when a file or
        the parent's names are missing or damaged.
        """
        files = (*LINK_FILES, SEGMENTS_FILE, WORDS)
        paths = {name: intact(self.parent, _file(shard, name)) for name in files}
        if not all(paths.values()) or not self._found(_NEW).is_file():
            return NO_LINKS, {}
        try:
            tables = {name: read_parents(path) for name, path in paths.items() if path}
            links = links_of(tables, tables[WORDS]["hash"].to_numpy())
            ids = tables[SEGMENTS_FILE]["segment_id"].to_pylist()
            segments = len(tables[LINK_ENDS])
        except (pa.ArrowException, KeyError, ValueError, IndexError):
            return NO_LINKS, {}  # the manifest may be forged as well
        positions = {name: position for position, name in enumerate(ids)}
        fits = (
            len(positions) == len(ids) == segments
            and len(links.segments) == len(links.names)
            and len(links.words) == len(tables[LINK_NAMES])
        )
        return (links, positions) if fits else (NO_LINKS, {})

    def _found(self, name: str) -> StoragePath:
        return self.build.work / _FOLDER / name


@dataclass(eq=False)
class LinkPages(beam.PTransform):  # type: ignore[misc]
    """Shards whose other index files are written -> shards, once their links are."""

    build: BuildDir
    shards: int
    parent: BuildDir | None

    def expand(self, indexed: beam.PCollection) -> beam.PCollection:
        find = FindNames(self.build, self.shards, self.parent)
        return (
            indexed
            # A group is complete when all shards are there. Each step takes time on every runner,
            # and side inputs need more steps.
            | "Wait for all shards" >> beam.WithKeys(0)
            | "As one" >> beam.GroupByKey()
            | "Find names" >> beam.Map(_run_once, self.build, find)
            | "Shards to link" >> beam.FlatMap(_numbered)
            | "Link shards"
            >> RunTasks(self.build, PAGES_LINKED, LinkShard(self.build, self.parent))
        )


def _run_once(indexed: tuple[int, Iterable[int]], build: BuildDir, find: FindNames) -> list[int]:
    """Find the names of all shards; returns the shards' numbers."""
    run_task((0, [0]), build, NAMES_FOUND, find)
    return sorted(indexed[1])


def _numbered(shards: Iterable[int]) -> Iterator[tuple[int, int]]:
    return ((shard, shard) for shard in shards)
