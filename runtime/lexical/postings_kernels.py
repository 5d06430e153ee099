"""Compiled loops over mapped postings of all shards. They release the GIL.

Kernels get the addresses of columns (`scores.Column`), because a tuple of arrays would be
compiled again for every number of shards. Nothing read from a file is trusted: ranges are cut to
the postings there are, and a word's postings end at the first of a segment that is not there.
Importing this module loads the compiler.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from factmill.models.codes.compiled import helper, kernel, kernel_with
from factmill.models.lexical.bm25 import inverse_frequencies
from factmill.models.lexical.postings_deltas import BITS, MORE, MOST_BYTES
from factmill.runtime.lexical.scores import Column, Length
from factmill.runtime.mapped.memory import fetch, load_byte, load_int, load_long
from factmill.runtime.search.keys import SHARD_SHIFT

_HASHES, _STOPS = int(Column.HASHES), int(Column.STOPS)
_GAPS_STOPS, _GAPS, _MENTIONS = int(Column.GAPS_STOPS), int(Column.GAPS), int(Column.MENTIONS)
_WORDS, _POSTINGS, _BYTES = int(Length.WORDS), int(Length.POSTINGS), int(Length.GAPS)
# What `find_words` finds of a word in a shard: from where to where its postings are, and their
# gaps.
_START, _STOP, _GAPS_START, _GAPS_STOP = range(4)
# No segment is beyond this.
_BEYOND = 1 << 40
# Segments of which the best score is known.
BLOCK = 128


@helper
def find_words(columns: Any, lengths: Any, wanted: Any) -> Any:
    """The ranges of postings and of gaps of each wanted word in each shard, shape (shards, words,
    4); empty ones if it is not there."""
    found = np.zeros((len(lengths), len(wanted), 4), np.int64)
    for shard in range(len(lengths)):
        hashes, stops = columns[shard, _HASHES], columns[shard, _STOPS]
        for place in range(len(wanted)):
            low, high = 0, lengths[shard, _WORDS]
            while low < high:
                middle = (low + high) // 2
                if np.uint64(load_long(hashes + 8 * middle)) < wanted[place]:
                    low = middle + 1
                else:
                    high = middle
            if (
                low < lengths[shard, _WORDS]
                and np.uint64(load_long(hashes + 8 * low)) == wanted[place]
            ):
                start, stop = _range(stops, low, lengths[shard, _POSTINGS])
                found[shard, place, _START], found[shard, place, _STOP] = start, stop
                start, stop = _range(columns[shard, _GAPS_STOPS], low, lengths[shard, _BYTES])
                found[shard, place, _GAPS_START], found[shard, place, _GAPS_STOP] = start, stop
    return found


@helper
def _range(stops: int, place: int, most: int) -> Any:
    """What is between an end and the one before it, cut to what there is."""
    stop = min(max(np.int64(load_int(stops + 4 * place)), 0), most)
    start = min(max(np.int64(load_int(stops + 4 * place - 4)), 0), stop) if place else np.int64(0)
    return start, stop


_idf = helper(inverse_frequencies)


@helper
def _counts(found: Any) -> Any:
    """How many postings each word has, of what `find_words` found."""
    return (found[:, :, _STOP] - found[:, :, _START]).sum(axis=0)


@helper
def idf_of(found: Any, segments: int) -> Any:
    """The idf of each word, of what `find_words` found in so many segments."""
    # A damaged file may have more postings of a word than segments.
    return _idf(np.minimum(_counts(found), segments), segments)


@helper
def _ask(columns: Any, found: Any, shard: int, word: int) -> None:
    """Begin to read the postings of a word."""
    start, stop, gaps_start, gaps_stop = found[shard, word]
    fetch(columns[shard, _GAPS] + gaps_start, gaps_stop - gaps_start)
    fetch(columns[shard, _MENTIONS] + start, stop - start)


@helper
def _gap(address: int, stop: int) -> Any:
    """A gap (`postings_deltas`) and where the next one begins. Beyond all segments when
    there is none before `stop`, or none that was written."""
    gap, shift = np.int64(0), np.int64(0)
    while address < stop and shift < BITS * MOST_BYTES:
        byte = np.int64(load_byte(address))
        address += 1
        if byte < MORE:
            return gap + (byte << shift), address
        gap += (byte - MORE) << shift
        shift += BITS
    return np.int64(_BEYOND), stop


@kernel_with(error_model="numpy")
def add_scores(
    columns: Any, starts: Any, lengths: Any, norms: Any, found: Any, chosen: Any, frequencies: Any
) -> Any:
    """The scores of all segments, shape (segments,): what each of the `chosen` words, with its
    ranges in `found` and its idf, gives to those it is in; and the best score of each block of
    segments. `starts` says where each shard's segments begin, and where the last one's end;
    `lengths` are those of all segments, `norms` those of each length."""
    scores = np.empty(starts[-1], np.float32)
    tops = np.zeros((len(scores) + BLOCK - 1) // BLOCK, np.float32)
    for shard in range(len(found)):
        first, count = starts[shard], starts[shard + 1] - starts[shard]
        # A shard's scores stay in the cache from here on.
        scores[first : first + count] = 0
        for number in range(len(chosen)):
            _ask(columns, found, shard, chosen[number])
        gaps, mentions = columns[shard, _GAPS], columns[shard, _MENTIONS]
        for number in range(len(chosen)):
            frequency, place = frequencies[number], chosen[number]
            address, end = (
                gaps + found[shard, place, _GAPS_START],
                gaps + found[shard, place, _GAPS_STOP],
            )
            segment = first - 1
            for posting in range(found[shard, place, _START], found[shard, place, _STOP]):
                gap, address = _gap(address, end)
                segment += 1 + gap
                if segment >= first + count:
                    break
                times = np.float32(load_byte(mentions + posting))
                score = scores[segment] + frequency * times / (times + norms[lengths[segment]])
                scores[segment] = score
                block = segment // BLOCK
                tops[block] = max(tops[block], score)
    return scores, tops


@helper
def _affordable(counts: Any, most_words: int, most_postings: int) -> Any:
    """Places of the words to read, the rarest first, as far as their postings are few enough; the
    rarest of all in any case."""
    places = np.argsort(counts, kind="mergesort")
    places = places[counts[places] > 0][:most_words]
    size, postings = 0, 0
    while size < len(places) and (not size or postings + counts[places[size]] <= most_postings):
        postings += counts[places[size]]
        size += 1
    return places[:size]


@kernel_with(error_model="numpy")
def score_words(
    columns: Any, sizes: Any, starts: Any, lengths: Any, norms: Any, wanted: Any, most_words: int,
    most_postings: int,
) -> Any:  # fmt: skip
    """BM25 of words with all segments, as `add_scores`, of as many as may be read; and the sum of
    the idf of these."""
    found = find_words(columns, sizes, wanted)
    chosen = _affordable(_counts(found), most_words, most_postings)
    frequencies = idf_of(found, starts[-1])[chosen]
    scores, tops = add_scores(columns, starts, lengths, norms, found, chosen, frequencies)
    return scores, tops, np.float64(frequencies.sum())


@helper
def _keep_best(
    scores: Any, start: int, stop: int, first_key: int, keys: Any, values: Any, size: int
) -> int:
    for segment in range(start, stop):
        score = scores[segment]
        if score > 0 and size < len(keys):
            place = size
            size += 1
            while place:
                above = (place - 1) // 2
                # The new key is the largest, so it is worse than its equals.
                if values[above] < score:
                    break
                keys[place], values[place] = keys[above], values[above]
                place = above
            keys[place], values[place] = first_key + segment, score
        elif size == len(keys) and score > values[0]:
            place = 0
            while True:
                below = 2 * place + 1
                if below >= size:
                    break
                other = below + 1
                if other < size and (
                    values[other] < values[below]
                    or (values[other] == values[below] and keys[other] > keys[below])
                ):
                    below = other
                # Strictly better ones stay above; an equal one below has the smaller key.
                if values[below] >= score:
                    break
                keys[place], values[place] = keys[below], values[below]
                place = below
            keys[place], values[place] = first_key + segment, score
    return size


@kernel
def best_segments(scores: Any, tops: Any, starts: Any, count: int) -> Any:
    """Keys of the best `count` segments that have scores above 0, sorted (`keep_best`)."""
    keys, values = np.empty(count, np.int64), np.empty(count, np.float32)
    return np.sort(keys[: keep_best(scores, tops, starts, keys, values)])


@helper
def keep_best(scores: Any, tops: Any, starts: Any, keys: Any, values: Any) -> int:
    """Fill `keys` and `values` with the best segments of all shards that have scores above 0;
    return how many there are. `tops` are the best scores of blocks.

    Both are a heap, the worst on top: of equal ones that with the largest key. Keys come in
    ascending order, so a segment no better than the worst never takes its place.
    """
    # As many blocks have a segment at least as good, so only they have any of the best.
    least = np.float32(0)
    if len(tops) > len(keys):
        least = np.partition(tops, len(tops) - len(keys))[len(tops) - len(keys)]
    size, shard = 0, 0
    for block in range(len(tops)):
        start, end = block * BLOCK, min((block + 1) * BLOCK, len(scores))
        # A block may have segments of several shards.
        while start < end and tops[block] >= least and tops[block] > 0:
            while starts[shard + 1] <= start:
                shard += 1
            stop = min(end, starts[shard + 1])
            first_key = (shard << SHARD_SHIFT) - starts[shard]
            size = _keep_best(scores, start, stop, first_key, keys, values, size)
            start = stop
    return size
