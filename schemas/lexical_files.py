"""The files of `50_index` that find segments by their words.

    50_index/shard=007/lexical_words.arrow      words by hash, each with the end of its postings
    50_index/shard=007/lexical_gaps.arrow       the segments that have each word, as deltas
    50_index/shard=007/lexical_mentions.arrow   the term frequency of each posting
    50_index/shard=007/lexical_lengths.arrow    number of words of each segment
    50_index/shard=007/lexical_names.arrow      the name of each page that has segments

A word's postings begin where those of the previous word end. A shard's files do not depend on other
shards: readers sum document frequencies and the mean length over shards. Each file holds one record
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

# Term frequencies are capped at this.
MAX_TERM_FREQUENCY = 255


# `hash` is `bm25.word_hash`, `stop` is the end of its postings, `gaps_stop` the end of the bytes of
# their deltas.
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
# `name` is `page_names.name_hash` of the page's title, `segments` the number of its segments; they
# begin where those of the previous page end.
NAMES_SCHEMA = pa.schema([required("name", pa.uint64()), required("segments", pa.int32())])
