"""The files of `50_index` by which segments are found by their words.

    50_index/shard=007/lexical_words.arrow      words, sorted by hash, each with its postings' end
    50_index/shard=007/lexical_gaps.arrow       for each word the segments that have it, as deltas
    50_index/shard=007/lexical_mentions.arrow   how often each of them has it (term frequencies)
    50_index/shard=007/lexical_lengths.arrow    number of words of each segment
    50_index/shard=007/lexical_names.arrow      of each page that has segments, its name

A word's postings begin where those of the word before it end. Nothing in a shard depends on other
shards: frequencies and the mean length are summed over shards by the reader. Files hold one record
batch, so that a column is one block of memory.
"""

from __future__ import annotations

import pyarrow as pa

from factmill.schemas.fields import required

WORDS = "lexical_words.arrow"
POSTINGS = "lexical_gaps.arrow"
TERM_FREQUENCIES = "lexical_mentions.arrow"
LENGTHS = "lexical_lengths.arrow"
NAMES = "lexical_names.arrow"
LEXICAL_FILES = (WORDS, POSTINGS, TERM_FREQUENCIES, LENGTHS, NAMES)

# A term frequency is counted up to this.
MAX_TERM_FREQUENCY = 255


# `hash` is `bm25.word_hash`, `stop` is where its postings end, `gaps_stop` where the bytes of
# their deltas do.
WORDS_SCHEMA = pa.schema(
    [
        required("hash", pa.uint64()),
        required("stop", pa.int32()),
        required("gaps_stop", pa.int32()),
    ]
)
# The bytes of `postings_deltas` for positions in segments.arrow.
POSTINGS_SCHEMA = pa.schema([required("byte", pa.uint8())])
TERM_FREQUENCIES_SCHEMA = pa.schema([required("mentions", pa.uint8())])
LENGTHS_SCHEMA = pa.schema([required("words", pa.int32())])
# `name` is `page_names.name_hash` of the page's title, `segments` how many segments the page
# has; they begin where those of the page before it end.
NAMES_SCHEMA = pa.schema([required("name", pa.uint64()), required("segments", pa.int32())])
