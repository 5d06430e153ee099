"""Compiled loops that turn rows into segments with scores, and those into pages.

The same sums as `ranking`, without gathering: each segment's rows are read once, and the
segments around it are those just read. Kernels trust addresses and lengths as `scan_kernels` says.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from factmill.models.codes.compiled import helper, kernel
from factmill.runtime.mapped.memory import fetch, load_int
from factmill.runtime.search.bit_kernels import score
from factmill.runtime.search.index_shard import Column, Length
from factmill.runtime.search.keys import POSITION, SHARD_SHIFT
from factmill.runtime.search.scan_kernels import DAMAGED

_CODES, _ROWS = int(Column.CODES), int(Length.ROWS)
_SEGMENT_OF_ROW, _SEGMENTS = int(Column.SEGMENT_OF_ROW), int(Length.SEGMENTS)
_PAGE_OF_SEGMENT, _PAGES = int(Column.PAGE_OF_SEGMENT), int(Length.PAGES)
_START, _FIRST_ROW, _ROW_COUNT = int(Column.START), int(Column.FIRST_ROW), int(Column.ROW_COUNT)

# Of a segment: the score of its own row, its best row, its sum of weights, and that of the weighted
# scores. Weights are relative to the best row, so that none is too large.
_OWN, _BEST, _WEIGHTS, _WEIGHTED = range(4)
# So many segments before it is scored, a segment's codes are asked for; twice as many, its numbers.
_AHEAD = 6


@kernel
def segments_of(columns: Any, lengths: Any, rows: Any) -> Any:
    """Keys of the rows' segments, sorted, each once; DAMAGED as the first if one is not there."""
    segments = np.empty(len(rows), np.int64)
    for place in range(len(rows)):
        shard, row = rows[place] >> SHARD_SHIFT, rows[place] & POSITION
        segment = np.int64(load_int(columns[shard, _SEGMENT_OF_ROW] + 4 * row))
        if not 0 <= segment < lengths[shard, _SEGMENTS]:
            segments[0] = DAMAGED
            return segments[:1]
        segments[place] = (shard << SHARD_SHIFT) + segment
    return np.unique(segments)


@helper
def _read(columns: Any, lengths: Any, key: int, query: Any, temperature: float, sums: Any) -> Any:
    """The sums of a segment's rows; False when its rows are not there."""
    shard, segment = key >> SHARD_SHIFT, key & POSITION
    width = (len(query) - 1) >> 3
    first = np.int64(load_int(columns[shard, _FIRST_ROW] + 4 * segment))
    count = np.int64(load_int(columns[shard, _ROW_COUNT] + 4 * segment))
    if first < 0 or count < 1 or first + count > lengths[shard, _ROWS]:
        return False
    code = columns[shard, _CODES] + first * width
    own = np.float64(score(code, query))
    best, weights, weighted = own, 1.0, own
    for row in range(1, count):
        value = np.float64(score(code + row * width, query))
        if value <= best:
            weight = np.exp((value - best) / temperature)
            weights += weight
            weighted += weight * value
        else:
            shrunk = np.exp((best - value) / temperature)
            best, weights, weighted = value, shrunk * weights + 1.0, shrunk * weighted + value
    sums[_OWN], sums[_BEST], sums[_WEIGHTS], sums[_WEIGHTED] = own, best, weights, weighted
    return True


@helper
def _follows(columns: Any, lengths: Any, key: int) -> Any:
    """Whether a segment goes on with the text of the one before it. A table never does."""
    shard, segment = key >> SHARD_SHIFT, key & POSITION
    if not 0 < segment < lengths[shard, _SEGMENTS]:
        return False
    page, start = columns[shard, _PAGE_OF_SEGMENT], columns[shard, _START]
    return (
        load_int(page + 4 * segment) == load_int(page + 4 * segment - 4)
        and load_int(start + 4 * segment) >= 0
        and load_int(start + 4 * segment - 4) >= 0
    )


@helper
def _ask(columns: Any, key: int) -> None:
    """Begin to read the numbers of a segment."""
    shard, segment = key >> SHARD_SHIFT, key & POSITION
    for column in (_PAGE_OF_SEGMENT, _START, _FIRST_ROW, _ROW_COUNT):
        fetch(columns[shard, column] + 4 * segment, 4)


@helper
def _ask_codes(columns: Any, key: int, width: int) -> None:
    """Begin to read the codes of a segment, and as many before it and after it."""
    shard, segment = key >> SHARD_SHIFT, key & POSITION
    first = np.int64(load_int(columns[shard, _FIRST_ROW] + 4 * segment))
    count = np.int64(load_int(columns[shard, _ROW_COUNT] + 4 * segment))
    fetch(columns[shard, _CODES] + (first - count) * width, 3 * count * width)


@kernel
def score_segments(
    columns: Any, lengths: Any, segments: Any, query: Any, alpha: float, temperature: float
) -> Any:
    """For each of the sorted segments: its score by equation 10, and its best row's score. The
    first score is NaN when a segment's rows are not there."""
    found = np.empty((len(segments), 2), np.float64)
    width = (len(query) - 1) >> 3
    for place in range(min(2 * _AHEAD, len(segments))):
        _ask(columns, segments[place])
    # The segment before, the segment, the one after; most were read for the last one asked for.
    keys = np.full(3, -1, np.int64)
    sums = np.empty((3, 4), np.float64)
    for place in range(len(segments)):
        key = segments[place]
        _ask(columns, segments[min(place + 2 * _AHEAD, len(segments) - 1)])
        _ask_codes(columns, segments[min(place + _AHEAD, len(segments) - 1)], width)
        first = 0 if _follows(columns, lengths, key) else 1
        stop = 3 if _follows(columns, lengths, key + 1) else 2
        step = key - keys[1] if keys[1] >= 0 else 3
        for slot in range(3):
            known = slot + step < 3 and keys[slot + step] == key - 1 + slot
            if known:
                keys[slot] = keys[slot + step]
                sums[slot] = sums[slot + step]
            elif first <= slot < stop:
                keys[slot] = key - 1 + slot
                if not _read(columns, lengths, keys[slot], query, temperature, sums[slot]):
                    found[0, 0] = np.nan
                    return found
            else:
                keys[slot] = -1
        own, best = 0.0, -np.inf
        for slot in range(first, stop):
            own += sums[slot, _OWN]
            best = max(best, sums[slot, _BEST])
        weights, weighted = 0.0, 0.0
        for slot in range(first, stop):
            weight = np.exp((sums[slot, _BEST] - best) / temperature)
            weights += weight * sums[slot, _WEIGHTS]
            weighted += weight * sums[slot, _WEIGHTED]
        found[place, 0] = alpha * own / (stop - first) + (1 - alpha) * weighted / weights
        found[place, 1] = sums[1, _BEST]
    return found


@kernel
def pages_of(columns: Any, lengths: Any, segments: Any, scores: Any, words: Any) -> Any:
    """Pages of scored segments, by key: their keys, the keys of the segments to show, scores, and
    the best of what words give their segments.

    A page scores as its best segment does; the segment shown is the one with the best row, because
    neighbours share much of a score. The first key is DAMAGED when a page is not there.
    """
    pages = np.empty(len(segments), np.int64)
    shown = np.empty(len(segments), np.int64)
    best = np.empty(len(segments), np.float64)
    of_words = np.empty(len(segments), np.float32)
    best_row = -np.inf
    size = 0
    for place in range(len(segments)):
        shard, segment = segments[place] >> SHARD_SHIFT, segments[place] & POSITION
        number = np.int64(load_int(columns[shard, _PAGE_OF_SEGMENT] + 4 * segment))
        if not 0 <= number < lengths[shard, _PAGES]:
            pages[0] = DAMAGED
            return pages[:1], shown[:1], best[:1], of_words[:1]
        page = (shard << SHARD_SHIFT) + number
        if size == 0 or page != pages[size - 1]:
            pages[size], shown[size] = page, segments[place]
            best[size], of_words[size] = -np.inf, words[place]
            best_row = -np.inf
            size += 1
        best[size - 1] = max(best[size - 1], scores[place, 0])
        of_words[size - 1] = max(of_words[size - 1], words[place])
        if scores[place, 1] > best_row:
            best_row = scores[place, 1]
            shown[size - 1] = segments[place]
    return pages[:size], shown[:size], best[:size], of_words[:size]


@kernel
def best_units(columns: Any, lengths: Any, segments: Any, query: Any, count: int) -> Any:
    """Rows and scores of the best units of each segment, best first; row -1 where there is none.
    The first row is below -1 when a segment's rows are not there."""
    width = (len(query) - 1) >> 3
    rows = np.full((len(segments), count), -1, np.int64)
    scores = np.full((len(segments), count), -np.inf, np.float32)
    for place in range(len(segments)):
        shard, segment = segments[place] >> SHARD_SHIFT, segments[place] & POSITION
        first = np.int64(load_int(columns[shard, _FIRST_ROW] + 4 * segment))
        stop = first + load_int(columns[shard, _ROW_COUNT] + 4 * segment)
        if first < 0 or stop <= first or stop > lengths[shard, _ROWS]:
            rows[0, 0] = DAMAGED - 1
            return rows, scores
        for row in range(first + 1, stop):
            value = score(columns[shard, _CODES] + row * width, query)
            slot = count
            while slot > 0 and value > scores[place, slot - 1]:
                slot -= 1
                if slot < count - 1:
                    rows[place, slot + 1] = rows[place, slot]
                    scores[place, slot + 1] = scores[place, slot]
            if slot < count:
                rows[place, slot], scores[place, slot] = row, value
    return rows, scores
