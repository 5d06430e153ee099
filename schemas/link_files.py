"""The files of `50_index` that hold which names occur in which segments: the graph of the pages.

    50_index/shard=007/link_names.arrow    names, sorted by hash, each with the end of its words
    50_index/shard=007/link_words.arrow    the distinct words of each name
    50_index/shard=007/links.arrow         the names in each segment
    50_index/shard=007/link_ends.arrow     where the links of each segment end

A segment links to the pages of all shards whose name (`lexical_names.arrow`) occurs in it. So a
page that is rewritten keeps its incoming links. The titles of all shards decide which phrases are
names; the index job keeps the links of a segment unless a name in it appeared or disappeared. Each
file holds one record batch. Builds made before these files existed lack them; for those, a query
reads names from the texts.
"""

from __future__ import annotations

import pyarrow as pa

from factmill.schemas.fields import required

LINK_NAMES = "link_names.arrow"
LINK_WORDS = "link_words.arrow"
LINKS = "links.arrow"
LINK_ENDS = "link_ends.arrow"
LINK_FILES = (LINK_NAMES, LINK_WORDS, LINKS, LINK_ENDS)

# `name` is `page_names.name_hash` of a title, `stop` the end of its words.
LINK_NAMES_SCHEMA = pa.schema([required("name", pa.uint64()), required("stop", pa.int32())])
# `word` is a row of lexical_words.arrow; those of a name ascend.
LINK_WORDS_SCHEMA = pa.schema([required("word", pa.int32())])
# `name` is a row of link_names.arrow.
LINKS_SCHEMA = pa.schema([required("name", pa.int32())])
LINK_ENDS_SCHEMA = pa.schema([required("stop", pa.int32())])
