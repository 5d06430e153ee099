"""Compiled loops over mapped codes: the nearest by Hamming distance, the best by float score.

Kernels get the addresses of mapped columns (`runtime.shard.Column`), because a tuple of arrays
would be compiled again for every number of shards. They trust the lengths given with them, which
were checked when the files were opened, and nothing that is read from a file: a number out of its
bounds ends the query with DAMAGED. They release the GIL. Importing this module loads the compiler.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from models.compiled import helper, kernel
from runtime.bit_kernels import distance, fetch, load_int, score
from runtime.keys import POSITION, SHARD_SHIFT
from runtime.shard import Column, Length

DAMAGED = -1
_CODES, _ROWS = int(Column.CODES), int(Length.ROWS)
_LIST_STARTS, _LIST_ROWS = int(Column.LIST_STARTS), int(Column.LIST_ROWS)
_LIST_CODES = int(Column.LIST_CODES)
# What a scan keeps beside the keys and distances found.
_SIZE, _LIMIT, _WANTED, _BITS = range(4)
# Centroids scored with the float query, for each list to be read.
_CENTROIDS_PER_LIST = 4
_LISTS_AHEAD = 8


@helper
def _collect_width(
    code: int, count: int, width: int, query: Any, key: int, found: Any, state: Any
) -> None:
    size, limit = state[_SIZE], state[_LIMIT]
    asked = query.ctypes.data
    for row in range(count):
        differing = distance(code, asked, width)
        if differing < limit:
            found[size, 0] = key + row
            found[size, 1] = differing
            size += 1
            if size == len(found):
                state[_SIZE] = size
                keep_nearest(found, state)
                size, limit = state[_SIZE], state[_LIMIT]
        code += width
    state[_SIZE] = size


@helper
def collect(
    code: int, count: int, width: int, query: Any, key: int, found: Any, state: Any
) -> None:
    """Add adjacent codes, whose keys begin with `key`, to what was found, if they are near enough.

    Of equally near ones those stay that came first, so many equal codes take no more room.
    """
    # For usual widths the compiler then knows how many pieces there are.
    if width == 48:
        _collect_width(code, count, 48, query, key, found, state)
    elif width == 96:
        _collect_width(code, count, 96, query, key, found, state)
    else:
        _collect_width(code, count, width, query, key, found, state)


@helper
def keep_nearest(found: Any, state: Any) -> None:
    """Keep what `state` wants of the nearest found; nothing as far as the last may come in then."""
    size, wanted, bits = state[_SIZE], state[_WANTED], state[_BITS]
    if size <= wanted:
        return
    histogram = np.zeros(bits + 1, np.int64)
    for place in range(size):
        histogram[found[place, 1]] += 1
    limit, nearer = 0, 0
    while nearer + histogram[limit] < wanted:
        nearer += histogram[limit]
        limit += 1
    equal, kept = wanted - nearer, 0
    for place in range(size):
        away = found[place, 1]
        if away < limit or (away == limit and equal > 0):
            equal -= away == limit
            found[kept, 0] = found[place, 0]
            found[kept, 1] = away
            kept += 1
    state[_SIZE], state[_LIMIT] = kept, limit


@kernel
def scan_rows(columns: Any, lengths: Any, query: Any, start: int, stop: int, wanted: int) -> Any:
    """The nearest rows, numbered through all shards, from `start` to `stop`: keys and distances."""
    width = len(query)
    found, state = _new_scan(8 * width, wanted)
    before = 0
    for shard in range(len(lengths)):
        low = max(start - before, 0)
        high = min(stop - before, lengths[shard, _ROWS])
        if low < high:
            code = columns[shard, _CODES] + low * width
            key = (shard << SHARD_SHIFT) + low
            collect(code, high - low, width, query, key, found, state)
        before += lengths[shard, _ROWS]
    keep_nearest(found, state)
    return found[: state[_SIZE]]


@kernel
def scan_lists(columns: Any, lengths: Any, query: Any, lists: Any, wanted: int) -> Any:
    """The nearest codes of some lists of all shards: keys of their places in the lists, distances.
    Empty, with a first row of DAMAGED, when a list lies outside of its shard."""
    width = len(query)
    found, state = _new_scan(8 * width, wanted)
    # Lists lie far apart: each is asked for while those before it are scanned, which takes a
    # fraction of the time of waiting for each.
    places = np.empty((len(lengths) * len(lists), 3), np.int64)
    size = 0
    for shard in range(len(lengths)):
        for number in lists:
            start = np.int64(load_int(columns[shard, _LIST_STARTS] + 4 * number))
            stop = np.int64(load_int(columns[shard, _LIST_STARTS] + 4 * number + 4))
            if not 0 <= start <= stop <= lengths[shard, _ROWS]:
                found[0, 0] = DAMAGED
                return found[:1]
            places[size, 0] = columns[shard, _LIST_CODES] + start * width
            places[size, 1] = stop - start
            places[size, 2] = (shard << SHARD_SHIFT) + start
            size += 1
    for place in range(size):
        ahead = min(place + _LISTS_AHEAD, size - 1)
        fetch(places[ahead, 0], places[ahead, 1] * width)
        collect(places[place, 0], places[place, 1], width, query, places[place, 2], found, state)
    keep_nearest(found, state)
    return found[: state[_SIZE]]


@helper
def _new_scan(bits: int, wanted: int) -> Any:
    found = np.empty((4 * wanted, 2), np.int64)
    state = np.empty(4, np.int64)
    state[_SIZE], state[_LIMIT], state[_WANTED], state[_BITS] = 0, bits + 1, wanted, bits
    return found, state


@kernel
def nearest_lists(centroids: Any, code: Any, query: Any, count: int) -> Any:
    """The lists whose centroids have the best float scores, of the nearest by Hamming distance."""
    width = len(code)
    found, state = _new_scan(8 * width, _CENTROIDS_PER_LIST * count)
    address = centroids.ctypes.data
    collect(address, len(centroids), width, code, 0, found, state)
    keep_nearest(found, state)
    lists = found[: state[_SIZE], 0]
    scores = np.empty(len(lists), np.float32)
    for place in range(len(lists)):
        scores[place] = score(address + lists[place] * width, query)
    return lists[_best(scores, count)]


@helper
def _best(scores: Any, wanted: int) -> Any:
    """Places of the best scores, in order of place; of equal ones the first."""
    if wanted >= len(scores):
        return np.arange(len(scores))
    least = np.partition(scores, len(scores) - wanted)[len(scores) - wanted]
    equal = wanted - (scores > least).sum()
    places = np.empty(wanted, np.int64)
    size = 0
    for place in range(len(scores)):
        if scores[place] > least or (scores[place] == least and equal > 0):
            equal -= scores[place] == least
            places[size] = place
            size += 1
    return places[:size]


@kernel
def merged(found: Any, bits: int, wanted: int) -> Any:
    """The nearest of what several scans found."""
    state = np.empty(4, np.int64)
    state[_SIZE], state[_LIMIT], state[_WANTED], state[_BITS] = len(found), 0, wanted, bits
    keep_nearest(found, state)
    return found[: state[_SIZE]]


@kernel
def best_rows(
    columns: Any, lengths: Any, found: Any, query: Any, in_lists: bool, wanted: int
) -> Any:
    """Keys of the rows with the best float scores among what a scan found; DAMAGED as the first
    one when a list names a row that is not there."""
    width = (len(query) - 1) >> 3
    scores = np.empty(len(found), np.float32)
    for place in range(len(found)):
        shard, position = found[place, 0] >> SHARD_SHIFT, found[place, 0] & POSITION
        codes = columns[shard, _LIST_CODES if in_lists else _CODES]
        scores[place] = score(codes + position * width, query)
    places = _best(scores, wanted)
    rows = np.empty(len(places), np.int64)
    for size, place in enumerate(places):
        shard, row = found[place, 0] >> SHARD_SHIFT, found[place, 0] & POSITION
        if in_lists:
            row = np.int64(load_int(columns[shard, _LIST_ROWS] + 4 * row))
            if not 0 <= row < lengths[shard, _ROWS]:
                rows[0] = DAMAGED
                return rows[:1]
        rows[size] = (shard << SHARD_SHIFT) + row
    return rows
