"""Compiled loops over names: phrases of a text that are titles, and what these tell.

Importing this module loads the compiler.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from factmill.models.codes.compiled import helper, kernel
from factmill.runtime.lexical.postings_kernels import find_words, idf_of


@helper
def find_phrases(
    words: Any, multiplier: Any, longest: int, names: Any, heads: Any, shift: Any
) -> Any:
    """Where phrases of these words are names: the place of the first word, how many words, and the
    range of equal names, one row each. Of those that overlap, the longest, then the first.

    `words` are hashes, phrases have those of `bm25.phrase_hashes`; `names` are sorted,
    and `heads` says where those begin that are 0, 1 and so on without their last `shift` bits.
    """
    found = np.empty((len(words), 4), np.int64)
    size = 0
    taken = np.zeros(len(words), np.bool_)
    for length in range(min(longest, len(words)), 0, -1):
        for place in range(len(words) - length + 1):
            phrase = words[place]
            for word in range(place + 1, place + length):
                phrase = phrase * multiplier + words[word]
            head = np.int64(phrase >> shift)
            start, stop = heads[head], heads[head + 1]
            while start < stop and names[start] < phrase:
                start += 1
            end = start
            while end < stop and names[end] == phrase:
                end += 1
            if end > start and not taken[place : place + length].any():
                taken[place : place + length] = True
                found[size, 0], found[size, 1] = place, length
                found[size, 2], found[size, 3] = start, end
                size += 1
    return found[:size]


@kernel
def named_pages(
    words: Any, multiplier: Any, longest: int, names: Any, heads: Any, shift: Any, first: Any,
    counts: Any, asked: Any, columns: Any, sizes: Any, segments: int,
) -> Any:  # fmt: skip
    """The pages of the names in `words` (`find_phrases`), sorted: of each its `first` segment and
    its number of segments, and what those words of its name tell that are not `asked` for, the sum
    of their idf. A name without such a word is none."""
    found = find_phrases(words, multiplier, longest, names, heads, shift)
    told = np.empty(len(words), np.uint64)
    of_name = np.empty(len(words), np.int64)
    size = 0
    for name in range(len(found)):
        place, length, start, _ = found[name]
        if (found[:name, 2] == start).any():
            continue
        for word in range(place, place + length):
            near = np.searchsorted(asked, words[word])
            known = near < len(asked) and asked[near] == words[word]
            if not known and not (words[place:word] == words[word]).any():
                told[size], of_name[size] = words[word], name
                size += 1
    of_words = idf_of(find_words(columns, sizes, told[:size]), segments)
    nats = np.zeros(len(found), np.float64)
    pages = np.int64(0)
    for place in range(size):
        name = of_name[place]
        nats[name] += of_words[place]
        # The words of a name are together.
        if not place or name != of_name[place - 1]:
            pages += found[name, 3] - found[name, 2]
    places = np.empty(pages, np.int64)
    of_pages = np.empty(pages, np.float32)
    filled = 0
    for place in range(size):
        name = of_name[place]
        if not place or name != of_name[place - 1]:
            for page in range(found[name, 2], found[name, 3]):
                places[filled], of_pages[filled] = page, nats[name]
                filled += 1
    order = np.argsort(first[places])
    return first[places][order], counts[places][order], of_pages[order]
