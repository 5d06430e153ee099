"""Compiled loops over mapped postings. They release the GIL.

Nothing read from a file is trusted: ranges are cut to the postings there are, and postings of
segments that are not there count nothing. Importing this module loads the compiler.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from models.compiled import helper, kernel, kernel_with

# Segments whose scores are looked at together: most blocks hold none of the best.
_BLOCK = 128


@kernel
def find_words(hashes: Any, stops: Any, postings: int, wanted: Any, found: Any) -> None:
    """Fill `found`, shape (words, 2), with the range of postings of each wanted word."""
    for place in range(len(wanted)):
        low, high = 0, len(hashes)
        while low < high:
            middle = (low + high) // 2
            if hashes[middle] < wanted[place]:
                low = middle + 1
            else:
                high = middle
        found[place, 0] = found[place, 1] = 0
        if low < len(hashes) and hashes[low] == wanted[place]:
            stop = min(max(stops[low], 0), postings)
            start = min(max(stops[low - 1], 0), stop) if low else 0
            found[place, 0], found[place, 1] = start, stop


@kernel_with(error_model="numpy")
def add_scores(
    scores: Any, segments: Any, mentions: Any, norms: Any, found: Any, frequencies: Any
) -> None:
    """Add what each word, with its range in `found` and its idf, gives to the segments it is in."""
    for place in range(len(found)):
        frequency = frequencies[place]
        for posting in range(found[place, 0], found[place, 1]):
            segment = segments[posting]
            if 0 <= segment < len(scores):
                count = np.float32(mentions[posting])
                scores[segment] += frequency * count / (count + norms[segment])


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
def keep_best(scores: Any, first_key: int, keys: Any, values: Any, size: int) -> int:
    """Add the segments with scores above 0 to the best found before; return how many are held.

    `keys` and `values` are a heap, the worst on top: of equal ones that with the largest key. Keys
    come in ascending order, so a segment no better than the worst never takes its place.
    """
    for start in range(0, len(scores), _BLOCK):
        stop = min(start + _BLOCK, len(scores))
        limit = values[0] if size == len(keys) else np.float32(0)
        # Counting takes no branch, so the compiler compares many scores at once.
        better = np.int32(0)
        for score in scores[start:stop]:
            better += np.int32(score > limit)
        if better:
            size = _keep_best(scores, start, stop, first_key, keys, values, size)
    return size
