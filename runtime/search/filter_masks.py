"""Which segments a filter allows: a flag for each, from columns of pages and the mapped tables.

    SearchFilter -> columns of 10_pages, the mapped tables -> Allowed (a flag for each segment)

The filter is applied before ranking, so that as many pages come back as were requested, if the
build has them. Columns of pages are read from the build's Parquet files on demand; the flags of the
most recent filters are kept, one byte per segment, and the numbers of segments that are few.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from functools import partial
from threading import Lock

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from factmill.models.arrays import Flags
from factmill.runtime.rows.id_lookup import ID_BYTES
from factmill.runtime.rows.stored_tables import stored_table
from factmill.runtime.search.index_shard import Shard
from factmill.runtime.search.search_filter import SEGMENT_KINDS, Allowed, SearchFilter
from factmill.runtime.search.segment_table import SegmentTable
from factmill.schemas.errors import CorruptStore, NotInBuild
from factmill.schemas.index_files import ROW_KINDS
from factmill.schemas.layout import BuildDir
from factmill.schemas.tables import PAGES_TABLE

_KEPT = 16
# Scoring this few segments is faster than searching their codes.
_FEW = 1000
# Whether values of a column fit.
_Fits = Callable[[pa.Array], pa.Array]


class FilterMasks:
    """The flags of filters for one build. Thread-safe."""

    def __init__(self, build: BuildDir, shards: Sequence[Shard], table: SegmentTable) -> None:
        self._build, self._shards, self._table = build, shards, table
        self._kept: OrderedDict[SearchFilter, Allowed] = OrderedDict()
        self._lock = Lock()

    def allowed(self, wanted: SearchFilter) -> Allowed:
        """The segments that a filter allows. Raises NotInBuild for a filter that the build cannot
        evaluate, CorruptStore for an unreadable table.
        """
        with self._lock:
            if wanted in self._kept:
                self._kept.move_to_end(wanted)
                return self._kept[wanted]
        found = self._allowed(wanted)
        with self._lock:
            self._kept[wanted] = found
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return found

    def _allowed(self, wanted: SearchFilter) -> Allowed:
        table = self._table
        flags: Flags = np.ones(len(table), np.bool_)
        if wanted.columns:
            flags &= self._pages(wanted)[table.pages]
        if 0 < len(set(wanted.segment_kinds)) < len(SEGMENT_KINDS):
            parts = [_of_kinds(shard, wanted.segment_kinds) for shard in self._shards]
            flags &= np.concatenate(parts)
        kinds = None
        if wanted.unit_kinds:
            kinds = frozenset(map(ROW_KINDS.index, wanted.unit_kinds))
            of_rows = np.concatenate([shard.rows.values("kind", "i1") for shard in self._shards])
            rows = np.isin(of_rows, list(kinds)).nonzero()[0]
            with_unit = np.zeros(len(table), np.bool_)
            with_unit[table.of_each_row(rows)] = True
            flags &= with_unit
        numbers = flags.nonzero()[0]
        _, counts = table.row_ranges(numbers)
        few = numbers if len(numbers) <= _FEW else None
        return Allowed(flags, few, int(counts.sum()), kinds)

    def _pages(self, wanted: SearchFilter) -> Flags:
        """A flag for each page of all shards."""
        parts = [self._pages_of(number, wanted) for number in range(len(self._shards))]
        return np.concatenate([np.empty(0, np.bool_), *parts])

    def _pages_of(self, shard: int, wanted: SearchFilter) -> Flags:
        path, pages = self._build.part(PAGES_TABLE, shard), self._shards[shard].pages
        names = ["page_id", *wanted.columns]
        parts: list[Flags] = [np.empty(0, np.bool_)]
        found = [b""]
        with stored_table(self._build, PAGES_TABLE, shard) as stored:
            missing = set(names) - set(stored.columns)
            if missing:
                raise NotInBuild(
                    f"{self._build.build_id}: its pages have no column {min(missing)} to"
                    " filter by; build again"
                )
            for group in stored.groups(names):
                found += map(_ids, group["page_id"].chunks)
                flags: Flags = np.ones(len(group), np.bool_)
                for name, fits in _conditions(wanted):
                    flags &= _fitting(group[name], fits)
                parts.append(flags)
        if b"".join(found) != pages.text_bytes("page_id")[1].tobytes():
            raise CorruptStore(f"{path}: not the pages of the index")
        return np.concatenate(parts)


def _ids(chunk: pa.Array) -> bytes:
    """The page ids of a part of the table, one after the other. Raises ValueError for what is
    none.
    """
    values = chunk.dictionary if isinstance(chunk, pa.DictionaryArray) else chunk
    longest = pc.max(pc.binary_length(values)).as_py()
    if chunk.null_count or (longest or 0) > ID_BYTES:
        raise ValueError("a page id is none")
    return "".join(chunk.to_pylist()).encode()


def _fitting(column: pa.ChunkedArray, fits: _Fits) -> Flags:
    """A flag for each row: whether its value fits. A value that rows share is looked at once."""
    found: list[Flags] = [np.empty(0, np.bool_)]
    for chunk in column.chunks:
        shared = isinstance(chunk, pa.DictionaryArray)
        fitting = fits(chunk.dictionary).take(chunk.indices) if shared else fits(chunk)
        flags = pc.fill_null(fitting, False).to_numpy(zero_copy_only=False)
        found.append(flags.astype(np.bool_))
    return np.concatenate(found)


def _of_kinds(shard: Shard, kinds: Collection[str]) -> Flags:
    """A flag for each segment of a shard: whether it has one of the kinds."""
    is_text = shard.segments.numbers("start") >= 0
    bounds, letters = shard.segments.text_bytes("kind")
    # Among segments without offsets, tables and data differ in their first character.
    is_data = ~is_text & (np.append(letters, 0).take(bounds[:-1], mode="clip") == ord("d"))
    flags: Flags = np.zeros(len(is_text), np.bool_)
    for kind, fits in (("text", is_text), ("data", is_data), ("table", ~is_text & ~is_data)):
        if kind in kinds:
            flags |= fits
    return flags


def _conditions(wanted: SearchFilter) -> list[tuple[str, _Fits]]:
    """Columns of pages, and the allowed values of each."""
    found: list[tuple[str, _Fits]] = []
    if wanted.sites:
        pattern = _site_pattern(wanted.sites)
        found.append(("url", lambda urls: pc.match_substring_regex(urls, pattern)))
    for name, values in (("lang", wanted.languages), ("kind", wanted.page_kinds)):
        if values:
            allowed = pa.array(values, pa.string())
            found.append((name, partial(pc.is_in, value_set=allowed)))
    for moment, is_in_order in (
        (wanted.fetched_from, pc.less_equal),
        (wanted.fetched_until, pc.greater_equal),
    ):
        if moment is not None:
            limit = pa.scalar(moment, pa.timestamp("us", tz="UTC"))
            found.append(("fetched_at", partial(is_in_order, limit)))
    return found


def _site_pattern(sites: Sequence[str]) -> str:
    """A regular expression for URLs whose host is one of the sites or a subdomain."""
    hosts = "|".join(re.escape(site) for site in sites)
    return rf"^(?i:[a-z][a-z0-9+.-]*://([^/?#@]*@)?([^/?#@:]+\.)?({hosts})\.?(:[0-9]*)?([/?#]|$))"
