"""Hits with their texts, read from the mapped tables of all shards."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from factmill.models.encoding.encoder import Floats
from factmill.runtime.search.hits import Hit, UnitHit
from factmill.runtime.search.index_shard import Shard
from factmill.runtime.search.keys import Keys, position_of, shard_of
from factmill.runtime.search.searcher import Scores
from factmill.schemas.errors import CorruptStore
from factmill.schemas.index_files import KINDS

# What a hit shows of its page, its segment and each of its units, in the order in which it is read.
PAGE_TEXTS = ("page_id", "source_id", "url", "title")
SEGMENT_TEXTS = ("segment_id", "text")
UNIT_TEXTS = ("unit_id", "text")

_QA_PAIR = KINDS.index("qa_pair")
_SAMPLE_CHARACTERS = 300


class Texts:
    """The texts of all shards by position: nothing is read before it is asked for."""

    def __init__(self, shards: Sequence[Shard]) -> None:
        self._shards = shards
        self._segments = [shard.segments.texts("text") for shard in shards]
        # The arrays are kept, so that what their addresses name stays.
        self._text_columns = [_text_columns(shard) for shard in shards]
        self._texts_at = _addresses(self._text_columns)
        self._sizes = np.array(
            [[len(data) for data in columns[1::2]] for columns in self._text_columns], np.int64
        )
        self._number_columns = [_number_columns(shard) for shard in shards]
        self._numbers_at = _addresses(self._number_columns)

    def segment(self, key: int) -> str:
        """The text of a segment. Raises CorruptStore for what cannot be read."""
        return self._segments[shard_of(key)][position_of(key)]

    def sample(self, shard: int, row: int) -> tuple[str, str]:
        """What a row says, and the id of its page. Raises CorruptStore for what cannot be read."""
        tables = self._shards[shard]
        segment = int(tables.rows.numbers("segment")[row])
        page = -1
        if 0 <= segment < len(tables.segments):
            page = int(tables.segments.numbers("page")[segment])
        if not 0 <= page < len(tables.pages):
            raise CorruptStore(f"{tables.folder}: row {row} leads to no page")
        text = tables.rows.texts("text")[row] or self._segments[shard][segment]
        return text[:_SAMPLE_CHARACTERS], tables.pages.texts("page_id")[page]

    def hits(
        self, pages: Keys, segments: Keys, scores: Scores, units: Keys, unit_scores: Floats
    ) -> list[Hit]:
        """Pages with their scores, best first, each with a segment and rows of units of that, -1
        for none, shape (pages, units). Raises CorruptStore for what cannot be read."""
        if not len(pages):
            return []
        from factmill.runtime.search.text_kernels import read_numbers

        spans, numbers = read_numbers(self._numbers_at, segments, units)
        if numbers[:, :, 0].max(initial=-1) >= len(KINDS):
            raise CorruptStore(f"{self._folder}: a unit is of a kind that there is not")
        texts = iter(self._texts(pages, segments, units))
        columns = zip(
            np.round(scores, 6).tolist(),
            np.round(unit_scores.astype(np.float64), 6).tolist(),
            spans.tolist(),
            numbers.tolist(),
            strict=True,
        )
        found = []
        for rank, (score, values, (start, end), rows) in enumerate(columns, 1):
            page_id, source_id, url, title = islice(texts, len(PAGE_TEXTS))
            segment_id, text = islice(texts, len(SEGMENT_TEXTS))
            of_segment = [
                UnitHit(
                    unit_id,
                    KINDS[kind],
                    f"{said} {text[first:last]}" if kind == _QA_PAIR else said,
                    value,
                    segment_id,
                    first,
                    last,
                )
                for (kind, first, last), value, unit_id, said in zip(
                    rows, values, texts, texts, strict=False
                )
                if kind >= 0
            ]
            found.append(
                Hit(
                    rank,
                    score,
                    page_id,
                    source_id,
                    url,
                    title,
                    text,
                    segment_id,
                    None if start < 0 else start,
                    None if end < 0 else end,
                    tuple(of_segment),
                )
            )
        return found

    def _texts(self, pages: Keys, segments: Keys, units: Keys) -> list[str]:
        """Of each hit the texts of its page and its segment, and those of its units."""
        from factmill.runtime.search.text_kernels import read_texts

        read, ends = read_texts(self._texts_at, self._sizes, pages, segments, units)
        try:
            texts = str(read.data, "utf-8")
        except UnicodeDecodeError:
            ends = ends[:0]
        if not len(ends):
            raise CorruptStore(f"{self._folder}: a text lies outside of its file, or is not UTF-8")
        bounds = ends.tolist()
        return [texts[start:stop] for start, stop in pairwise([0, *bounds])]

    @property
    def _folder(self) -> Any:
        return self._shards[0].folder.parent


def _text_columns(shard: Shard) -> list[npt.NDArray[Any]]:
    """What `text_kernels.read_texts` reads: offsets and bytes of each column in turn."""
    tables = ((shard.pages, PAGE_TEXTS), (shard.segments, SEGMENT_TEXTS), (shard.rows, UNIT_TEXTS))
    return [part for table, names in tables for name in names for part in table.text_bytes(name)]


def _number_columns(shard: Shard) -> list[npt.NDArray[Any]]:
    """What `factmill.runtime.search.text_kernels.read_numbers` reads."""
    spans = [
        table.numbers(name) for table in (shard.segments, shard.rows) for name in ("start", "end")
    ]
    return [*spans, shard.rows.values("kind", np.int8)]


def _addresses(shards: Sequence[Sequence[npt.NDArray[Any]]]) -> npt.NDArray[np.int64]:
    return np.array([[column.ctypes.data for column in columns] for columns in shards], np.int64)
