"""Compiled loops over mapped codes: the nearest by Hamming distance, the best by float score.

Kernels get the addresses of mapped columns (`index_shard.Column`), because a tuple of arrays
would be compiled again for every number of shards. They trust the lengths given with them, which
were checked when the files were opened, and nothing that is read from a file: a number out of its
bounds ends the query with DAMAGED. They release the GIL. Importing this module loads the compiler.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from factmill.models.codes.compiled import helper, kernel
from factmill.runtime.mapped.memory import fetch, load_int
from factmill.runtime.search.bit_kernels import distance, score
from factmill.runtime.search.index_shard import Column, Length
from factmill.runtime.search.keys import POSITION, SHARD_SHIFT
from factmill.schemas.index_files import SHORT_BYTES

DAMAGED = -1
_CODES, _ROWS = int(Column.CODES), int(Length.ROWS)
_LIST_STARTS, _LIST_ROWS = int(Column.LIST_STARTS), int(Column.LIST_ROWS)
_SHORT_CODES = int(Column.SHORT_CODES)
# What a scan keeps beside the keys and distances found.
_SIZE, _LIMIT, _WANTED, _BITS = range(4)
# Centroids scored with the float query, for each list to be read.
_CENTROIDS_PER_LIST = 4
# What is scanned: the address of adjacent codes, how many they are, and the key of the first.
_ADDRESS, _COUNT, _KEY = range(3)
_PIECES_AHEAD = 8
_CODES_AHEAD = 16
_ROWS_AHEAD = 32


@helper
def _collect_width(pieces: Any, width: int, query: Any, found: Any, state: Any) -> None:
    size, limit = state[_SIZE], state[_LIMIT]
    asked = query.ctypes.data
    for piece in range(len(pieces)):
        ahead = min(piece + _PIECES_AHEAD, len(pieces) - 1)
        fetch(pieces[ahead, _ADDRESS], pieces[ahead, _COUNT] * width)
        code, key = pieces[piece, _ADDRESS], pieces[piece, _KEY]
        for row in range(pieces[piece, _COUNT]):
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
def collect(pieces: Any, width: int, query: Any, found: Any, state: Any) -> None:
    """Add the codes of pieces to what was found, if they are near enough: a piece is the address of
    adjacent codes, how many there are, and the key of the first.

    Of equally near ones those stay that came first, so many equal codes take no more room. Pieces
    lie far apart: each is asked for while those before it are scanned, which takes a fraction of
    the time of waiting for each.
    """
    # For usual widths the compiler then knows how many parts of 16 bytes there are.
    if width == 16:
        _collect_width(pieces, 16, query, found, state)
    elif width == 48:
        _collect_width(pieces, 48, query, found, state)
    elif width == 96:
        _collect_width(pieces, 96, query, found, state)
    else:
        _collect_width(pieces, width, query, found, state)


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
    pieces = np.empty((len(lengths), 3), np.int64)
    before, size = 0, 0
    for shard in range(len(lengths)):
        low = max(start - before, 0)
        high = min(stop - before, lengths[shard, _ROWS])
        if low < high:
            pieces[size, _ADDRESS] = columns[shard, _CODES] + low * width
            pieces[size, _COUNT] = high - low
            pieces[size, _KEY] = (shard << SHARD_SHIFT) + low
            size += 1
        before += lengths[shard, _ROWS]
    collect(pieces[:size], width, query, found, state)
    keep_nearest(found, state)
    return found[: state[_SIZE]]


@kernel
def scan_lists(columns: Any, lengths: Any, query: Any, lists: Any, wanted: int) -> Any:
    """The rows of some lists of all shards whose short codes are nearest to that of the query: keys
    and distances. DAMAGED as the first key when a list lies outside of its shard, or one of these
    rows."""
    width = min(len(query), SHORT_BYTES)
    found, state = _new_scan(8 * width, wanted)
    pieces = np.empty((len(lengths) * len(lists), 3), np.int64)
    size = 0
    for shard in range(len(lengths)):
        for number in lists:
            start = np.int64(load_int(columns[shard, _LIST_STARTS] + 4 * number))
            stop = np.int64(load_int(columns[shard, _LIST_STARTS] + 4 * number + 4))
            if not 0 <= start <= stop <= lengths[shard, _ROWS]:
                found[0, 0] = DAMAGED
                return found[:1]
            pieces[size, _ADDRESS] = columns[shard, _SHORT_CODES] + start * width
            pieces[size, _COUNT] = stop - start
            pieces[size, _KEY] = (shard << SHARD_SHIFT) + start
            size += 1
    collect(pieces, width, query, found, state)
    keep_nearest(found, state)
    found = found[: state[_SIZE]]
    for place in range(len(found)):
        shard, position = _list_place(found, min(place + _ROWS_AHEAD, len(found) - 1))
        fetch(columns[shard, _LIST_ROWS] + 4 * position, 4)
        shard, position = _list_place(found, place)
        row = np.int64(load_int(columns[shard, _LIST_ROWS] + 4 * position))
        if not 0 <= row < lengths[shard, _ROWS]:
            found[0, 0] = DAMAGED
            return found[:1]
        found[place, 0] = (shard << SHARD_SHIFT) + row
    return found


@helper
def _list_place(found: Any, place: int) -> Any:
    return found[place, 0] >> SHARD_SHIFT, found[place, 0] & POSITION


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
    pieces = np.empty((1, 3), np.int64)
    pieces[0, _ADDRESS], pieces[0, _COUNT], pieces[0, _KEY] = address, len(centroids), 0
    collect(pieces, width, code, found, state)
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
def best_rows(columns: Any, found: Any, query: Any, wanted: int) -> Any:
    """Keys of the rows with the best float scores among what a scan found."""
    width = (len(query) - 1) >> 3
    codes = np.empty(len(found), np.int64)
    for place in range(len(found)):
        shard, row = found[place, 0] >> SHARD_SHIFT, found[place, 0] & POSITION
        codes[place] = columns[shard, _CODES] + row * width
    scores = np.empty(len(found), np.float32)
    for place in range(len(found)):
        fetch(codes[min(place + _CODES_AHEAD, len(codes) - 1)], width)
        scores[place] = score(codes[place], query)
    return found[_best(scores, wanted), 0]
