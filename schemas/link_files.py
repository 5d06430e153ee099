"""The files of `50_index` that say which names stand in which segments: the graph of the pages.

    50_index/shard=007/link_names.arrow    names, sorted by hash, each with its words' end
    50_index/shard=007/link_words.arrow    the words of each name, each once
    50_index/shard=007/links.arrow         of each segment the names in it
    50_index/shard=007/link_ends.arrow     where the links of each segment end

A segment leads to the pages whose name stands in it: those of all shards whose name in
`lexical_names.arrow` is that of the link. So a page that is written anew keeps what leads to it.
Which phrases are names the titles of all shards decide; the index job keeps the links of a segment
as long as no name came or went that it has. Files hold one record batch. Builds of before have
none: then names are read from the texts at each query.
"""

from __future__ import annotations

import pyarrow as pa

from factmill.schemas.fields import required

LINK_NAMES = "link_names.arrow"
LINK_WORDS = "link_words.arrow"
LINKS = "links.arrow"
LINK_ENDS = "link_ends.arrow"
LINK_FILES = (LINK_NAMES, LINK_WORDS, LINKS, LINK_ENDS)

# `name` is `page_names.name_hash` of a title, `stop` is where its words end.
LINK_NAMES_SCHEMA = pa.schema([required("name", pa.uint64()), required("stop", pa.int32())])
# `word` is a row of lexical_words.arrow; those of a name ascend.
LINK_WORDS_SCHEMA = pa.schema([required("word", pa.int32())])
# `name` is a row of link_names.arrow.
LINKS_SCHEMA = pa.schema([required("name", pa.int32())])
LINK_ENDS_SCHEMA = pa.schema([required("stop", pa.int32())])
